import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSeededRandom, integerBelow, pick, type Random, systemRandom } from './random.ts';

const take = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe('createSeededRandom', () => {
  test('replays a run from its seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(take(createSeededRandom(seed), 20)).toEqual(take(createSeededRandom(seed), 20));
      }),
    );
  });

  test('gives the same run on every machine and in every release: seeds stand in bug reports', () => {
    expect(take(createSeededRandom(1), 3).map((value) => value * 2 ** 32)).toEqual([
      2212199553, 1506684997, 389392296,
    ]);
  });

  test('gives neighbouring seeds different runs', () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => createSeededRandom(seed).next());
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  test('stays in [0, 1) and is spread evenly', () => {
    const buckets = new Array<number>(10).fill(0);
    for (const value of take(createSeededRandom(42), 100_000)) {
      expect(value >= 0 && value < 1).toBe(true);
      const bucket = Math.floor(value * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // 10,000 expected in each; six standard deviations of about 95.
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(570);
  });
});

test('systemRandom stays in [0, 1)', () => {
  for (const value of take(systemRandom, 100)) expect(value >= 0 && value < 1).toBe(true);
});

describe('choosing', () => {
  const stuckAt = (value: number): Random => ({ next: () => value });

  test('integerBelow reaches 0 and bound - 1, never the bound', () => {
    expect(integerBelow(stuckAt(0), 7)).toBe(0);
    expect(integerBelow(stuckAt(1 - 2 ** -32), 7)).toBe(6);
    const seen = new Set(Array.from({ length: 500 }, () => integerBelow(systemRandom, 7)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('pick takes one of the choices and refuses to pick from none', () => {
    expect(pick(stuckAt(0), ['a', 'b', 'c'])).toBe('a');
    expect(pick(stuckAt(0.99), ['a', 'b', 'c'])).toBe('c');
    expect(() => pick(stuckAt(0), [])).toThrow(/nothing to pick/);
  });
});
