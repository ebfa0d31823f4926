import { createLease } from '../../../db/lease.ts';
import type { Chore } from '../../source.ts';
import { type ListKey, listOf } from '../term.ts';
import { type Configured, createActiveLists, nameOf } from './active-lists.ts';
import type { ListAnswer } from './feed.ts';
import { afterEmpty, afterFailure, afterSuccess, freshPace, type Pace, profileOf } from './feed-pace.ts';
import { keyOf, type ListRow, readRows, rowsOfLists } from './list-rows.ts';
import { createStaleWatch, type ListStatus, statusOf } from './list-status.ts';

import { createPollList, type Polled, type PollListParts } from './poll-list.ts';

/**
 * The poller asks for every active list again and again, the one that has waited longest first, as hard as the pace allows. It
 * keeps nothing that matters in memory: whoever takes over goes on in the middle of a miss count. It tells nobody of anything but
 * by edges, in the transaction that believes them.
 */
export interface Poller {
  /** All that is due, if this process is the one that polls. Answers for how long nothing is. */
  runOnce(signal: AbortSignal): Promise<number>;
  /** At once, whoever polls otherwise, and whatever the pace: an operator asks. All lists, or one that need not be active. */
  pollNow(list?: ListKey, signal?: AbortSignal): Promise<Polled[]>;
  status(): Promise<ListStatus[]>;
  readonly chore: Chore;
}

export interface PollerParts extends PollListParts {
  /** Polled whether or not somebody watches. */
  configured: Configured;
  /** Who this process is among those that could poll. */
  holder: string;
}

/** So that a list that somebody has just begun to watch is found, and the lease is kept, whatever is due. */
const lookAgainMs = 5_000;
/** Whoever waits for the lease looks so often at least. */
const waitMinMs = 500;
/** Nobody sets the next poll so far ahead: where it is, a clock was set back. */
const nextPollMaxMs = 60_000;

export function createPoller(parts: PollerParts): Poller {
  const { db, clock, configured } = parts;
  const lists = createActiveLists({ db, clock, configured });
  const lease = createLease({ ...parts, name: 'seats poll' });
  const noticeStale = createStaleWatch(parts);
  const pollList = createPollList(parts);
  let pace = freshPace;

  const isPaused = () => pace.pausedUntil > clock.monotonic();

  async function poll(row: ListRow, signal: AbortSignal): Promise<Polled> {
    let isTrouble = false;
    const polled = await pollList(row, signal, (answer) => {
      isTrouble = true;
      pace = afterTrouble(pace, answer, clock.monotonic());
    });
    if (!isTrouble && polled.kind !== 'stopped') pace = afterSuccess(pace);
    return polled;
  }

  /** Workers share one queue; each takes the next when it has answered the last, and rested. */
  async function pollAll(
    rows: readonly ListRow[],
    mayGoOn: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<Polled[]> {
    const queue = [...rows];
    const polled: Polled[] = [];
    const work = async (worker: number) => {
      while (worker < profileOf(pace).workers && queue.length > 0) {
        if (signal.aborted || !(await mayGoOn())) return;
        const row = queue.shift();
        if (row) polled.push(await poll(row, signal));
        if (queue.length > 0) await clock.sleep(profileOf(pace).gapMs, signal);
      }
    };
    const workers = Math.min(profileOf(pace).workers, queue.length);
    const ended = await Promise.allSettled(Array.from({ length: workers }, (_, worker) => work(worker)));
    // What one of them throws keeps no other list waiting, and is told when all have ended.
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return polled;
  }

  async function runOnce(signal: AbortSignal): Promise<number> {
    const held = await lease.hold();
    if (!held.isOurs) return Math.min(Math.max(held.freeInMs, waitMinMs), lookAgainMs);
    const active = await lists.find();
    const rows = await rowsOfLists(db, active, clock.now());
    const due = isPaused() ? [] : rows.filter((row) => untilDueMs(row, clock.now()) === 0);
    const mayGoOn = async () => !isPaused() && (await lease.hold()).isOurs;
    await pollAll(due, mayGoOn, signal);
    const after = due.length === 0 ? rows : await readRows(db, active);
    noticeStale(after);
    const dueMs = Math.min(lookAgainMs, ...after.map((row) => untilDueMs(row, clock.now())));
    const pausedMs = Math.min(lookAgainMs, pace.pausedUntil - clock.monotonic());
    return Math.max(dueMs, pausedMs, profileOf(pace).gapMs);
  }

  return {
    runOnce,

    async pollNow(list, signal = new AbortController().signal) {
      const asked = list ? [listOf(list.termId, list.campusCode)] : await lists.find();
      return pollAll(await rowsOfLists(db, asked, clock.now()), async () => true, signal);
    },

    async status() {
      const active = await lists.find();
      const rows = new Map((await readRows(db, active)).map((row) => [nameOf(keyOf(row)), row]));
      const now = clock.now();
      return active
        .map((list) => statusOf(list, rows.get(nameOf(list)), now))
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    },

    chore: { name: 'seats-poll', pauseMs: 1_000, once: runOnce },
  };
}

function untilDueMs(row: ListRow, now: number): number {
  const ms = row.next_poll_at - now;
  return ms > nextPollMaxMs ? 0 : Math.max(0, ms);
}

function afterTrouble(pace: Pace, answer: ListAnswer, now: number): Pace {
  return answer.kind === 'failed' ? afterFailure(pace, now, answer.retryAfterMs) : afterEmpty(pace);
}
