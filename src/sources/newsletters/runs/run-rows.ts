import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, forUpdate, rowsOf } from '../../../db/dialect.ts';
import type { RunItemState, RunRow, RunStatus } from '../../../db/newsletters-schema.ts';
import type { Status } from '../../../domain/status.ts';

/** The rows of a run, and of whom it is for. */

/**
 * A run under a lock, if it is still in one of these states. Who works for it does so in that transaction, page by page: a pause, or
 * an end, comes between two pages and never into one.
 */
export async function lockRun(
  tx: Tx,
  dialect: DialectName,
  runId: string,
  statuses: readonly RunStatus[],
): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    SELECT * FROM notification_runs WHERE run_id = ${runId} ${forUpdate(dialect)}
  `.execute(tx);
  return rows.find(({ status }) => statuses.includes(status));
}

/** Those that somebody has to see to, oldest first. */
export async function runsAtWork(db: Database): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    SELECT * FROM notification_runs WHERE status IN ('planned', 'running') OR pass_after IS NOT NULL
    ORDER BY created_at, run_id
  `.execute(db.read);
  return rows;
}

export type RunUnderWay = Pick<
  RunRow,
  'run_id' | 'notification_type' | 'period_key' | 'status' | 'status_because' | 'eligible_count'
>;

/** Among the newest, by their index: one that halted longer ago than so many others began is found in the list. */
const lookedAtMax = 100;

export async function runsUnderWay(db: Database): Promise<RunUnderWay[]> {
  const { rows } = await sql<RunUnderWay>`
    SELECT * FROM (
      SELECT run_id, notification_type, period_key, status, status_because, eligible_count FROM notification_runs
      ORDER BY created_at DESC, run_id DESC LIMIT ${sql.lit(lookedAtMax)}
    ) AS newest WHERE status IN ('running', 'paused', 'halted')
  `.execute(db.read);
  return rows;
}

/** Statuses in which a delivery's run still has a say: what is being sent may come back to wait. */
export const undecided = sql`('pending', 'failed_transient', 'claimed', 'sending')`;

/** Whether a mail of it may still be held back, or ended. */
export async function hasUndecided(tx: Tx, runId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM notification_run_items AS items JOIN deliveries ON deliveries.seq = items.delivery_seq
    WHERE items.run_id = ${runId} AND items.state = 'composed' AND deliveries.status || '' IN ${undecided} LIMIT 1
  `.execute(tx);
  return rows.length > 0;
}

export interface Item {
  state: RunItemState;
  notification_id: string;
  user_id: string;
  period_key: string;
  place: number;
  tries: number;
  delivery_seq: number | null;
  delivery_id: string | null;
  delivery_status: Status | null;
  due_at: number | null;
}

/** With their deliveries, where they have some. */
export async function readItems(
  executor: Tx | Database['read'],
  runId: string,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<Item[]> {
  const { rows } = await sql<Item>`
    SELECT items.notification_id, items.state, items.user_id, items.period_key, items.place, items.tries, items.delivery_seq,
      deliveries.id AS delivery_id, deliveries.status AS delivery_status, deliveries.due_at
    FROM (
      SELECT * FROM notification_run_items AS items WHERE run_id = ${runId} AND ${which}
      ORDER BY items.due_at, items.place LIMIT ${limit}
    ) AS items LEFT JOIN deliveries ON deliveries.seq = items.delivery_seq
    ORDER BY items.place
  `.execute(executor);
  return rows;
}

export interface ItemChange {
  notification_id: string;
  state: RunItemState;
  reason?: string | null;
  tries?: number;
  due_at?: number;
  delivery_seq?: number | null;
}

/** One statement for a page: what became of each. */
export async function writeItems(
  tx: Tx,
  dialect: DialectName,
  runId: string,
  changes: readonly ItemChange[],
): Promise<void> {
  if (changes.length === 0) return;
  // The run stands in every row: as a condition of its own SQLite would read the whole list for every line of the page.
  const columns = {
    run_id: 'text',
    notification_id: 'text',
    state: 'text',
    reason: 'text',
    tries: 'number',
    due_at: 'number',
    delivery_seq: 'number',
  } as const;
  const rows = changes.map(({ reason = null, tries = 0, due_at = 0, delivery_seq = null, ...rest }) => ({
    ...rest,
    ...{ run_id: runId, reason, tries, due_at, delivery_seq },
  }));
  await sql`
    UPDATE notification_run_items SET state = input.state, reason = input.reason, tries = input.tries,
      due_at = input.due_at, delivery_seq = COALESCE(input.delivery_seq, notification_run_items.delivery_seq)
    FROM ${rowsOf(dialect, columns, rows)}
    WHERE notification_run_items.run_id = input.run_id
      AND notification_run_items.notification_id = input.notification_id
  `.execute(tx);
}

/**
 * Runs of one type and period begin one after the other, so that who is second finds who was first. The lock is the transaction's and
 * ends with it. SQLite's writer is alone.
 */
export async function lockKey(tx: Tx, dialect: DialectName, dedupeKey: string): Promise<void> {
  if (dialect !== 'postgres') return;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${dedupeKey}, 0))`.execute(tx);
}

export async function setRun(
  tx: Tx,
  runId: string,
  change: Partial<Omit<RunRow, 'run_id'>>,
  now: number,
): Promise<void> {
  await tx
    .updateTable('notification_runs')
    .set({ ...change, updated_at: now })
    .where('run_id', '=', runId)
    .execute();
}
