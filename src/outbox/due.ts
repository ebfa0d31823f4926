import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { type Lane, lanes } from '../domain/delivery.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import { isDueIn, oldestDue } from './claim.ts';
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
  const groups = sources.flatMap((source) =>
    (['suspects', ...lanes] as const).map((from) => ({ source, from })),
  );
  const probes = groups.map(
    (group) => sql`SELECT ${group.source} AS source, ${sql.lit(group.from)} AS "from" WHERE EXISTS (SELECT 1
      FROM deliveries WHERE status IN (${statusList(statusesBefore('claimed'))}) AND ${isDueIn(group, now)})`,
  );
  const { rows } = await sql<DueWork>`${sql.join(probes, sql` UNION ALL `)}`.execute(db.read);
  return rows;
}

export interface DueRow {
  seq: number;
  /** Of its last claim: another one since, and it is not the same wait any more. */
  lease: number;
}

/** What is due there, oldest first, as a claim would take it; nothing is taken. */
export async function readDueRows(
  db: Database,
  work: DueWork,
  limit: number,
  now: number,
): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`${oldestDue(work, limit, now, sql`seq, lease`)}`.execute(db.read);
  return rows;
}
