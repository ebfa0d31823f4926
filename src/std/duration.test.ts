import { describe, expect, test } from 'vitest';
import { ago, duration } from './duration.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('duration', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [7_400, '7 s'],
    [89_000, '89 s'],
    [90_000, '2 min'],
    [89 * minute, '89 min'],
    [90 * minute, '2 h'],
    [35 * hour, '35 h'],
    [36 * hour, '2 d'],
    [400 * day, '400 d'],
  ])('%i ms is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  test('never says less than two thirds or more than four thirds of what is true', () => {
    const inMs: Record<string, number> = { ms: 1, s: 1_000, min: minute, h: hour, d: day };
    for (let ms = 1; ms < 100 * day; ms = Math.ceil(ms * 1.01)) {
      const [number = '', unit = ''] = duration(ms).split(' ');
      const told = Number(number) * (inMs[unit] ?? Number.NaN);
      expect(told / ms).toBeGreaterThan(0.66);
      expect(told / ms).toBeLessThan(1.34);
    }
  });
});

test('ago: under a second, and for a clock that is a little ahead, it is just now', () => {
  expect([ago(-5_000), ago(0), ago(999), ago(3 * minute)]).toEqual([
    'just now',
    'just now',
    'just now',
    '3 min ago',
  ]);
});
