import type { Clock } from './clock.ts';

/** So many requests in a time for each who asks: all of them at once, then evenly. It counts this process only. */
export interface RateLimit {
  /** 0 when the request may go on; otherwise how many ms to wait before it may. */
  take(who: string): number;
}

/** Addresses are free to invent; what is remembered of them is bounded. */
const rememberedMax = 10_000;

export function createRateLimit(most: number, perMs: number, clock: Pick<Clock, 'monotonic'>): RateLimit {
  const requestMs = perMs / most;
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
      const waitMs = at - now - (most - 1) * requestMs;
      // A hair of rounding is no wait.
      if (waitMs > 1e-3) return Math.ceil(waitMs);
      fullAt.delete(who);
      if (fullAt.size >= rememberedMax) forget(now);
      fullAt.set(who, at + requestMs);
      return 0;
    },
  };
}
