import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/**
 * A housekeeper: runs `once` again and again until it is stopped. It never dies of an exception (it is one of
 * the three places where they are caught); it logs it, waits longer each time, and goes on.
 */
export interface Loop {
  start(): void;
  /** Cuts the present pause short, e.g. because work has just been put into the outbox. */
  wake(): void;
  /** Asks for no further run and resolves when the present one has ended. */
  stop(): Promise<void>;
  /** False after a run that threw, until one succeeds, and while one takes far too long: it may hang. */
  readonly isHealthy: boolean;
}

/** What stops many loops at once, and is told by one of them. */
export interface SharedFailure {
  /** Whether this is that failure; if so, it has been told. */
  isIt(error: unknown): boolean;
  /** Who had failed for it has succeeded. */
  isOver(): void;
}

export interface LoopOptions {
  name: string;
  clock: Clock;
  log: Log;
  /**
   * Pause between runs; `once` may answer `'again'` because more is waiting, another pause in milliseconds, or `'skipped'` because it was not the time to
   * do anything, which says nothing of what had failed.
   */
  pauseMs: number;
  once: (signal: AbortSignal) => Promise<'again' | 'pause' | 'skipped' | number>;
  shared?: SharedFailure;
}

const failurePauseMaxMs = 10_000;
/** The longest that a run takes is a few calls to a provider, one after the other. */
const runLongestMs = 5 * 60_000;

export function createLoop({ name, clock, log, pauseMs, once, shared }: LoopOptions): Loop {
  const stopping = new AbortController();
  // Every mail that waits for its moment listens; Node takes more than ten of them for a leak, and says so to the user.
  setMaxListeners(0, stopping.signal);
  let pause = new AbortController();
  let running: Promise<void> | undefined;
  let failures = 0;
  let isShared = false;
  let runningSince: number | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await runOnce();
      if (stopping.signal.aborted) return;
      await clock.sleep(waitMs, pause.signal);
      if (!stopping.signal.aborted) pause = new AbortController();
    }
  }

  async function runOnce(): Promise<number> {
    runningSince = clock.monotonic();
    try {
      const next = await once(stopping.signal);
      if (next === 'skipped') return pauseMs;
      failures = 0;
      if (isShared) shared?.isOver();
      isShared = false;
      return next === 'again' ? 0 : next === 'pause' ? pauseMs : next;
    } catch (error) {
      // What a stop interrupts may well throw.
      if (stopping.signal.aborted) return 0;
      failures += 1;
      const longestMs = Math.max(failurePauseMaxMs, pauseMs);
      const waitMs = Math.min(longestMs, Math.max(pauseMs, 100) * 2 ** Math.min(failures, 10));
      isShared = shared?.isIt(error) ?? false;
      if (!isShared) log.error('loop.failed', { loop: name, failures, retryInMs: waitMs, error });
      return waitMs;
    } finally {
      runningSince = undefined;
    }
  }

  return {
    start() {
      running ??= run();
    },
    wake: () => pause.abort(),
    async stop() {
      stopping.abort();
      pause.abort();
      await running;
    },
    get isHealthy() {
      const isHanging = runningSince !== undefined && clock.monotonic() - runningSince > runLongestMs;
      return failures === 0 && !isHanging;
    },
  };
}
