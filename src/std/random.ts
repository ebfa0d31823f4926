/** Randomness as an argument: the simulator replays a run from its seed. */
export interface Random {
  /** Uniform in [0, 1). Not for secrets. */
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };

/** sfc32: small, fast, passes PractRand; the same seed gives the same run on every machine. */
export function createSeededRandom(seed: number): Random {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
  // The first outputs still show the seed's structure.
  for (let round = 0; round < 15; round++) next();
  return { next };
}

export function integerBelow(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[integerBelow(random, choices.length)];
  if (chosen === undefined) throw new Error('pick: nothing to pick from');
  return chosen;
}
