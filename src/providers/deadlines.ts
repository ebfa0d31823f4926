import type { Clock } from '../std/clock.ts';

/**
 * The bounds of calls that are under way, watched by one sleeper for all: a timer with its signal for each of them would cost more than to
 * build the request. It sleeps only while there is a call.
 */
export interface Deadlines {
  /** `onDue` is called once, `ms` from now, unless the answer of this is called before. */
  add(ms: number, onDue: () => void): () => void;
}

/** None is added for less than `shortestMs`, so that whoever sleeps no longer than that oversleeps none. */
export function createDeadlines(clock: Clock, shortestMs: number): Deadlines {
  const waiting = new Set<{ dueAt: number; onDue: () => void }>();
  let allEnded: AbortController | undefined;

  async function watch({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      const now = clock.monotonic();
      let sleepMs = shortestMs;
      for (const deadline of [...waiting]) {
        if (deadline.dueAt > now) sleepMs = Math.min(sleepMs, deadline.dueAt - now);
        else if (waiting.delete(deadline)) deadline.onDue();
      }
      if (waiting.size === 0) break;
      // Whole ones: what is left of a fraction may be too little for the clock to move.
      await clock.sleep(Math.ceil(sleepMs), signal);
    }
    if (allEnded?.signal === signal) allEnded = undefined;
  }

  return {
    add(ms, onDue) {
      const deadline = { dueAt: clock.monotonic() + ms, onDue };
      waiting.add(deadline);
      if (!allEnded) {
        allEnded = new AbortController();
        void watch(allEnded);
      }
      return () => {
        if (!waiting.delete(deadline) || waiting.size > 0) return;
        allEnded?.abort('ended'); // With a reason: the one that it would make is an error with a stack, for nobody.
        allEnded = undefined;
      };
    },
  };
}
