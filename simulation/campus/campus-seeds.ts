/** Every twentieth run is about course seats: the real source, on a campus with a feed. */
export const campusEvery = 20;
export const isCampusSeed = (seed: number) => seed % campusEvery === 0;
