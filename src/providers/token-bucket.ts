import type { Clock } from '../std/clock.ts';

/** Spaces calls out: `burst` of them at once, then `ratePerSecond`. It counts this process only. */
export interface TokenBucket {
  /** How long to wait with the token that has been taken; undefined, and none is taken, if that were after `latestAt`. */
  take(latestAt: number): number | undefined;
}

export function createTokenBucket(
  { ratePerSecond, burst = 1 }: { ratePerSecond: number; burst?: number },
  clock: Clock,
): TokenBucket {
  if (!(ratePerSecond > 0) || !(burst >= 1))
    throw new RangeError('a bucket needs a rate above 0 and a burst of 1');
  const tokenMs = 1000 / ratePerSecond;
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    take(latestAt) {
      const now = clock.monotonic();
      const readyAt = Math.max(now, fullAt - (burst - 1) * tokenMs);
      if (readyAt > latestAt) return undefined;
      fullAt = Math.max(now, fullAt) + tokenMs;
      return readyAt - now;
    },
  };
}
