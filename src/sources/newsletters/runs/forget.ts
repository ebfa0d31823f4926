import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';

/**
 * Retention: of what ended long ago the list goes, with everybody's name on it, and the sample. The run itself stays, so that its period
 * is not begun a second time by a click; a plan that nobody has applied goes as a whole. Breaking off anywhere leaves the rest for the
 * next time.
 */
export async function forgetRuns({ db }: { db: Database }, before: number): Promise<void> {
  const { rows } = await sql<{ run_id: string; is_plan: number }>`
    SELECT run_id, CASE WHEN plan_expires_at IS NOT NULL AND applied_at IS NULL THEN 1 ELSE 0 END AS is_plan
    FROM notification_runs AS runs
    WHERE created_at < ${before} AND ended_at < ${before} AND (
      sample IS NOT NULL OR (plan_expires_at IS NOT NULL AND applied_at IS NULL)
      OR EXISTS (SELECT 1 FROM notification_run_items AS items WHERE items.run_id = runs.run_id)
    )
    ORDER BY created_at LIMIT ${runsMax}
  `.execute(db.read);
  for (const { run_id: runId, is_plan } of rows) {
    while ((await forgetLines(db, runId)) === linesMax);
    const isPlan = Number(is_plan) === 1;
    await (isPlan
      ? db.write.deleteFrom('notification_runs').where('run_id', '=', runId).execute()
      : db.write
          .updateTable('notification_runs')
          .set({ sample: null })
          .where('run_id', '=', runId)
          .execute());
  }
}

/** A sweep comes every few minutes: so many at a time keep up with any number of runs. */
const runsMax = 20;
/** Of one transaction: SQLite's other writers wait so long. */
const linesMax = 2_000;

async function forgetLines({ write }: Database, runId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM notification_run_items WHERE run_id = ${runId} AND notification_id IN (
      SELECT notification_id FROM notification_run_items WHERE run_id = ${runId} ORDER BY notification_id LIMIT ${linesMax}
    )
  `.execute(write);
  return Number(numAffectedRows ?? 0);
}
