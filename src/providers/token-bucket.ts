import type { Clock } from '../std/clock.ts';

/** Spaces calls out: `burst` of them at once, then `ratePerSecond`. It counts this process only. */
export interface TokenBucket {
  /** How long to wait with the token that has been taken; undefined, and none is taken, if that were after `latestAt`. */
  take(latestAt: number): number | undefined;
  /**
   * Just before a token is used: how long that must still wait, or 0, and it is used. Who keeps to the moment that `take` has named
   * waits no longer; those who all missed it, because the process stood still, are kept apart once more.
   */
  use(): number;
}

/** What two sums of the same times may differ by; less than any clock sleeps. */
const roundingMs = 0.001;

export function createTokenBucket(
  /** `graceMs`: so much later than its moment a token may be used without a word. */
  { ratePerSecond, burst = 1, graceMs = 0 }: { ratePerSecond: number; burst?: number; graceMs?: number },
  clock: Clock,
): TokenBucket {
  if (!(ratePerSecond > 0) || !(burst >= 1))
    throw new RangeError('a bucket needs a rate above 0 and a burst of 1');
  const tokenMs = 1000 / ratePerSecond;
  let fullAt = Number.NEGATIVE_INFINITY;
  /** The same of tokens that were used. */
  let usedUpAt = Number.NEGATIVE_INFINITY;
  return {
    take(latestAt) {
      const now = clock.monotonic();
      const readyAt = Math.max(now, fullAt - (burst - 1) * tokenMs);
      if (readyAt > latestAt) return undefined;
      fullAt = Math.max(now, fullAt) + tokenMs;
      return readyAt - now;
    },
    use() {
      const now = clock.monotonic();
      const earlyMs = usedUpAt - (burst - 1) * tokenMs - graceMs - now;
      if (earlyMs > roundingMs) return earlyMs;
      usedUpAt = Math.max(now, usedUpAt) + tokenMs;
      return 0;
    },
  };
}
