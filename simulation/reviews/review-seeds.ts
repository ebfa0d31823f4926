/** Every twentieth run is about code reviews: the real source, among bots that submit and reviewers who are told. */
export const reviewEvery = 20;
export const reviewFirst = 15;
export const isReviewSeed = (seed: number) => seed % reviewEvery === reviewFirst;
