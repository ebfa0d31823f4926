import type { Clock } from '../std/clock.ts';

/** So many requests a minute for each who asks: all of them at once, then evenly. It counts this process only. */
export interface RateLimit {
  /** 0 when the request may go on; otherwise how long to wait before it may. */
  take(who: string): number;
}

/** Addresses are free to invent; what is remembered of them is bounded. */
const rememberedMax = 10_000;

export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const requestMs = 60_000 / perMinute;
  /** When each will have all its requests back. Whoever has them all need not be remembered. */
  const fullAt = new Map<string, number>();

  function forget(now: number): void {
    for (const [who, at] of fullAt) if (at <= now) fullAt.delete(who);
    for (const who of fullAt.keys()) {
      if (fullAt.size < rememberedMax) return;
      fullAt.delete(who);
    }
  }

  return {
    take(who) {
      const now = clock.monotonic();
      const at = Math.max(now, fullAt.get(who) ?? now);
      const waitMs = at - now - (perMinute - 1) * requestMs;
      // A hair of rounding is no wait.
      if (waitMs > 1e-3) return waitMs;
      fullAt.delete(who);
      if (fullAt.size >= rememberedMax) forget(now);
      fullAt.set(who, at + requestMs);
      return 0;
    },
  };
}
