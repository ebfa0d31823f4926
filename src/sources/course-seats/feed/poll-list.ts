import type { Database, Tx } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import type { Log } from '../../../std/log.ts';
import type { Random } from '../../../std/random.ts';
import type { Edge, OpenEvents } from '../events/open-events.ts';
import type { ListKey } from '../term.ts';
import type { Feed, FeedFailure, ListAnswer } from './feed.ts';
import { emptyPauseMs, untilNextPollMs } from './feed-pace.ts';
import { createListBeliefs, type KnownList } from './list-beliefs.ts';
import { keyOf, type ListRow, versionAfter, writeIndexes, writeRow, writeSnapshot } from './list-rows.ts';
import { settleBaseline, settleForeign, settleSections } from './list-sections.ts';
import { type ListBelief, nextBelief, type Weighed, weighList } from './open-list.ts';

/**
 * One poll of one list: ask, weigh, write. Everything that follows from an answer is written in one transaction, or nothing of
 * it, and only by whoever computed it from what is still the newest version.
 */
export type Polled =
  | {
      kind: 'heard';
      list: ListKey;
      verdict: Weighed['verdict'];
      indexCount: number;
      opened: readonly string[];
      closed: readonly string[];
    }
  | { kind: 'failed'; list: ListKey; code: string; message: string; retryAfterMs?: number }
  /** Somebody else has polled it meanwhile: what they wrote stands. */
  | { kind: 'overtaken'; list: ListKey }
  | { kind: 'stopped'; list: ListKey };

export interface PollListParts {
  db: Database;
  feed: Feed;
  events: Pick<OpenEvents, 'record'>;
  clock: Clock;
  random: Random;
  ids: Ids;
  log: Log;
  /** Called after openings are committed: their fan-out need not wait for its next look. */
  onOpened?: () => void;
}

