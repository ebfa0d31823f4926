import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { EachRow } from '../../src/db/dialect.ts';

/** As the database's listener is told of it. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** How the database would find what this statement asks for, line by line; `settings` hold for that question alone. */
export async function planOf(
  db: Pick<Database, 'write' | 'dialect'>,
  statement: Statement | undefined,
  settings: readonly string[] = [],
): Promise<string[]> {
  if (!statement) throw new Error('the statement was not sent');
  const [first] = statement.parameters;
  const explain = db.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (COSTS OFF)';
  const { rows } = await db.write.transaction().execute(async (tx) => {
    for (const text of settings) await sql.raw(text).execute(tx);
    return tx.executeQuery<Record<string, string>>({
      query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
      queryId: { queryId: 'explain' },
      sql: `${explain} ${statement.sql}`,
      parameters: first instanceof EachRow ? (first.rows[0] ?? []) : statement.parameters,
    });
  });
  return rows.map((row) => row.detail ?? row['QUERY PLAN'] ?? '');
}
