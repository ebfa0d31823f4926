import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bounceRetryDelayMs,
  leaseMs,
  type Policy,
  parseRetryAfter,
  plainPolicy,
  quotaRetryAt,
  retryDelayMs,
} from './policy.ts';

const day = 24 * 3_600_000;

// The numbers of the specifications; each source will own its policy.
const courseSeats: Policy = {
  ...plainPolicy,
  attemptsMax: 3,
  scheduleMs: { kind: 'list', delaysMs: [0, 2000, 7000] },
  leaseMs: 120_000,
};
const newsletters: Policy = {
  ...plainPolicy,
  attemptsMax: 3,
  scheduleMs: { kind: 'exponential', baseMs: 5000, factor: 2, capMs: 900_000, jitter: 'none' },
  leaseMs: 900_000,
};
const codeReviews: Policy = {
  ...plainPolicy,
  attemptsMax: 5,
  scheduleMs: { kind: 'exponential', baseMs: 1000, factor: 2, capMs: 60_000, jitter: 'full' },
};
const policies = fc.constantFrom(courseSeats, newsletters, codeReviews, plainPolicy);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const afterAttempts = (policy: Policy, counts: number[], dice = 0) =>
  counts.map((count) => retryDelayMs(policy, count, { random: dice }));

describe('retryDelayMs by a list', () => {
  test('000-56 001-06 the next pick is retryScheduleMs[fanout_attempts-1], taken after the increment', () => {
    expect(afterAttempts(courseSeats, [1, 2, 3])).toEqual([0, 2000, 7000]);
  });

  test('the last slot repeats beyond the end of the list', () => {
    expect(afterAttempts(courseSeats, [4, 5, 1000])).toEqual([7000, 7000, 7000]);
  });

  test('000-57 the retry delay is capped by lockTtlSeconds', () => {
    const slow: Policy = { ...courseSeats, scheduleMs: { kind: 'list', delaysMs: [1000, 119_999, 120_001] } };
    expect(afterAttempts(slow, [1, 2, 3])).toEqual([1000, 119_999, 120_000]);
  });

  test('000-41 an empty list, which the schema allows, waits for nothing', () => {
    expect(afterAttempts({ ...courseSeats, scheduleMs: { kind: 'list', delaysMs: [] } }, [1, 2])).toEqual([
      0, 0,
    ]);
  });
});

describe('retryDelayMs by doubling', () => {
  test('begins at the base and stops at the cap', () => {
    expect(afterAttempts(newsletters, [1, 2, 3, 8, 9, 5000])).toEqual([
      5000, 10_000, 20_000, 640_000, 900_000, 900_000,
    ]);
  });

  test('is not capped by the lease: that rule is for spec 000 and its fixed list', () => {
    expect(retryDelayMs(plainPolicy, 9, { random: 0.999 })).toBeGreaterThan(plainPolicy.leaseMs);
  });

  test('full jitter lies in [0, delay) and reaches both ends', () => {
    fc.assert(
      fc.property(attempts, random, (count, dice) => {
        const whole = Math.min(60_000, 1000 * 2 ** (count - 1));
        const delay = retryDelayMs(codeReviews, count, { random: dice });
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThan(whole);
      }),
    );
    expect(afterAttempts(codeReviews, [1, 2, 3, 7], 0)).toEqual([0, 0, 0, 0]);
    expect(afterAttempts(codeReviews, [1, 2, 3, 7], 0.9999)).toEqual([999, 1999, 3999, 59_994]);
  });

  test('equal jitter lies in [delay / 2, delay) and reaches both ends', () => {
    fc.assert(
      fc.property(attempts, random, (count, dice) => {
        const whole = Math.min(600_000, 5000 * 2 ** (count - 1));
        const delay = retryDelayMs(plainPolicy, count, { random: dice });
        expect(delay).toBeGreaterThanOrEqual(whole / 2);
        expect(delay).toBeLessThan(whole);
      }),
    );
    expect(afterAttempts(plainPolicy, [1, 2, 8], 0)).toEqual([2500, 5000, 300_000]);
    expect(afterAttempts(plainPolicy, [1, 2, 8], 0.9999)).toEqual([4999, 9999, 599_970]);
  });
});

describe('retryDelayMs of every policy', () => {
  test('Retry-After is honoured even beyond the lease, and never shortens the schedule', () => {
    expect(retryDelayMs(courseSeats, 1, { random: 0, retryAfterMs: 600_000 })).toBe(600_000);
    expect(retryDelayMs(courseSeats, 3, { random: 0, retryAfterMs: 1000 })).toBe(7000);
    fc.assert(
      fc.property(policies, attempts, random, fc.nat({ max: day }), (policy, count, dice, retryAfterMs) => {
        const scheduled = retryDelayMs(policy, count, { random: dice });
        expect(retryDelayMs(policy, count, { random: dice, retryAfterMs })).toBe(
          Math.max(scheduled, retryAfterMs),
        );
      }),
    );
  });

  test('is a whole number of milliseconds within a day, whatever the provider wishes', () => {
    fc.assert(
      fc.property(policies, attempts, random, fc.double(), (policy, count, dice, retryAfterMs) => {
        const delay = retryDelayMs(policy, count, { random: dice, retryAfterMs });
        expect(Number.isSafeInteger(delay) && delay >= 0 && delay <= day).toBe(true);
      }),
    );
  });

  test.each([0, -1, 1.5, Number.NaN])('%s ended attempts is a bug, not a wait', (count) => {
    expect(() => retryDelayMs(plainPolicy, count, { random: 0 })).toThrow(RangeError);
  });
});

