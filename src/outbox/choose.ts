import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Status } from '../domain/status.ts';
import { errorCodeIn } from './filter.ts';
import { isForgotten } from './forget.ts';
import type { OperatorVerb } from './operator.ts';
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
  /** How many of the others retention has emptied: nothing is left of them to send. */
  forgotten: number;
  lowest: number;
  highest: number;
}

/** How many there are, by status, source and error. */
export async function countChosen(db: Database, choice: Choice): Promise<ChosenGroup[]> {
  const code = errorCodeIn(db.dialect);
  const { rows } = await sql<ChosenGroup>`
    SELECT status, source, ${code} AS error, count(*) AS count,
      count(*) FILTER (WHERE first_possible_accept_at IS NOT NULL) AS "inDoubt",
      count(*) FILTER (WHERE first_possible_accept_at IS NULL AND ${isForgotten}) AS forgotten,
      min(seq) AS lowest, max(seq) AS highest
    FROM deliveries WHERE ${conditionOf(choice, code)} GROUP BY status, source, ${code} ORDER BY count(*) DESC
  `.execute(db.read);
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    inDoubt: Number(row.inDoubt),
    forgotten: Number(row.forgotten),
  }));
}

/** The next of them by number, or of those that an operator's word moves, from above one number up to another: what comes in meanwhile was not meant. */
export async function readChosen(
  db: Database,
  choice: Choice,
  { verb, above, upTo, limit }: { verb?: OperatorVerb; above: number; upTo: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM deliveries
    WHERE ${conditionOf(choice, errorCodeIn(db.dialect))} AND ${verb ? movedBy(verb) : sql`1 = 1`} AND seq > ${above} AND seq <= ${upTo} ORDER BY seq LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ seq }) => seq);
}

/** What each of them counts as is the life-cycle's; that nothing is left to send is retention's. */
function movedBy(verb: OperatorVerb): RawBuilder<unknown> {
  if (verb !== 'requeued') return sql`status IN (${statusList(statusesBefore('resolved_closed'))})`;
  return sql`status IN (${statusList(statusesBefore('requeued'))}) AND first_possible_accept_at IS NULL AND NOT ${isForgotten}`;
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
