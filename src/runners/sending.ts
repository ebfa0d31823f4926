import { type Job, RateLimitError, WaitingError } from 'bullmq';
import type { DatabaseClock } from '../db/database-clock.ts';
import { isDatabaseAway } from '../db/is-database-away.ts';
import type { Dispatch, Named } from '../dispatch/dispatch.ts';
import type { Guarantees } from '../providers/provider.ts';
import type { Log } from '../std/log.ts';
import type { OpenQueues } from './queue.ts';

/**
 * What a process does with a job of sending: as many of its rows as there are slots for, for some seconds at the most. The rest goes back to its place
 * in the queue, so that whatever is more urgent by then comes first; no attempt of anything is counted for that.
 */
export interface SendingParts {
  /** As many as jobs at once in this process. */
  dispatches: readonly Dispatch[];
  queues: OpenQueues;
  clock: DatabaseClock;
  log: Log;
  /** Told of what is really done, beside what Redis is told of it. */
  held<T>(work: Promise<T>): Promise<T>;
  stopping: AbortSignal;
}

/** Where the provider or the database wants to be left alone, everybody waits, and looks again so soon. */
const awayMs = 1_000;
/** Who has no slot looks again so soon at the latest; slots go by. */
const lookLongestMs = 500;
/** Nobody keeps a job longer than this that it gets no slots for: something more urgent may have come by then. */
const handLongestMs = 2_000;

/** One of those that send at once. */
interface Hand {
  dispatch: Dispatch;
  /** How often in a row there was no slot left for it. */
  refusals: number;
}

export function createSending({ dispatches, queues, clock, log, held, stopping }: SendingParts) {
  const hands: Hand[] = dispatches.map((dispatch) => ({ dispatch, refusals: 0 }));

  /**
   * For as long as there may be slots for it. Given back at the first refusal it would be fetched again at once, and the queue gives out no more
   * jobs a second than mails may leave: at two a second nobody would have one in hand when the next slot comes.
   */
  async function send(hand: Hand | undefined, job: Job<Named>): Promise<'done' | 'not done'> {
    if (!hand || !clock.isSteady) return holdBack(awayMs);
    const until = clock.monotonic() + handLongestMs;
    let order = job.data;
    for (;;) {
      const { handled, left, waitMs } = await held(hand.dispatch.runThese(order, stopping));
      if (left.length === 0) return 'done';
      if (left.length < order.seqs.length) {
        order = { ...order, seqs: left };
        await job.updateData(order);
      }
      if (waitMs > awayMs) return holdBack(waitMs);
      hand.refusals = handled > 0 ? 0 : hand.refusals + 1;
      await waitInHand(waitMs, hand.refusals);
      if (stopping.aborted || clock.monotonic() >= until) return 'not done';
    }
  }

  /** Nobody takes a job for so long. */
  async function holdBack(waitMs: number): Promise<never> {
    await (await queues.of('send')).rateLimit(Math.min(awayMs, Math.ceil(waitMs)));
    throw new RateLimitError();
  }

  /**
   * Not by a limit of the queue: BullMQ would have this process fetch nothing before one of its other jobs ends. Who was refused before waits
   * longer: slots are few, and hands are many.
   */
  const waitInHand = (waitMs: number, refusals: number) =>
    clock.sleep(Math.min(lookLongestMs, waitMs * 2 ** Math.max(0, refusals - 1)), stopping);

  return async (job: Job<Named>, token = ''): Promise<void> => {
    const hand = hands.pop();
    try {
      if ((await send(hand, job)) === 'done') return;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      log.debug('queue.database_away');
      return await holdBack(awayMs);
    } finally {
      if (hand) hands.push(hand);
    }
    await job.moveToWait(token);
    throw new WaitingError();
  };
}

/** Of a provider without a rate: never reached, but a limiter has to be there for `RateLimitError` to hold everybody back. */
const unlimited = 1_000_000;
const batchMax = 200;

/**
 * At most about a second of work a job, so that what is urgent waits no longer than that for a free hand; and where there is much to do, less,
 * because all processes have jobs in their hands at once.
 */
export function jobsOf({ ratePerSecond, concurrency }: Pick<Guarantees, 'ratePerSecond' | 'concurrency'>) {
  const perSecond = ratePerSecond ?? concurrency * 16;
  const rows = Math.floor(Math.max(perSecond / 4, Math.min(perSecond, 10)));
  return {
    batch: Math.max(1, Math.min(batchMax, rows)),
    // 002-P5-12. The mails' own limit is the pace in the database, which counts them and not jobs.
    limiter: {
      max: ratePerSecond === null ? unlimited : Math.max(1, Math.ceil(ratePerSecond)),
      duration: 1_000,
    },
  };
}
