import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

/** A table of whole numbers, `n`: for filling another by one statement. */
export function numbers(db: Pick<Database, 'dialect'>, to: number, from = 1): RawBuilder<unknown> {
  const [first, last] = [sql.lit(from), sql.lit(to)];
  if (db.dialect === 'postgres') return sql`generate_series(${first}, ${last}) AS numbers(n)`;
  return sql`(WITH RECURSIVE numbers(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) SELECT n FROM numbers)`;
}
