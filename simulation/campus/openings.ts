import { createHash } from 'node:crypto';
import type { OpenEventRow } from '../../src/db/seats-schema.ts';
import type { Clock } from '../../src/std/clock.ts';
import { skewMs, type Violate } from '../promises.ts';
import type { Story } from '../story.ts';
import { termId } from './campus.ts';
import { type Account, heldWith, isConfirmedBy, verdictOf } from './list-verdict.ts';
import type { Seats, SnapshotRow } from './seat-tables.ts';

/**
 * Openings and closings, beside the lists that were written down: a slow and obvious reading of the rules, which keeps its own
 * account of what may be believed and never asks the code that is watched.
 */
export interface OpeningWatch {
  look(before: Seats, seats: Seats): void;
  /**
   * Whether it may be believed open, by our own account. Before the first list of all, by the last that was recorded of it: an operator
   * may have said so, and whoever begins to watch then sees that on the page (8.12).
   */
  isOpenIn(list: string, index: string): boolean;
  /** The last event of a section. */
  last(index: string): OpenEventRow | undefined;
  /** The number of the last closing of a section; 0 where none was. */
  lastClosing(index: string): number;
  event(id: number): OpenEventRow | undefined;
  /** An operator has said so. */
  reported(index: string): void;
}

const windowMs = 180_000; // 004: the freshness window.
const spacingMs = 10_500; // The shortest interval: 15 s less 30 %.
const emptyPauseMs = 30_000; // 004-65
const freshMs = 60_000;
const catalogAgeMs = 900_000; // As old it may be when it is read.

interface Parts {
  violate: Violate;
  story: Story;
  clock: Clock;
  told: ReadonlyMap<string, readonly string[]>;
}

