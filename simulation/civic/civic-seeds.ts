/** Every twentieth run is about newsletters and alerts: the real source, among citizens who follow town halls. Between two campuses. */
export const civicEvery = 20;
export const civicFirst = 10;
export const isCivicSeed = (seed: number) => seed % civicEvery === civicFirst;
