import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../std/clock.ts';
import { createTokenBucket } from './token-bucket.ts';

describe('a token bucket', () => {
  it('gives the burst at once and then one per interval', () => {
    const bucket = createTokenBucket({ ratePerSecond: 10, burst: 3 }, createManualClock());
    const waits = Array.from({ length: 6 }, () => bucket.take(Infinity));
    expect(waits).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it('takes no token for somebody who cannot wait for it', () => {
    const bucket = createTokenBucket({ ratePerSecond: 2 }, createManualClock());
    expect(bucket.take(0)).toBe(0);
    expect(bucket.take(499)).toBeUndefined();
    expect(bucket.take(500)).toBe(500);
  });

  it('never saves up more than its burst', async () => {
    const clock = createManualClock();
    const bucket = createTokenBucket({ ratePerSecond: 10, burst: 2 }, clock);
    await clock.advance(60_000);
    expect(Array.from({ length: 3 }, () => bucket.take(Infinity))).toEqual([0, 0, 100]);
  });

  it('lets through at most burst + rate x time in any stretch of time', async () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        pauses,
        async (rate, burst, list) => {
          const clock = createManualClock();
          const bucket = createTokenBucket({ ratePerSecond: rate, burst }, clock);
          const startedAt: number[] = [];
          for (const ms of list) {
            await clock.advance(ms);
            startedAt.push(clock.monotonic() + (bucket.take(Infinity) ?? 0));
          }
          startedAt.forEach((from, first) => {
            startedAt.slice(first).forEach((until, index) => {
              // The sum of a few hundred divisions is not exact.
              expect(index + 1).toBeLessThanOrEqual(burst + ((until - from) * rate) / 1000 + 1e-6);
            });
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('keeps apart those who all missed their moment, and nobody who kept to it', async () => {
    const clock = createManualClock();
    const bucket = createTokenBucket({ ratePerSecond: 10, graceMs: 25 }, clock);
    for (const ms of [0, 100, 115, 100]) {
      await clock.advance(ms);
      expect(bucket.use()).toBe(0);
    }
    await clock.advance(1_000);
    expect(bucket.use()).toBe(0);
    expect(bucket.use()).toBe(75);
    await clock.advance(75);
    expect(bucket.use()).toBe(0);
    // What is gained by the grace is gained once.
    expect(bucket.use()).toBe(100);
  });

  it('needs a rate', () => {
    for (const ratePerSecond of [0, -1, Number.NaN]) {
      expect(() => createTokenBucket({ ratePerSecond }, createManualClock())).toThrow(RangeError);
    }
  });
});
