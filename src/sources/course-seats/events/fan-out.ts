import type { Database } from '../../../db/database.ts';
import type { Intent } from '../../../domain/delivery.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import type { Chore } from '../../source.ts';
import { nextWelcomeAt } from '../subscriptions/quiet-hours.ts';
import { type OpenFanOut, readWatchers, saveProgress, takeFanOuts, type Watcher } from './watchers.ts';

/**
 * From an opening to everybody who watches: page by page, each page one transaction that puts the intents into the outbox and
 * writes down how far it came. So a crash anywhere leaves out nobody and tells nobody twice, and a section that a hundred
 * thousand watch holds up no other: all openings that wait share a page. It drops nobody for the hour: quiet hours and a snooze
 * make a delivery due later, and whether the seat is still there is asked when it is.
 */
export interface FanOut {
  /** One page. Answers how many openings it took further; 0 when none waits. */
  runOnce(): Promise<number>;
  /** An opening was committed: the chore need not wait for its next look. */
  wake(): void;
  readonly chore: Chore;
}

export interface FanOutParts {
  db: Database;
  outbox: Pick<Outbox, 'enqueue'>;
  clock: Clock;
  /** The campus's: quiet hours are its clocks'. */
  timeZone: string;
  log: Log;
  /** Called after a page is committed, so that a worker in this process need not wait for its next look. */
  onEnqueued?: () => void;
}

export const seatSource = 'course-seats';

const pageMax = 1_000;
/** So that each gets at least twenty: a section has rarely more watchers, and is done at once. */
const openingsMax = 50;
/** What another process has recorded is seen this soon; in this one whoever records it wakes us. */
const pauseMs = 250;

export function createFanOut(parts: FanOutParts): FanOut {
  const { db, outbox, clock, timeZone, log, onEnqueued } = parts;
  let wakeChore = () => {};

  async function runOnce(): Promise<number> {
    const page = await db.transaction(async (tx) => {
      const openings = await takeFanOuts(tx, db.dialect, openingsMax);
      if (openings.length === 0) return { openings, enqueued: 0, finished: [] };
      const now = clock.now();
      const each = Math.floor(pageMax / openings.length);
      const watchers = await readWatchers(tx, db.dialect, openings, each);
      const byId = new Map(openings.map((opening) => [opening.openEventId, opening]));
      const intents = watchers.map((watcher) =>
        intentOf(byId.get(watcher.openEventId), watcher, now, timeZone),
      );
      await outbox.enqueue(intents, tx);
      const progress = progressOf(openings, watchers, each);
      await saveProgress(tx, db.dialect, progress, now);
      const finished = progress.filter(({ isFinished }) => isFinished).map(({ openEventId }) => openEventId);
      return { openings, enqueued: intents.length, finished };
    });
    if (page.enqueued > 0) {
      log.info('seats.fanned_out', {
        openings: page.openings.length,
        deliveries: page.enqueued,
        finished: page.finished,
      });
      onEnqueued?.();
    }
    return page.openings.length;
  }

  return {
    runOnce,
    wake: () => wakeChore(),
    chore: {
      ...{ name: 'seats-fan-out', pauseMs },
      once: async () => ((await runOnce()) > 0 ? 'again' : 'pause'),
      wokenBy(wake) {
        wakeChore = wake;
      },
    },
  };
}

/**
 * No last moment: how old an opening is does not say whether the seat is gone, and whoever puts off their quiet hours once more
 * must not lose it for that. The gate asks what is true when the mail is due.
 */
function intentOf(opening: OpenFanOut | undefined, watcher: Watcher, now: number, timeZone: string): Intent {
  if (!opening) throw new Error('fan-out: a watcher of an opening that was not asked about');
  return {
    source: seatSource,
    occasion: String(watcher.openEventId),
    recipient: String(watcher.subscriptionId),
    lane: 'urgent',
    dueAt: dueAt(watcher, now, timeZone),
    traceId: opening.traceId,
    dedupeKey: opening.dedupeKey,
  };
}

/** 004-42, 004-44: after the snooze, and within the hours in which mail is welcome. */
function dueAt(
  { snoozeUntil, window }: Pick<Watcher, 'snoozeUntil' | 'window'>,
  now: number,
  timeZone: string,
): number {
  return nextWelcomeAt(Math.max(now, snoozeUntil ?? now), window, timeZone);
}

export interface Progress {
  openEventId: number;
  afterSubscriptionId: number;
  isFinished: boolean;
}

/** Whoever got fewer watchers than could have come has had them all. */
function progressOf(openings: readonly OpenFanOut[], watchers: readonly Watcher[], each: number): Progress[] {
  const last = new Map<number, { count: number; after: number }>();
  for (const { openEventId, subscriptionId } of watchers) {
    const { count = 0, after = 0 } = last.get(openEventId) ?? {};
    last.set(openEventId, { count: count + 1, after: Math.max(after, subscriptionId) });
  }
  return openings.map(({ openEventId, afterSubscriptionId }) => {
    const { count, after } = last.get(openEventId) ?? { count: 0, after: afterSubscriptionId };
    return { openEventId, afterSubscriptionId: after, isFinished: count < each };
  });
}
