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
  const probes = groupsOf(sources).map(
    (group) => sql`SELECT ${group.source} AS source, ${sql.lit(group.from)} AS "from" WHERE EXISTS (SELECT 1
      FROM deliveries WHERE status IN (${statusList(statusesBefore('claimed'))}) AND ${isDueIn(group, now)})`,
  );
  const { rows } = await sql<DueWork>`${sql.join(probes, sql` UNION ALL `)}`.execute(db.read);
  return rows;
}

const groupsOf = (sources: readonly string[]): DueWork[] =>
  sources.flatMap((source) => (['suspects', ...lanes] as const).map((from) => ({ source, from })));

/** How much of it there is, for people: it reads as many entries of that index as are due. */
export async function countDue(
  db: Database,
  sources: readonly string[],
  now: number,
): Promise<(DueWork & { count: number })[]> {
  const counts = groupsOf(sources).map(
    (group) => sql`SELECT ${group.source} AS source, ${sql.lit(group.from)} AS "from", count(*) AS count
      FROM deliveries WHERE status IN (${statusList(statusesBefore('claimed'))}) AND ${isDueIn(group, now)}`,
  );
  const { rows } = await sql<DueWork & { count: number | string }>`
    ${sql.join(counts, sql` UNION ALL `)}
  `.execute(db.read);
  return rows.map((row) => ({ ...row, count: Number(row.count) })).filter(({ count }) => count > 0);
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
  const found = oldestDue(work, limit, now, sql`seq, lease`);
  const { rows } = await sql<DueRow>`${found}`.execute(db.read);
  return rows;
}
