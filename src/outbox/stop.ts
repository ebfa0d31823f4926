import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Log } from '../std/log.ts';
import { applyReports, type Report } from './record.ts';
import { lockDeliveries, statusList } from './rows.ts';

/**
 * Consent's hand in the outbox: what waits for somebody who must not be mailed is stopped in the transaction that says so,
 * and what an unsubscribe had stopped goes on when it is taken back. What another transaction holds at that moment is passed
 * over, not waited for: nobody can then block anybody in a circle, and the last check before a send stops it all the same.
 */
type Whose =
  | { source: string; recipient: string }
  /** Lower-cased addresses; of one source, or of every one. */
  | { addressKeys: readonly string[]; source: string | null };

export interface StopOrder {
  whose: Whose;
  event: 'unsubscribed' | 'address_suppressed';
  /** Who says so, as the story tells it. */
  actor: string;
  detail?: Readonly<Record<string, unknown>>;
}

export interface StopParts {
  dialect: DialectName;
  log: Log;
}

/** An import may hit thousands; they are moved by as many. */
const batchMax = 500;

/** Answers how many it stopped. */
export async function stopDeliveries(
  tx: Tx,
  { whose, event, ...words }: StopOrder,
  now: number,
  parts: StopParts,
): Promise<number> {
  const statuses = statusList(statusesBefore(event));
  const which = sql`deliveries.status || '' IN (${statuses})`;
  return moveAll(tx, { whose, which, reportOf: (seq) => ({ seq, event, ...words }) }, now, parts);
}

export interface ResumeOrder {
  whose: Whose;
  /** Only what was stopped from then on. */
  since: number;
  actor: string;
  detail?: Readonly<Record<string, unknown>>;
}

/** The unsubscribe is taken back: what it had stopped waits again. Answers how many. */
export async function resumeDeliveries(
  tx: Tx,
  { whose, since, ...words }: ResumeOrder,
  now: number,
  parts: StopParts,
): Promise<number> {
  const which = sql`deliveries.status || '' = 'skipped_unsubscribed' AND EXISTS (
    SELECT 1 FROM delivery_events
    WHERE delivery_seq = deliveries.seq AND delivery_events.event = 'unsubscribed' AND delivery_events.at >= ${since})`;
  return moveAll(tx, { whose, which, reportOf: (seq) => ({ seq, event: 'requeued', ...words }) }, now, parts);
}

async function moveAll(
  tx: Tx,
  { whose, which, reportOf }: { whose: Whose; which: RawBuilder<unknown>; reportOf: (seq: number) => Report },
  now: number,
  { dialect, log }: StopParts,
): Promise<number> {
  // No fact comes of it, so that there is nobody to be told.
  const parts = { dialect, log, listeners: { consent: async () => {}, source: () => undefined } };
  let moved = 0;
  for (;;) {
    // The status is hidden from the planner: it would read all that waits instead of all that is this person's.
    const { rows } = await sql<{ seq: number }>`
      SELECT deliveries.seq FROM deliveries WHERE ${ownedBy(whose, dialect)} AND ${which}
      ORDER BY deliveries.seq LIMIT ${sql.lit(batchMax)}
      ${dialect === 'postgres' ? sql`FOR UPDATE OF deliveries SKIP LOCKED` : sql``}
    `.execute(tx);
    if (rows.length === 0) return moved;
    const seqs = rows.map(({ seq }) => seq);
    const locked = await lockDeliveries(tx, dialect, seqs);
    const answers = await applyReports(tx, locked, seqs.map(reportOf), now, parts);
    const changed = answers.filter((answer) => answer.changed).length;
    moved += changed;
    // What the table does not let go would be found again for ever.
    if (rows.length < batchMax || changed === 0) return moved;
  }
}

function ownedBy(whose: Whose, dialect: DialectName) {
  if ('recipient' in whose) {
    return sql`deliveries.recipient = ${whose.recipient} AND deliveries.source = ${whose.source}`;
  }
  const keys = rowsOf(
    dialect,
    { address_key: 'text' },
    whose.addressKeys.map((address_key) => ({ address_key })),
  );
  const mine = sql`lower(deliveries.to_email) IN (SELECT address_key FROM ${keys})`;
  return whose.source === null ? mine : sql`${mine} AND deliveries.source = ${whose.source}`;
}
