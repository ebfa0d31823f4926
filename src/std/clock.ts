/**
 * Time as an argument. Everything that waits or dates something takes a `Clock`, so that tests and the
 * simulator decide what time it is. Only this file reads the machine's clock.
 */
export interface Clock {
  /** Milliseconds since the epoch: what goes into rows and mails. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow: what durations and deadlines inside one process are measured with. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted. It never rejects: a stop is not an error. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener('abort', finish, { once: true });
    }),
};

/** A clock that stands still until it is told to move; sleepers wake in the order of their deadlines. */
export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
}

export function createManualClock(startAt = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let sleepers: { wakeAt: number; wake: () => void }[] = [];
  return {
    now: () => startAt + elapsed,
    monotonic: () => elapsed,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = { wakeAt: elapsed + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            resolve();
          },
          { once: true },
        );
      });
    },
    async advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        const next = sleepers.sort((a, b) => a.wakeAt - b.wakeAt)[0];
        if (!next || next.wakeAt > until) break;
        elapsed = next.wakeAt;
        sleepers.shift();
        next.wake();
        // Let the woken code run to its next wait before time moves on.
        await new Promise(setImmediate);
      }
      elapsed = until;
    },
  };
}
