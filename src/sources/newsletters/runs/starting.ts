import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import type { RunStatus } from '../../../db/newsletters-schema.ts';
import type { Clock } from '../../../std/clock.ts';
import type { BudgetData } from '../budget/budget-data.ts';
import { type CandidateOrder, candidates } from './candidates.ts';
import { type CanaryOrder, periodOfDataset, type RunOrder } from './run-order.ts';
import { lockKey, lockRun, setRun } from './run-rows.ts';

/** How a run begins: its row and its list, in one transaction; or a plan, as it was made. */
export interface StartParts {
  db: Database;
  budget: Pick<BudgetData, 'datasets'>;
  clock: Clock;
}

export async function candidateOrderOf(
  { type, period }: RunOrder,
  { db, budget }: StartParts,
): Promise<CandidateOrder> {
  if (type !== 'alert_series_static') return { type, periodKey: period.key };
  const rows = await db.read
    .selectFrom('notifications')
    .select('dataset_id')
    .distinct()
    .where('notification_type', '=', type)
    .where('dataset_id', 'is not', null)
    .execute();
  const datasets = await budget.datasets(rows.map(({ dataset_id }) => dataset_id ?? ''));
  const byDataset = new Map(
    [...datasets.values()].map(({ id, frequency }) => [id, periodOfDataset(frequency, period).key]),
  );
  return { type, periodKey: { byDataset } };
}

export async function countEligible(
  db: Database,
  order: CandidateOrder,
  limit: number | null,
): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    SELECT COUNT(*) AS count FROM (
      SELECT 1 FROM (${candidates(db.dialect, order)}) AS candidates WHERE reason IS NULL ${limited(limit)}
    ) AS eligible
  `.execute(db.read);
  return Number(rows[0]?.count ?? 0);
}

const limited = (limit: number | null) => (limit === null ? sql`` : sql`LIMIT ${limit}`);

export interface NewRun {
  runId: string;
  order: RunOrder;
  status: Extract<RunStatus, 'planned' | 'running'>;
  /** Null for a forced one and for a plan. */
  dedupeKey: string | null;
  isForced: boolean;
  canary: CanaryOrder | null;
  planExpiresAt: number | null;
  by: string;
  traceId: string;
}

export const dedupeKeyOf = (type: string, periodKey: string) => `collect-${type}-${periodKey}`;

/** Answers how many are to be told; undefined where a run with the same key was there first. */
export async function insertRun(
  tx: Tx,
  run: NewRun,
  among: CandidateOrder,
  { db, clock }: StartParts,
): Promise<number | undefined> {
  const now = clock.now();
  const { order, canary } = run;
  if (run.dedupeKey !== null) await lockKey(tx, db.dialect, run.dedupeKey);
  const { rows } = await sql<{ run_id: string }>`
    INSERT INTO notification_runs (run_id, notification_type, period_key, status, dedupe_key, is_forced, limit_to,
      eligible_count, canary_size, canary_bounces_max, canary_wait_ms, plan_expires_at, created_by, created_at, updated_at, trace_id)
    VALUES (${run.runId}, ${order.type}, ${order.period.key}, ${run.status}, ${run.dedupeKey}, ${run.isForced ? 1 : 0}, ${order.limit},
      0, ${canary?.size ?? null}, ${canary?.bouncesMax ?? null}, ${canary?.waitMs ?? null}, ${run.planExpiresAt}, ${run.by}, ${now}, ${now}, ${run.traceId})
    ON CONFLICT DO NOTHING RETURNING run_id
  `.execute(tx);
  if (rows.length === 0) return undefined;
  const list = candidates(db.dialect, among);
  const eligible = await insertItems(
    tx,
    sql`
      SELECT ${run.runId}, notification_id, place, user_id, period_key, 'planned', CAST(NULL AS TEXT) FROM (${numbered(list)}) AS ranked
      WHERE ${order.limit === null ? sql`true` : sql`place <= ${order.limit}`}`,
  );
  if (run.status === 'planned') {
    // Who would not get it, and why: for whoever reads the plan.
    await insertItems(
      tx,
      sql`
        SELECT ${run.runId}, notification_id, CAST(NULL AS ${integer(db)}), user_id, period_key, 'excluded', COALESCE(reason, 'over_limit')
        FROM (${list}) AS candidates WHERE true`,
    );
  }
  await tx
    .updateTable('notification_runs')
    .set({ eligible_count: eligible })
    .where('run_id', '=', run.runId)
    .execute();
  return eligible;
}

/** The list as it was made. False where it is no plan any more, or was one for too long. */
export async function applyPlan(
  tx: Tx,
  runId: string,
  { by, canary }: { by: string; canary: CanaryOrder | null },
  { db, clock }: StartParts,
): Promise<boolean> {
  const run = await lockRun(tx, db.dialect, runId, ['planned']);
  if (!run || (run.plan_expires_at ?? 0) <= clock.now()) return false;
  const key = dedupeKeyOf(run.notification_type, run.period_key);
  await lockKey(tx, db.dialect, key);
  const runs = tx.selectFrom('notification_runs').select('run_id');
  const other = await runs.where('dedupe_key', '=', key).executeTakeFirst();
  const now = clock.now();
  await setRun(
    tx,
    runId,
    {
      ...{ status: 'running', applied_at: now, status_because: `applied by ${by}` },
      dedupe_key: other ? null : key,
      ...(canary && {
        ...{ canary_size: canary.size, canary_bounces_max: canary.bouncesMax },
        canary_wait_ms: canary.waitMs,
      }),
    },
    now,
  );
  return true;
}

/** Those of whom nothing could be told before come last: with a limit, they would keep all others from ever being told. */
const numbered = (list: RawBuilder<unknown>) => sql`
  SELECT notification_id, user_id, period_key, ROW_NUMBER() OVER (ORDER BY was_tried, notification_id) AS place
  FROM (${list}) AS candidates WHERE reason IS NULL`;

const integer = ({ dialect }: Database) => sql.raw(dialect === 'postgres' ? 'BIGINT' : 'INTEGER');

/** Those who are on the list keep their line. */
async function insertItems(tx: Tx, rows: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO notification_run_items (run_id, notification_id, place, user_id, period_key, state, reason)
    ${rows} ON CONFLICT DO NOTHING
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}
