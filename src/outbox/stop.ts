import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Log } from '../std/log.ts';
import { forgottenAmong } from './forget.ts';
import { importActor } from './import.ts';
import { applyReports, type Report } from './record.ts';
import { lockDeliveries, statusList } from './rows.ts';

/**
 * Consent's hand in the outbox: what waits for somebody who must not be mailed is stopped in the transaction that says so,
 * and what an unsubscribe had stopped goes on when it is taken back. To be stopped, what another transaction holds at that moment is
 * passed over, not waited for: nobody can then block anybody in a circle, and the last check before a send stops it all the same.
 */
type Whose =
  | { source: string; recipient: string }
  /** Of one source, all of them somebody's. */
  | { source: string; recipients: readonly string[] }
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
  const reportOf = ({ seq }: Found): Report => ({ seq, event, isAttempt: false, ...words });
  const lock = sql`FOR UPDATE OF deliveries SKIP LOCKED`;
  const leftOutOf = async () => new Set<number>();
  return moveAll(tx, { whose, which, detail: sql`NULL`, reportOf, lock, leftOutOf }, now, parts);
}

export interface ResumeOrder {
  whose: Whose;
  /** Only what was stopped from then on. */
  since: number;
  actor: string;
  detail?: Readonly<Record<string, unknown>>;
}

/**
 * The unsubscribe is taken back: what it had stopped waits again, until when it would have waited. What had ended so in another system
 * stays ended, and so does what retention has forgotten: its round may have left before, and nobody has its bytes. Here a row that
 * somebody holds is waited for: nobody else would bring it back. Answers how many.
 */
export async function resumeDeliveries(
  tx: Tx,
  { whose, since, ...words }: ResumeOrder,
  now: number,
  parts: StopParts,
): Promise<number> {
  const stopped = sql`FROM delivery_events WHERE delivery_events.delivery_seq = deliveries.seq
    AND delivery_events.event = 'unsubscribed' AND delivery_events.at >= ${since}
    AND delivery_events.actor <> ${importActor}`;
  const which = sql`deliveries.status || '' = 'skipped_unsubscribed' AND EXISTS (SELECT 1 ${stopped})`;
  const detail = sql`(SELECT delivery_events.detail ${stopped} ORDER BY delivery_events.event_seq DESC LIMIT 1)`;
  const reportOf = (found: Found): Report => {
    const { wasDueAt } = JSON.parse(found.detail ?? '{}') as { wasDueAt?: number };
    return { seq: found.seq, event: 'resumed', dueAt: wasDueAt ?? now, ...words };
  };
  const lock = sql`FOR UPDATE OF deliveries`;
  // Under the lock: a sweep that held one of them has forgotten it since it was looked for. And by number, because in the condition above
  // PostgreSQL would read all mails for it.
  const leftOutOf = (seqs: readonly number[]) => forgottenAmong(tx, parts.dialect, seqs);
  return moveAll(tx, { whose, which, detail, reportOf, lock, leftOutOf }, now, parts);
}

interface Found {
  seq: number;
  detail: string | null;
}

interface Move {
  whose: Whose;
  which: RawBuilder<unknown>;
  /** What `reportOf` is to know of each. */
  detail: RawBuilder<unknown>;
  reportOf: (found: Found) => Report;
  lock: RawBuilder<unknown>;
  /** Of those that are locked by now. */
  leftOutOf: (seqs: readonly number[]) => Promise<ReadonlySet<number>>;
}

async function moveAll(
  tx: Tx,
  { whose, which, detail, reportOf, lock, leftOutOf }: Move,
  now: number,
  { dialect, log }: StopParts,
): Promise<number> {
  // No fact comes of it, so that there is nobody to be told.
  const parts = { dialect, log, listeners: { consent: async () => {}, source: () => undefined } };
  let moved = 0;
  for (;;) {
    const { rows } = await sql<Found>`
      SELECT deliveries.seq, ${detail} AS detail FROM deliveries WHERE ${ownedBy(whose, dialect)} AND ${which}
      ORDER BY deliveries.seq LIMIT ${sql.lit(batchMax)} ${dialect === 'postgres' ? lock : sql``}
    `.execute(tx);
    if (rows.length === 0) return moved;
    const seqs = rows.map(({ seq }) => seq);
    const locked = await lockDeliveries(tx, dialect, seqs);
    const leftOut = await leftOutOf(seqs);
    const reports = rows.filter(({ seq }) => !leftOut.has(seq)).map(reportOf);
    const answers = await applyReports(tx, locked, reports, now, parts);
    const changed = answers.filter((answer) => answer.changed).length;
    moved += changed;
    // What the table does not let go would be found again for ever.
    if (rows.length < batchMax || changed === 0) return moved;
  }
}

/**
 * Status and source are hidden from the planners: by either they would read all that waits, or all of a source, instead of all
 * that is this person's. SQLite has no statistics to know better.
 */
function ownedBy(whose: Whose, dialect: DialectName) {
  if ('recipient' in whose) {
    return sql`deliveries.recipient = ${whose.recipient} AND deliveries.source || '' = ${whose.source}`;
  }
  if ('recipients' in whose) {
    const names = whose.recipients.map((recipient) => ({ recipient }));
    return sql`deliveries.recipient IN (SELECT recipient FROM ${rowsOf(dialect, { recipient: 'text' }, names)})
      AND deliveries.source || '' = ${whose.source}`;
  }
  const keys = rowsOf(
    dialect,
    { address_key: 'text' },
    whose.addressKeys.map((address_key) => ({ address_key })),
  );
  const mine = sql`lower(deliveries.to_email) IN (SELECT address_key FROM ${keys})`;
  return whose.source === null ? mine : sql`${mine} AND deliveries.source || '' = ${whose.source}`;
}
