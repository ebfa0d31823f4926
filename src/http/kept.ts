import type { Clock } from '../std/clock.ts';

/** What is dear to find out is found out once in a while, however many ask. What failed is not kept: the next one asks again. */
export function keptFor<T>(ms: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (!kept || clock.monotonic() - kept.at > ms) {
      const fresh = { at: clock.monotonic(), value: read() };
      kept = fresh;
      fresh.value.catch(() => {
        if (kept === fresh) kept = undefined;
      });
    }
    return kept.value;
  };
}
