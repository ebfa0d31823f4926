/**
 * Time as an argument. Everything that waits or dates something takes a `Clock`, so that tests and the
 * simulator decide what time it is. Only this file reads the machine's clock (and the log, for its own lines).
 */
export interface Clock {
  /** Milliseconds since the epoch: what goes into rows and mails. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow: what durations and deadlines inside one process are measured with. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted. It never rejects: a stop is not an error. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when what has already arrived is read and what could be written has left, and waits for nothing else. */
  nextTurn(): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    let leftMs = ms;
    do {
      await timer(Math.min(leftMs, timerMaxMs), signal);
      leftMs -= timerMaxMs;
    } while (leftMs > 0 && !signal?.aborted);
  },
  // The first ends the turn that is under way, the second a whole one.
  nextTurn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
};

const timerMaxMs = 2 ** 31 - 1; // A longer timer of Node fires at once.

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timeout = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** A clock that stands still until it is told to move; sleepers wake in the order of their deadlines. */
export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  /** How long the next sleeper still sleeps; undefined when nobody does. */
  nextWakeMs(): number | undefined;
}

export function createManualClock(startAt = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let sleepers: { wakeAt: number; wake: () => void }[] = [];
  return {
    // Whole, as the machine's: somebody may sleep for a fraction.
    now: () => startAt + Math.floor(elapsed),
    monotonic: () => elapsed,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        // Not Math.max(0, ms) alone: NaN would stay, and time would stop being a number.
        const sleeper = { wakeAt: elapsed + (ms > 0 ? ms : 0), wake };
        function wake() {
          sleepers = sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        }
        sleepers.push(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    // Not a real turn: how much real work is done by then must not depend on the machine.
    nextTurn: () => Promise.resolve(),
    nextWakeMs() {
      return sleepers.length === 0 ? undefined : Math.min(...sleepers.map(({ wakeAt }) => wakeAt)) - elapsed;
    },
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`a clock does not go backwards: ${ms}`);
      const until = elapsed + ms;
      for (;;) {
        // Let started and woken code run to its next wait before time moves on, or time would jump over it.
        await new Promise(setImmediate);
        const next = sleepers.sort((a, b) => a.wakeAt - b.wakeAt)[0];
        if (!next || next.wakeAt > until) break;
        elapsed = next.wakeAt;
        next.wake();
      }
      elapsed = until;
    },
  };
}

/** For a process that is about to end: does not keep it, and comes only where something else does. */
export function unlessEnded(ms: number, then: () => void): void {
  setTimeout(then, ms).unref();
}
