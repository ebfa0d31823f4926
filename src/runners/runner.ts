import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { QueueWatch } from './watch.ts';

/** When things run. Every runner calls the same functions; they differ in who wakes whom. */
export interface Runner {
  /** What has to be right before anything is started; refuses with what to do. */
  prepare?(): Promise<void>;
  start(): void;
  /** Work was put into the outbox: look at once. */
  wake(): void;
  /** Claims nothing more, lets what is in flight finish within a bound, gives back the rest. */
  stop(): Promise<void>;
  readonly isHealthy: boolean;
  /** Where work is shared by queues: how they are. */
  readonly queues?: QueueWatch;
}

/** The name of the lease in the database by which one process leads: it names what is due to all. */
export const leaderLease = 'queues';

/** What is in flight at a stop may finish within this; the rest is settled after the restart, by its lease. */
const stopWithinMs = 15_000;

/** Answers whether all had ended by then. */
export async function stopWithin(
  stopped: Promise<unknown>,
  { clock, log }: { clock: Clock; log: Log },
): Promise<boolean> {
  const bound = new AbortController();
  const isClean = await Promise.race([
    stopped.then(() => true),
    clock.sleep(stopWithinMs, bound.signal).then(() => false),
  ]);
  bound.abort();
  if (!isClean) log.warn('runner.stopped_in_flight', { afterMs: stopWithinMs });
  return isClean;
}