test('a soft bounce waits longer in each round, in hours', () => {
  expect([1, 2].map((round) => bounceRetryDelayMs(plainPolicy, round) / 3_600_000)).toEqual([4, 8]);
});

test('the lease outlasts the longest call, and is never shorter than the policy says', () => {
  expect(leaseMs(courseSeats, { longestCallMs: 30_000 })).toBe(120_000);
  expect(leaseMs(courseSeats, { longestCallMs: 90_001 })).toBe(120_001);
  expect(leaseMs(courseSeats, { longestCallMs: 600_000 })).toBe(630_000);
  expect(leaseMs(newsletters, { longestCallMs: 600_000 })).toBe(900_000);
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0);

  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 120\t', 120_000],
    ['007', 7000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['-5', 0],
    ['-0.5', 0],
    ['86400', day],
    ['86401', day],
    ['9'.repeat(10_000), day],
    [120, 120_000],
    [1.5, 1500],
    [-1, 0],
    [['3', '7', 'soon', '5'], 7000],
    [['soon', '0'], 0],
  ])('%j is a wait of %d ms', (header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });

  test.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Sun Nov 06 08:49:37 1994',
  ])('reads the date form %j of RFC 9110', (date) => {
    expect(parseRetryAfter(date, now)).toBe(37_000);
    expect(parseRetryAfter(date, now + 37_000)).toBe(0);
    expect(parseRetryAfter(date, now + day)).toBe(0);
    expect(parseRetryAfter(date, now - day)).toBe(day);
  });

  test.each([
    ...['', ' ', '-', '--5', '+5', '5.', '.5', '5s', '1e3', '0x10', '1_000', '1,5', '5, 10', '٣', '５'],
    ...['NaN', 'Infinity', '-Infinity', 'soon', 'null', '5\r\n6', '5 apples'],
    ...['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 08:49:37 +0000'],
    ...['Sun, 06 Nov 1994 08:49:37 UTC', 'sun, 06 nov 1994 08:49:37 gmt', 'Son, 06 Nov 1994 08:49:37 GMT'],
    ...['Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 31 Feb 1994 08:49:37 GMT', 'Sun, 00 Nov 1994 08:49:37 GMT'],
    ...['Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 Nov 1994 08:60:00 GMT', 'Sun, 06 Nov 1994 08:49:61 GMT'],
    ...['Sun, 06-Nov-94 08:49:37 GMT', 'Sun Nov 6 08:49:37 1994', '1994-11-06T08:49:37Z', '06 Nov 1994'],
    ...[undefined, null, true, {}, [], [[]], [['5']], Number.NaN, Number.POSITIVE_INFINITY, 5n],
  ])('%s says nothing', (header) => {
    expect(parseRetryAfter(header, now)).toBeNull();
  });

  test('a leap second is a second', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:60 GMT', now)).toBe(60_000);
  });

  test('a year of two digits is the one nearest ahead within 50 years, else in the past', () => {
    const in2026 = Date.UTC(2026, 5, 1);
    expect(parseRetryAfter('Monday, 01-Jun-26 00:00:09 GMT', in2026)).toBe(9000);
    expect(parseRetryAfter('Monday, 01-Jun-76 00:00:00 GMT', in2026)).toBe(day);
    expect(parseRetryAfter('Monday, 01-Jun-77 00:00:00 GMT', in2026)).toBe(0);
    expect(parseRetryAfter('Friday, 01-Jan-00 00:00:05 GMT', Date.UTC(2099, 11, 31, 23, 59, 59))).toBe(6000);
  });

  test('reads back every instant that is written as a date', () => {
    const instant = fc.integer({ min: Date.UTC(1970) / 1000, max: Date.UTC(9999, 11, 31) / 1000 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 86_400 }), (second, wait) => {
        const date = new Date((second + wait) * 1000).toUTCString();
        expect(parseRetryAfter(date, second * 1000)).toBe(wait * 1000);
      }),
    );
  });

  test('answers anything with null or a whole wait within a day, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.string({ unit: 'binary' })), (header) => {
        const wait = parseRetryAfter(header, now);
        expect(wait === null || (Number.isSafeInteger(wait) && wait >= 0 && wait <= day)).toBe(true);
      }),
    );
  });
});

test('a full quota is waited for until after midnight by UTC, one mail a second', () => {
  const midnight = Date.UTC(2026, 2, 15);
  expect(quotaRetryAt(midnight - 1, 7)).toBe(midnight + 7_000);
  expect(quotaRetryAt(midnight, 7)).toBe(midnight + 86_400_000 + 7_000);
  expect(quotaRetryAt(midnight - 1, 3_600)).toBe(midnight);
  expect(quotaRetryAt(midnight - 1, 3_599)).toBe(midnight + 3_599_000);
});
