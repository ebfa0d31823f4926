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

/** Of so many things the answer is kept at a time; of others it is found out anew. */
const namesMax = 100;
/** However often it is asked for, what is dear takes at most a twentieth of the time; half a minute is the oldest that anybody is shown. */
const restsTimes = 19;
const restMsMax = 30_000;

/** The same for each of many, and the dearer the longer: of what took a fifth of a second for about four seconds, of what took nothing for `leastMs`. */
export function keptByCost<T>(
  leastMs: number,
  clock: Clock,
  read: (name: string) => Promise<T>,
): (name: string) => Promise<T> {
  const kept = new Map<string, { until: number; value: Promise<T> }>();
  return (name) => {
    const known = kept.get(name);
    if (known && clock.monotonic() <= known.until) return known.value;
    const from = clock.monotonic();
    const fresh = { until: Infinity, value: read(name) };
    kept.delete(name);
    kept.set(name, fresh);
    const [oldest] = kept.keys();
    if (kept.size > namesMax && oldest !== undefined) kept.delete(oldest);
    fresh.value.then(
      () => {
        const now = clock.monotonic();
        fresh.until = now + Math.max(leastMs, Math.min(restMsMax, (now - from) * restsTimes));
      },
      () => {
        if (kept.get(name) === fresh) kept.delete(name);
      },
    );
    return fresh.value;
  };
}