export function createPollList(parts: PollListParts) {
  const { db, feed, events, clock, random, ids, log, onOpened } = parts;
  const beliefs = createListBeliefs(parts);

  async function fail(row: ListRow, failure: FeedFailure): Promise<Polled> {
    const { code, message, retryAfterMs } = failure;
    const list = keyOf(row);
    const next_poll_at = clock.now() + untilNextPollMs(random.next());
    const change = {
      failures: row.failures + 1,
      last_error: `${code}: ${message}`.slice(0, 500),
      next_poll_at,
    };
    // Nothing was learnt of the sections, so that the version stays; nothing is locked, so that nothing is to be freed (004-30).
    await writeRow(db.write, row, change);
    // Each outage is told once, loudly.
    log[row.failures === 0 ? 'warn' : 'debug']('seats.poll_failed', { ...list, code, message, retryAfterMs });
    return { kind: 'failed', list, code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }

  /** Sections of which others think otherwise than this list; answers those that are to be closed for that. */
  async function settle(
    tx: Tx,
    list: ListKey,
    { belief, foreign, foreignRead }: KnownList,
    { verdict }: Weighed,
    next: ListBelief,
  ): Promise<string[]> {
    if (verdict === 'baseline') return settleBaseline(tx, db, list, next.open, foreign);
    if (foreignRead === 'not' || belief.baselineAt === null) return [];
    const elsewhere = [...foreign].filter((index) => belief.open.has(index));
    // It reads every section, which is most of the cost of a poll.
    const ours = foreignRead === 'others' ? await settleSections(tx, db, list, belief.open) : [];
    return [...ours, ...(await settleForeign(tx, db, list, elsewhere))];
  }

  /** May run more than once: it does nothing but use `tx`. Answers what was closed; nothing where somebody else was faster. */
  async function write(
    row: ListRow,
    answer: Heard,
    known: KnownList,
    weighed: Weighed,
    belief: ListBelief,
    change: Partial<ListRow>,
    traceId: string,
  ): Promise<readonly string[] | undefined> {
    const [list, at] = [keyOf(row), weighed.at];
    return db.transaction(async (tx) => {
      if (!(await writeRow(tx, row, change))) return undefined;
      const settled = await settle(tx, list, known, weighed, belief);
      const closed = [...new Set([...settled, ...weighed.closed])];
      const { sourceHash: hash, indexes } = answer;
      const counts = { count: indexes.length, closed: closed.length };
      const id = await writeSnapshot(tx, list, { weighed, hash, ...counts, traceId, at });
      await writeIndexes(tx, db, list, weighed, at);
      const edges = edgesOf(weighed.opened, closed);
      const seen = { list, edges, detectedBy: 'open_sections', snapshot: { id, hash }, traceId, at } as const;
      if (edges.length > 0) await events.record(tx, seen);
      return closed;
    });
  }

  async function take(row: ListRow, answer: Heard, traceId: string): Promise<Polled> {
    const list = keyOf(row);
    const at = clock.now();
    const known = await beliefs.of(row);
    const heard = weighList(known.belief, answer.indexes, at);
    const belief = nextBelief(known.belief, heard);
    const weighed = withoutForeign(heard, known.foreign);
    const { verdict, opened } = weighed;
    const pauseMs = verdict === 'empty' ? emptyPauseMs : untilNextPollMs(random.next());
    const version = versionAfter(row, at);
    const change = {
      ...{ version, heard_at: at, source_hash: answer.sourceHash, next_poll_at: at + pauseMs },
      ...{ open_count: countOwn(belief, known.foreign), held: belief.held && JSON.stringify(belief.held) },
      ...(verdict === 'baseline' && { baseline_at: at }),
      ...trouble(row, heard, belief.open.size, answer.indexes.length),
    };
    let closed: readonly string[] | undefined;
    try {
      closed = await write(row, answer, known, weighed, belief, change, traceId);
    } catch (error) {
      beliefs.drop(list);
      throw error;
    }
    if (!closed) {
      beliefs.drop(list);
      log.debug('seats.poll_overtaken', { ...list, traceId });
      return { kind: 'overtaken', list };
    }
    beliefs.keep(list, version, belief);
    if (opened.length > 0) onOpened?.();
    tell(log, row, { verdict, opened, closed }, { ...list, traceId, indexes: answer.indexes.length });
    return { kind: 'heard', list, verdict, indexCount: answer.indexes.length, opened, closed };
  }

  /** `onTrouble` is told before anything is written: that the feed wants to be left alone must be known, whether or not the database takes the rest. */
  return async function pollList(
    row: ListRow,
    signal: AbortSignal,
    onTrouble: (answer: ListAnswer) => void,
  ): Promise<Polled> {
    const answer = await feed.openSections(keyOf(row), signal);
    // Whoever ends the process is no trouble of the feed.
    const isStopped = answer.kind === 'failed' && (signal.aborted || answer.code === 'stopped');
    if (isStopped) return { kind: 'stopped', list: keyOf(row) };
    if (answer.kind === 'failed' || answer.indexes.length === 0) onTrouble(answer);
    return answer.kind === 'list' ? take(row, answer, ids.uuid()) : fail(row, answer);
  };
}

type Heard = Extract<ListAnswer, { kind: 'list' }>;

/** What is another list's to tell is believed, and makes no edge. */
function withoutForeign(weighed: Weighed, foreign: ReadonlySet<string>): Weighed {
  const isOurs = (index: string) => !foreign.has(index);
  return { ...weighed, opened: weighed.opened.filter(isOurs), closed: weighed.closed.filter(isOurs) };
}

function countOwn({ open }: ListBelief, foreign: ReadonlySet<string>): number {
  let count = open.size;
  for (const index of foreign) if (open.has(index)) count -= 1;
  return count;
}

/** What a page and the operator are told about a list that came and was not believed. */
function trouble(
  row: ListRow,
  { verdict, opened, at }: Weighed,
  believed: number,
  listed: number,
): Partial<ListRow> {
  if (verdict === 'empty') {
    return {
      failures: row.failures + 1,
      last_error: 'empty_list: the list came empty, which is taken for an outage',
    };
  }
  if (verdict === 'held') {
    const missing = `${believed - listed} of ${believed - opened.length}`;
    const sentence = `${missing} open sections are missing at once`;
    return { failures: 0, last_error: `held_back: ${sentence}` };
  }
  return { failures: 0, last_error: null, good_at: at };
}

/** Closings first: what comes to this list from another, and is new in it, opens. */
function edgesOf(opened: readonly string[], closed: readonly string[]): Edge[] {
  return [
    ...closed.map((indexNumber) => ({ indexNumber, statusBefore: 'Open', statusAfter: 'Closed' }) as const),
    // 004-34, 004-35: new to the list or back in it, it was not open before.
    ...opened.map((indexNumber) => ({ indexNumber, statusBefore: 'Closed', statusAfter: 'Open' }) as const),
  ];
}

function tell(
  log: Log,
  row: ListRow,
  { verdict, opened, closed }: Pick<Weighed, 'verdict' | 'opened' | 'closed'>,
  fields: Record<string, unknown>,
): void {
  const counts = { ...fields, opened: opened.length, closed: closed.length };
  log.debug('seats.polled', { ...counts, verdict });
  if (verdict === 'baseline') log.info('seats.baseline_taken', fields);
  if (verdict === 'held' && row.held === null) log.warn('seats.list_held', fields);
  if (verdict === 'taken' && row.held !== null) log.info('seats.list_released', counts);
  if (verdict === 'empty' && row.failures === 0) log.warn('seats.list_empty', fields);
  if (opened.length + closed.length > 0) log.info('seats.edges_seen', counts);
}
