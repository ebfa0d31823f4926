import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import { seatSource } from './fan-out.ts';

/**
 * Retention (004-57): open events go with their deliveries, when the last of those has ended and nothing was heard of it for as
 * long. Before them their deliveries, batch by batch, so that an event which a hundred thousand were told of holds nobody up; with
 * them the lists in which they were seen, and what the catalog had said. Breaking off anywhere leaves the rest for the next time.
 */
export interface ForgottenEvents {
  events: number;
  deliveries: number;
  snapshots: number;
  /** What the catalog had said. */
  words: number;
}

export interface ForgetParts {
  db: Database;
  outbox: Pick<Outbox, 'remove'>;
}

/** Deliveries, snapshots or words of one transaction. */
const rowsMax = 500;

export async function forgetEvents(
  { db, outbox }: ForgetParts,
  beforeMs: number,
  limit: number,
): Promise<ForgottenEvents> {
  const before = new Date(beforeMs).toISOString();
  let events = 0;
  let deliveries = 0;
  // Past those that cannot go yet, so that they hold back nothing behind them.
  let above = 0;
  while (events < limit) {
    const batch = await db.transaction(async (tx) => {
      const old = await oldEvents(tx, before, above, Math.min(limit - events, rowsMax));
      if (old.length === 0) return null;
      const occasions = old.map(String);
      const removed = await outbox.remove(
        { source: seatSource, occasions, before: beforeMs, limit: rowsMax },
        tx,
      );
      const left = new Set(removed.left);
      const gone = old.filter((id) => !left.has(String(id)));
      await deleteEvents(tx, db.dialect, gone);
      return { last: old.at(-1) ?? 0, gone: gone.length, removed: removed.count };
    });
    if (batch === null) break;
    events += batch.gone;
    deliveries += batch.removed;
    // As long as deliveries go, the same events are looked at again: their last may be in the next batch.
    if (batch.removed < rowsMax) above = batch.last;
  }
  const snapshots = await inBatches((from) =>
    db.transaction((tx) => forgetSnapshots(tx, db.dialect, beforeMs, from)),
  );
  const words = await inBatches((from) => db.transaction((tx) => forgetWords(tx, db.dialect, before, from)));
  return { events, deliveries, snapshots, words };
}

/** Openings whose fan-out is not finished are not looked at: they would be told to somebody yet. */
async function oldEvents(tx: Tx, before: string, above: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ open_event_id: number }>`
    SELECT open_events.open_event_id FROM open_events
    WHERE event_at < ${before} AND open_events.open_event_id > ${above} AND NOT EXISTS (
      SELECT 1 FROM open_event_fanouts
      WHERE open_event_fanouts.open_event_id = open_events.open_event_id AND finished_at IS NULL
    )
    ORDER BY open_events.open_event_id LIMIT ${limit}
  `.execute(tx);
  return rows.map(({ open_event_id }) => open_event_id);
}

async function deleteEvents(tx: Tx, dialect: DialectName, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const gone = sql`(SELECT id FROM ${numbers(dialect, ids)})`;
  await sql`DELETE FROM open_event_fanouts WHERE open_event_id IN ${gone}`.execute(tx);
  await sql`DELETE FROM open_events WHERE open_event_id IN ${gone}`.execute(tx);
}

const numbers = (dialect: DialectName, ids: readonly number[]) =>
  rowsOf(
    dialect,
    { id: 'number' },
    ids.map((id) => ({ id })),
  );

interface Batch {
  gone: number;
  /** Where to go on; null when nothing older is left. */
  next: number | null;
}

async function inBatches(work: (above: number) => Promise<Batch>): Promise<number> {
  let gone = 0;
  for (let above: number | null = 0; above !== null; ) {
    const batch: Batch = await work(above);
    gone += batch.gone;
    above = batch.next;
  }
  return gone;
}

/** An event is dated as the list in which it was seen, give or take what it took to write it down. */
const datedApartMs = 3_600_000;

async function forgetSnapshots(
  tx: Tx,
  dialect: DialectName,
  beforeMs: number,
  above: number,
): Promise<Batch> {
  const { rows } = await sql<{ snapshot_id: number; seen_open_at: string }>`
    SELECT snapshot_id, seen_open_at FROM open_section_snapshots
    WHERE snapshot_id > ${above} ORDER BY snapshot_id LIMIT ${rowsMax}
  `.execute(tx);
  const old = rows.filter(({ seen_open_at }) => Date.parse(seen_open_at) < beforeMs);
  // Events that had to stay: only they are that old, and the index on their time finds them.
  const until = new Date(beforeMs + datedApartMs).toISOString();
  const kept = await sql<{ snapshot_id: number }>`
    SELECT DISTINCT snapshot_id FROM open_events WHERE event_at < ${until} AND snapshot_id IS NOT NULL
  `.execute(tx);
  const needed = new Set(kept.rows.map(({ snapshot_id }) => snapshot_id));
  const ids = old.map(({ snapshot_id }) => snapshot_id).filter((id) => !needed.has(id));
  if (ids.length > 0) {
    await sql`
      DELETE FROM open_section_snapshots WHERE snapshot_id IN (SELECT id FROM ${numbers(dialect, ids)})
    `.execute(tx);
  }
  return { gone: ids.length, next: old.length === rowsMax ? (rows.at(-1)?.snapshot_id ?? null) : null };
}

/** Not the last of a section: whether the next one is a flip is seen beside it. */
async function forgetWords(tx: Tx, dialect: DialectName, before: string, above: number): Promise<Batch> {
  const { rows } = await sql<{ status_event_id: number }>`
    SELECT word.status_event_id FROM section_status_events AS word
    WHERE word.status_event_id > ${above} AND word.event_at < ${before} AND word.weighed_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM section_status_events AS later
      WHERE later.section_id = word.section_id AND later.status_event_id > word.status_event_id
    )
    ORDER BY word.status_event_id LIMIT ${rowsMax}
  `.execute(tx);
  const ids = rows.map(({ status_event_id }) => status_event_id);
  if (ids.length > 0) {
    await sql`
      DELETE FROM section_status_events WHERE status_event_id IN (SELECT id FROM ${numbers(dialect, ids)})
    `.execute(tx);
  }
  return { gone: ids.length, next: ids.length === rowsMax ? (ids.at(-1) ?? null) : null };
}
