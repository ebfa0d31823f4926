import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { type Lane, lanes } from '../domain/delivery.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import { lapsesUntilSuspect } from './claim.ts';
import { statusList } from './rows.ts';

/** Where something waits and is due: a source and a lane of it, or its suspects. */
export interface DueWork {
  source: string;
  from: Lane | 'suspects';
}

/**
 * A look that locks and writes nothing, so that an idle worker costs a few index probes and no commit. Each probe reads at
 * most one entry of the index that the claim would use.
 */
export async function readDueWork(db: Database, sources: readonly string[], now: number): Promise<DueWork[]> {
  const waits = sql`status IN (${statusList(statusesBefore('claimed'))})`;
  const probes = sources.flatMap((source) => [
    sql`SELECT ${source} AS source, 'suspects' AS "from" WHERE EXISTS (SELECT 1 FROM deliveries
      WHERE ${waits} AND source = ${source} AND lapses >= ${sql.lit(lapsesUntilSuspect)} AND due_at <= ${now})`,
    ...lanes.map(
      (
        lane,
      ) => sql`SELECT ${source} AS source, ${sql.lit(lane)} AS "from" WHERE EXISTS (SELECT 1 FROM deliveries
        WHERE ${waits} AND source = ${source} AND lane = ${sql.lit(lane)}
          AND lapses < ${sql.lit(lapsesUntilSuspect)} AND due_at <= ${now})`,
    ),
  ]);
  const { rows } = await sql<DueWork>`${sql.join(probes, sql` UNION ALL `)}`.execute(db.read);
  return rows;
}
