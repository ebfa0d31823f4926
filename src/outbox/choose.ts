import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Status } from '../domain/status.ts';
import { statusList } from './rows.ts';

/** Deliveries chosen by what they have in common, for an operator who has a word for all of them at once. */
export interface Choice {
  status: readonly Status[];
  source?: string | undefined;
  occasion?: string | undefined;
  /** The code of the last error. */
  error?: string | undefined;
  /** When they were asked for. */
  createdFrom?: number | undefined;
  createdBefore?: number | undefined;
}

export interface ChosenGroup {
  status: Status;
  source: string;
  /** Null where it has no error. */
  error: string | null;
  count: number;
  /** How many of them may have been sent: an operator's word does not move these back. */
  inDoubt: number;
  lowest: number;
  highest: number;
}

/** How many there are, by status, source and error. */
export async function countChosen(db: Database, choice: Choice): Promise<ChosenGroup[]> {
  const code = codeOf(db);
  const { rows } = await sql<ChosenGroup>`
    SELECT status, source, ${code} AS error, count(*) AS count, count(first_possible_accept_at) AS "inDoubt",
      min(seq) AS lowest, max(seq) AS highest
    FROM deliveries WHERE ${conditionOf(choice, code)} GROUP BY status, source, ${code} ORDER BY count(*) DESC
  `.execute(db.read);
  return rows.map((row) => ({ ...row, count: Number(row.count), inDoubt: Number(row.inDoubt) }));
}

/** The next of them by number, from above one number up to another: what comes in meanwhile was not meant. */
export async function readChosen(
  db: Database,
  choice: Choice,
  { above, upTo, limit }: { above: number; upTo: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM deliveries
    WHERE ${conditionOf(choice, codeOf(db))} AND seq > ${above} AND seq <= ${upTo} ORDER BY seq LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ seq }) => seq);
}

/** JSON is text in both databases. */
function codeOf(db: Database): RawBuilder<string | null> {
  return db.dialect === 'postgres' ? sql`(last_error::json ->> 'code')` : sql`(last_error ->> 'code')`;
}

function conditionOf(choice: Choice, code: RawBuilder<string | null>): RawBuilder<unknown> {
  const { status, source, occasion, error, createdFrom, createdBefore } = choice;
  const conditions = [
    sql`status IN (${statusList(status)})`,
    ...(source === undefined ? [] : [sql`source = ${source}`]),
    ...(occasion === undefined ? [] : [sql`occasion = ${occasion}`]),
    ...(error === undefined ? [] : [sql`${code} = ${error}`]),
    ...(createdFrom === undefined ? [] : [sql`created_at >= ${createdFrom}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
  ];
  return sql.join(conditions, sql` AND `);
}
