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
  /** After a stop, when the provider has answered or given up all that was still on its way: what came of it is written down, within a bound. */
  ended(): Promise<void>;
  readonly isHealthy: boolean;
  /** Where work is shared by queues: how they are. */
  readonly queues?: QueueWatch;
}

/** The name of the lease in the database by which one process leads: it names what is due to all. */
export const leaderLease = 'queues';

/** What is in flight at a stop may finish within this before the provider is closed, which ends the rest. */
const stopWithinMs = 15_000;
/** To write down the last answers; what a database does not take by then is settled after the restart, when its lease is over. */
const endWithinMs = 10_000;

type Parts = { clock: Clock; log: Log };

export async function stopWithin(stopped: Promise<unknown>, parts: Parts): Promise<void> {
  if (!(await isOverWithin(stopWithinMs, stopped, parts)))
    parts.log.warn('runner.stopped_in_flight', { afterMs: stopWithinMs });
}

export async function endWithin(ended: Promise<unknown>, parts: Parts): Promise<void> {
  if (!(await isOverWithin(endWithinMs, ended, parts)))
    parts.log.warn('runner.ended_in_flight', { afterMs: endWithinMs });
}

async function isOverWithin(ms: number, work: Promise<unknown>, { clock }: Parts): Promise<boolean> {
  const bound = new AbortController();
  const isOver = await Promise.race([work.then(() => true), clock.sleep(ms, bound.signal).then(() => false)]);
  bound.abort();
  return isOver;
}
