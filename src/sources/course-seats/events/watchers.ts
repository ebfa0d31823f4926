import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { DeliveryWindow } from '../subscriptions/subscriptions.ts';
import type { Progress } from './fan-out.ts';

/** The statements of the fan-out. */

export interface OpenFanOut {
  openEventId: number;
  termId: string;
  indexNumber: string;
  afterSubscriptionId: number;
  dedupeKey: string;
  traceId: string;
}

/** Oldest first, each to one process at a time. */
export async function takeFanOuts(tx: Tx, dialect: DialectName, limit: number): Promise<OpenFanOut[]> {
  const { rows } = await sql<{
    open_event_id: number;
    term_id: string;
    index_number: string;
    after_subscription_id: number;
    dedupe_key: string;
    trace_id: string;
  }>`
    SELECT fanout.open_event_id, term_id, index_number, after_subscription_id, dedupe_key, trace_id
    FROM open_event_fanouts AS fanout JOIN open_events ON open_events.open_event_id = fanout.open_event_id
    WHERE fanout.finished_at IS NULL AND status_after = 'Open' ORDER BY fanout.open_event_id LIMIT ${limit}
    ${dialect === 'postgres' ? sql`FOR UPDATE OF fanout SKIP LOCKED` : sql``}
  `.execute(tx);
  return rows.map((row) => ({
    ...{ openEventId: row.open_event_id, termId: row.term_id, indexNumber: row.index_number },
    ...{ afterSubscriptionId: row.after_subscription_id, dedupeKey: row.dedupe_key, traceId: row.trace_id },
  }));
}

export interface Watcher {
  openEventId: number;
  subscriptionId: number;
  snoozeUntil: number | null;
  window: DeliveryWindow | null;
}

interface WatcherRow {
  open_event_id: number;
  subscription_id: number;
  snooze_until: number | null;
  window_start_minutes: number | null;
  window_end_minutes: number | null;
}

const openingColumns = {
  open_event_id: 'number',
  term_id: 'text',
  index_number: 'text',
  after: 'number',
} as const;

/**
 * The next `each` of every opening who are to be told, in one statement that reads no more than it answers: by the index
 * `subscriptions_watching`, from where the last page ended. All of the conditions are the specification's (004-40, 004-41, 004-43), and a
 * contact that is no address is told too: it ends at the gate, with a word why (000-44).
 */
export async function readWatchers(
  tx: Tx,
  dialect: DialectName,
  openings: readonly OpenFanOut[],
  each: number,
): Promise<Watcher[]> {
  const input = rowsOf(
    dialect,
    openingColumns,
    openings.map(({ openEventId, termId, indexNumber, afterSubscriptionId }) => ({
      ...{
        open_event_id: openEventId,
        term_id: termId,
        index_number: indexNumber,
        after: afterSubscriptionId,
      },
    })),
  );
  const columns = sql.raw('subscription_id, snooze_until, window_start_minutes, window_end_minutes');
  // 8.4: who was never told anything has no known status, and does match. `notify_on` is JSON, in which a word that only
  // contains this one has no quotation mark there.
  const next = (wanted: typeof columns) => sql`
    SELECT ${wanted} FROM subscriptions AS watching
    WHERE watching.term_id = input.term_id AND watching.index_number = input.index_number
      AND watching.subscription_id > input.after AND watching.status IN ('active', 'pending')
      AND (watching.last_known_section_status IS NULL OR watching.last_known_section_status <> 'Open')
      AND replace(watching.notify_on, '"open"', '') <> watching.notify_on
      AND (watching.max_notifications IS NULL OR watching.notifications_sent < watching.max_notifications)
    ORDER BY watching.subscription_id LIMIT ${each}`;
  // PostgreSQL goes by the average section, which few watch: it would fetch all and sort them, for every page of a section that
  // very many watch. Until the end of this transaction, in which nothing else is to be sorted.
  if (dialect === 'postgres') await sql`SET LOCAL enable_sort = off`.execute(tx);
  const { rows } =
    dialect === 'postgres'
      ? await sql<WatcherRow>`
          SELECT input.open_event_id, watcher.* FROM ${input} CROSS JOIN LATERAL (${next(columns)}) AS watcher
        `.execute(tx)
      : await sql<WatcherRow>`
          SELECT input.open_event_id, ${columns} FROM ${input} CROSS JOIN subscriptions AS watcher
          WHERE watcher.subscription_id IN (${next(sql.raw('subscription_id'))})
        `.execute(tx);
  return rows.map((row) => ({
    ...{ openEventId: row.open_event_id, subscriptionId: row.subscription_id, snoozeUntil: row.snooze_until },
    window:
      row.window_start_minutes === null || row.window_end_minutes === null
        ? null
        : { startMinutes: row.window_start_minutes, endMinutes: row.window_end_minutes },
  }));
}

export async function saveProgress(
  tx: Tx,
  dialect: DialectName,
  progress: readonly Progress[],
  now: number,
): Promise<void> {
  const columns = { open_event_id: 'number', after: 'number', finished_at: 'number' } as const;
  const rows = progress.map(({ openEventId, afterSubscriptionId, isFinished }) => ({
    ...{ open_event_id: openEventId, after: afterSubscriptionId, finished_at: isFinished ? now : null },
  }));
  await sql`
    UPDATE open_event_fanouts SET after_subscription_id = input.after, finished_at = input.finished_at
    FROM ${rowsOf(dialect, columns, rows)} WHERE open_event_fanouts.open_event_id = input.open_event_id
  `.execute(tx);
}
