import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backOffMs, type Failure, readRetryAfter, waitBeforeNext } from './back-off.ts';

const answered = (status: number | null, more: Partial<Failure> = {}): Failure => ({
  ...{ status, isUnsent: false, isOwn: true, retryAfterMs: null },
  ...more,
});
const next = (more: object = {}) => ({
  ...{ isRepeatable: true, tries: 1, waitMaxMs: 60_000, roll: 0 },
  ...more,
});

describe('what is tried again', () => {
  test.each([null, 408, 500, 502, 503, 504])('after %s, only what may be repeated', (status) => {
    expect(waitBeforeNext(answered(status), next())).toBe(250);
    expect(waitBeforeNext(answered(status), next({ isRepeatable: false }))).toBeUndefined();
  });

  test.each([302, 400, 401, 403, 404, 405, 409, 413, 422, 501, 505])('nothing after %s', (status) => {
    expect(waitBeforeNext(answered(status), next())).toBeUndefined();
  });

  test('everything that never left', () => {
    expect(waitBeforeNext(answered(null, { isUnsent: true }), next({ isRepeatable: false }))).toBe(250);
  });

  test('everything that came too often, when it is said for how long, or when it was not Tidings that said so', () => {
    const once = next({ isRepeatable: false });
    expect(waitBeforeNext(answered(429, { retryAfterMs: 7_000 }), once)).toBe(7_000);
    expect(waitBeforeNext(answered(429, { isOwn: false }), once)).toBe(250);
    // As many watches as one address may have: waiting does not help.
    expect(waitBeforeNext(answered(429), next())).toBeUndefined();
  });

  test('nothing that should wait for longer than anybody wants to', () => {
    const busy = answered(503, { retryAfterMs: 60_001 });
    expect(waitBeforeNext(busy, next())).toBeUndefined();
    expect(waitBeforeNext(busy, next({ waitMaxMs: 60_001 }))).toBe(60_001);
  });
});

describe('how long it waits', () => {
  const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('twice as long each time up to a bound, and at random within the second half of that', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 60].map((tries) => backOffMs(tries, 0))).toEqual([
      ...[250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), roll, (tries, rolled) => {
        const [least, most] = [backOffMs(tries, 0), 2 * backOffMs(tries, 0)];
        const waitMs = backOffMs(tries, rolled);
        expect(waitMs).toBeGreaterThanOrEqual(least);
        expect(waitMs).toBeLessThanOrEqual(most);
      }),
    );
  });

  test('never less than it was asked to', () => {
    const asked = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 9 }), roll, (retryAfterMs, tries, rolled) => {
        const waitMs = waitBeforeNext(answered(503, { retryAfterMs }), next({ tries, roll: rolled })) ?? -1;
        expect(waitMs).toBeGreaterThanOrEqual(retryAfterMs);
        expect(waitMs).toBeLessThanOrEqual(retryAfterMs + 1_000);
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);

  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 3 ', 3_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['', null],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['9'.repeat(30), null],
    [null, null],
  ])('%s', (header, ms) => expect(readRetryAfter(header, now)).toBe(ms));
});
