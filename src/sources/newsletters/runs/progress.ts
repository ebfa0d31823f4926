import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunItemState, RunRow } from '../../../db/newsletters-schema.ts';
import { type Status, statuses, statusNames } from '../../../domain/status.ts';
import { type CanaryCounts, countCanary, isCanary } from './canary.ts';

/** How far a run is: what became of everybody on its list, with the reasons, counted when somebody asks. */
export interface RunProgress {
  /** By the state of their line. */
  items: Readonly<Record<RunItemState, number>>;
  /** Why some were not told: from the beginning, on the way, or by the outbox. */
  reasons: Readonly<Record<string, number>>;
  /** What became of the deliveries that it composed. */
  deliveries: Readonly<Partial<Record<Status, number>>>;
  /** Composed, and nobody need look at them any more; or left out. */
  done: number;
  total: number;
  /** What its first mails met; null where it has no canary, or one that has passed. */
  canary: CanaryCounts | null;
  /** When that was counted. */
  countedAt: number;
}

const unsettled: ReadonlySet<string> = new Set(statusNames.filter((status) => statuses[status].isDue));

export async function readProgress(db: Database, run: RunRow, now: number): Promise<RunProgress> {
  const { rows } = await sql<{
    state: RunItemState;
    reason: string | null;
    status: Status | null;
    code: string | null;
    count: number | string;
  }>`
    SELECT items.state, items.reason, deliveries.status, ${codeOf(db)} AS code, COUNT(*) AS count
    FROM notification_run_items AS items LEFT JOIN deliveries ON deliveries.seq = items.delivery_seq
      AND items.state = 'composed'
    WHERE items.run_id = ${run.run_id} GROUP BY 1, 2, 3, 4
  `.execute(db.read);
  const items: Record<RunItemState, number> = {
    planned: 0,
    collected: 0,
    composed: 0,
    left_out: 0,
    excluded: 0,
  };
  const reasons: Record<string, number> = {};
  const deliveries: Partial<Record<Status, number>> = {};
  let done = 0;
  for (const { state, reason, status, code, count: text } of rows) {
    const count = Number(text);
    items[state] += count;
    if (status !== null) deliveries[status] = (deliveries[status] ?? 0) + count;
    const why = state === 'composed' ? code : state === 'left_out' || state === 'excluded' ? reason : null;
    if (why !== null) reasons[why] = (reasons[why] ?? 0) + count;
    if (state === 'left_out' || (state === 'composed' && !unsettled.has(status ?? ''))) done += count;
  }
  const total = items.planned + items.collected + items.composed + items.left_out;
  const isTrying = isCanary(run) && run.status !== 'planned' && run.status !== 'expired';
  const canary = isTrying ? await countCanary(db.read, run) : null;
  return { items, reasons, deliveries, done, total, canary, countedAt: now };
}

/** Why the outbox sent nothing; what was sent needs no reason. */
function codeOf({ dialect }: Database) {
  const code =
    dialect === 'postgres'
      ? sql`deliveries.last_error::jsonb ->> 'code'`
      : sql`deliveries.last_error ->> 'code'`;
  const word = sql`COALESCE(${code}, deliveries.status)`;
  return sql`CASE WHEN deliveries.status IN ('pending', 'claimed', 'sending', 'sent', 'delivered') THEN NULL ELSE ${word} END`;
}
