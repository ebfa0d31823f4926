import { describe, expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

const hourMs = 3_600_000;

function limitOf(perHour: number) {
  let now = 5;
  const limit = createRateLimit(perHour, hourMs, { monotonic: () => now });
  return {
    take: limit.take,
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('how often one caller may ask', () => {
  test('so many at once, then one whenever its share of the hour has passed', () => {
    const { take, pass } = limitOf(20);
    expect(Array.from({ length: 20 }, () => take('a'))).toEqual(Array.from({ length: 20 }, () => 0));
    expect(take('a')).toBe(180_000);
    pass(179_999);
    expect(take('a')).toBe(1);
    pass(1);
    expect(take('a')).toBe(0);
    expect(take('a')).toBe(180_000);
  });

  test('others are not held up, and asking in vain costs nothing', () => {
    const { take, pass } = limitOf(1);
    expect(take('a')).toBe(0);
    for (let time = 0; time < 50; time++) expect(take('a')).toBe(hourMs);
    expect(take('b')).toBe(0);
    pass(hourMs);
    expect(take('a')).toBe(0);
  });

  test('after an hour of rest all is given back, and not more', () => {
    const { take, pass } = limitOf(3);
    for (let time = 0; time < 3; time++) take('a');
    pass(100 * hourMs);
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0]);
    expect(take('a')).toBeGreaterThan(0);
  });

  test('a flood of callers is forgotten from its oldest end: who asked last is still held up', () => {
    const { take, pass } = limitOf(1);
    take('first');
    for (let number = 0; number < 10_000; number++) {
      pass(1);
      take(`caller ${number}`);
    }
    expect(take('caller 9999')).toBeGreaterThan(0);
    expect(take('first')).toBe(0);
  });
});