export function createOpeningWatch({ violate, story, clock, told }: Parts): OpeningWatch {
  const accounts = new Map<string, Account>();
  const lastOf = new Map<string, OpenEventRow>();
  /** The last that was not the catalog's. */
  const seen = new Map<string, OpenEventRow>();
  const openings = new Map<string, OpenEventRow>();
  const closings = new Map<string, number>();
  const byId = new Map<number, OpenEventRow>();
  const reports = new Set<string>();
  const accountOf = (list: string): Account => {
    const known = accounts.get(list) ?? { begunAt: null, open: new Map(), held: [], lastAt: 0 };
    accounts.set(list, known);
    return known;
  };

  /** A list that was written down, with the events that came of it. */
  function checkList(row: SnapshotRow, events: readonly OpenEventRow[]): void {
    const account = accountOf(row.campus_code);
    const at = Date.parse(row.seen_open_at);
    const indexes = told.get(row.source_hash);
    if (!indexes) {
      violate('an opening is real', `list ${row.snapshot_id} was never told by the feed`);
      return;
    }
    if (at < account.lastAt - 2 * skewMs) {
      violate('an opening is real', `list ${row.snapshot_id} is older than the one before it`);
    }
    account.lastAt = Math.max(at, account.lastAt);
    const listed = new Set(indexes);
    const lost = new Set([...account.open.keys()].filter((index) => !listed.has(index)));
    const fresh = indexes.filter((index) => !account.open.has(index));
    const opened = new Set(
      events.filter((each) => each.status_after === 'Open').map((each) => each.index_number),
    );
    const closed = events.filter((each) => each.status_after === 'Closed').map((each) => each.index_number);
    const expected = verdictOf(account, indexes, { lost, gained: fresh.length, at });
    if (!expected.includes(row.verdict)) {
      violate(
        row.verdict === 'taken' ? 'a closing is believed' : 'an opening is real',
        `list ${row.snapshot_id} of ${indexes.length}, which lost ${lost.size} of ${account.open.size}, is ${row.verdict}`,
      );
    }
    if (row.verdict === 'baseline' || row.verdict === 'empty') {
      // What somebody was told before the first list is closed by it, and nothing else.
      const isFirst = row.verdict === 'baseline' && account.begunAt === null;
      const isReal = (index: string) =>
        isFirst && !listed.has(index) && lastOf.get(index)?.status_after === 'Open';
      if (opened.size > 0 || !closed.every(isReal))
        violate('an opening is real', `events came of a list that is ${row.verdict}`);
      if (row.verdict === 'empty') return;
      account.begunAt = at;
      for (const index of indexes) account.open.set(index, []);
      return;
    }
    checkOpened(fresh, opened, at);
    if (row.verdict === 'held') {
      account.held = heldWith(account.held, { at, lost });
      if (closed.length > 0)
        violate('a closing is believed', `${closed[0]} was closed by a list that is held back`);
    } else {
      checkClosed(account, lost, closed, at);
      account.held = [];
    }
    for (const index of closed) account.open.delete(index);
    for (const index of indexes) account.open.set(index, []);
  }

  function checkOpened(fresh: readonly string[], opened: ReadonlySet<string>, at: number): void {
    for (const index of opened) {
      if (!fresh.includes(index))
        violate('an opening is real', `${index} was told as open, and was open before`);
    }
    for (const index of fresh) {
      const last = openings.get(index);
      const isRepeat = last === lastOf.get(index) && last && at - Date.parse(last.event_at) < windowMs;
      if (!opened.has(index) && !isRepeat) {
        violate('nobody is forgotten', `${index} is in a list again, and no opening was recorded`);
      }
    }
  }

  function checkClosed(
    account: Account,
    lost: ReadonlySet<string>,
    closed: readonly string[],
    at: number,
  ): void {
    for (const index of lost) {
      const misses = account.open.get(index) ?? [];
      const isMissedTwice = misses.some((missedAt) => Math.abs(at - missedAt) >= spacingMs);
      // By those that lack it, back to the last that did not.
      const since = account.held.findLastIndex((list) => !list.lost.has(index)) + 1;
      const isSure = isConfirmedBy(account.held.slice(since), at);
      const isClosed = closed.includes(index);
      if (isClosed && !isMissedTwice && !isSure) {
        violate(
          'a closing is believed',
          `${index} was closed after it was missed by ${misses.length + 1} lists`,
        );
      }
      if (!isClosed && isMissedTwice) {
        violate(
          'a closing is believed',
          `${index} was missed by ${misses.length + 1} lists, and is not closed`,
        );
      }
      if (!isClosed) misses.push(at);
    }
    const other = closed.find((index) => !lost.has(index));
    if (other) violate('a closing is believed', `${other} was closed by a list that names it`);
  }

  function checkOther(event: OpenEventRow, before: Seats): void {
    const { index_number: index, detected_by: by, status_after: after } = event;
    const list = index === '40001' || index.startsWith('5') ? 'ONLINE_NB' : 'NB';
    const account = accountOf(list);
    if (by === 'manual') {
      if (!reports.has(index)) violate('an opening is real', `nobody has reported ${index}`);
      if (account.open.has(index))
        violate('an opening is told once', `${index} was reported, and was open before`);
    } else {
      const word = before.words.find(
        (each) => each.index_number === index && (each.status_after === 'Open') === (after === 'Open'),
      );
      if (!word) violate('an opening is real', `${index} is ${after} by the catalog, which has not said so`);
      const row = before.lists.find((each) => each.campus_code === list);
      const isFresh = row?.held === null && (row.good_at ?? 0) >= clock.now() - freshMs + 2 * skewMs;
      const misses = account.open.get(index) ?? [];
      if (after === 'Open' && isFresh)
        violate('an opening is real', `${index} is open by the catalog, against a fresh feed`);
      if (after === 'Closed' && isFresh && misses.length === 0) {
        violate('a closing is believed', `${index} was closed by the catalog, against a fresh feed`);
      }
      const seenAt = Date.parse(seen.get(index)?.event_at ?? new Date(0).toISOString());
      const isBehind = seenAt > clock.now() - catalogAgeMs + 2 * skewMs;
      if (isBehind && (after === 'Open' || misses.length === 0)) {
        const promise = after === 'Open' ? 'an opening is real' : 'a closing is believed';
        violate(
          promise,
          `${index} is ${after} by a catalog that may be older than what was seen of it since`,
        );
      }
      if (after === 'Closed' && account.held.at(-1)?.lost.has(index) === false && row?.held !== null)
        violate(
          'a closing is believed',
          `${index} was closed by the catalog, and is in the list that is held`,
        );
    }
    if (account.begunAt === null) return;
    if (after === 'Open') account.open.set(index, []);
    else account.open.delete(index);
  }

  function checkEvent(event: OpenEventRow): void {
    const { index_number: index, status_after: after, event_at: at } = event;
    const last = lastOf.get(index);
    if (
      after === 'Open' &&
      last?.status_after === 'Open' &&
      Date.parse(at) - Date.parse(last.event_at) < windowMs
    ) {
      violate(
        'an opening is told once',
        `${index} opens twice within three minutes, and was not closed between`,
      );
    }
    if (!keysOf(event).includes(event.dedupe_key)) {
      violate('keys', `the key of open event ${event.open_event_id} is not what it is made of`);
    }
    if (event.seat_delta !== (after === 'Open' ? 1 : -1))
      violate('an opening is real', `${index}: delta ${event.seat_delta}`);
    lastOf.set(index, event);
    if (event.detected_by !== 'section_status_event') seen.set(index, event);
    byId.set(event.open_event_id, event);
    if (after === 'Open') openings.set(index, event);
    else closings.set(index, event.open_event_id);
  }

  return {
    reported: (index) => void reports.add(index),
    isOpenIn(list, index) {
      const { begunAt, open } = accountOf(list);
      return begunAt === null ? lastOf.get(index)?.status_after === 'Open' : open.has(index);
    },
    last: (index) => lastOf.get(index),
    lastClosing: (index) => closings.get(index) ?? 0,
    event: (id) => byId.get(id),
    look(before, seats) {
      for (const row of seats.snapshots) {
        checkList(
          row,
          seats.events.filter(({ snapshot_id }) => snapshot_id === row.snapshot_id),
        );
      }
      for (const event of seats.events) {
        if (event.detected_by !== 'open_sections') checkOther(event, before);
        checkEvent(event);
      }
      // Of many at once the story has the first.
      for (const { open_event_id: id, index_number, status_after, detected_by } of seats.events.slice(0, 5)) {
        story.tell(`  open event ${id}: ${index_number} is ${status_after} (${detected_by})`);
      }
      if (seats.events.length > 5) story.tell(`  and ${seats.events.length - 5} more`);
      for (const row of seats.snapshots) {
        const list = seats.lists.find(({ campus_code }) => campus_code === row.campus_code);
        const restMs = (list?.next_poll_at ?? 0) - Date.parse(row.seen_open_at);
        if (restMs < (row.verdict === 'empty' ? emptyPauseMs : spacingMs)) {
          violate(
            'the feed is spared',
            `after list ${row.snapshot_id}, which is ${row.verdict}, it is asked in ${restMs} ms`,
          );
        }
      }
      if (seats.snapshots.length > 0) checkBeliefs(seats, accounts, violate);
    },
  };
}

/** What is believed is what the lists have said, no more and no less. */
function checkBeliefs({ beliefs }: Seats, accounts: ReadonlyMap<string, Account>, violate: Violate): void {
  for (const [list, { open, begunAt }] of accounts) {
    if (begunAt === null) continue;
    const believed = beliefs.get(list) ?? new Set();
    for (const index of open.keys()) {
      if (believed.has(index)) continue;
      violate('nobody is forgotten', `${index} is in the lists of ${list}, and is not believed open`);
    }
    for (const index of believed) {
      if (open.has(index)) continue;
      violate('a closing is believed', `${index} is believed open, and ${list} has no list that says so`);
    }
  }
}

/** Spec 004's key, and those of a second or third opening within its three minutes. */
function keysOf({ campus_code, index_number, status_after, event_at }: OpenEventRow): string[] {
  const bucket = Math.floor(Date.parse(event_at) / windowMs);
  const text = [termId, campus_code, index_number, status_after, bucket].join('|');
  return ['', ...Array.from({ length: 8 }, (_, at) => `|${at + 2}`)].map((more) =>
    createHash('sha1')
      .update(text + more)
      .digest('hex'),
  );
}
