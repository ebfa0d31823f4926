import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

/**
 * Tables beside the outbox with the same columns, checks and indexes, into which its new rows are copied by one INSERT … SELECT each, in
 * one transaction. They are emptied before each time by `mark`.
 */
export interface BareCopy {
  mark(): Promise<Mark>;
  copySince(mark: Mark): Promise<void>;
  /** Deliveries that were copied. */
  count(): Promise<number>;
}

/** The last row of each table. */
type Mark = Readonly<Record<string, number>>;

/** With what their rows are in order by. */
const tables = { deliveries: 'seq', delivery_mails: 'delivery_seq', delivery_events: 'event_seq' };

export async function createBareCopy(db: Database): Promise<BareCopy> {
  for (const table of Object.keys(tables)) await makeCopy(db, table);
  // PostgreSQL numbers the rows of these itself, unless it is told not to.
  const asTheyAre = db.dialect === 'postgres' ? sql`OVERRIDING SYSTEM VALUE` : sql``;
  return {
    async mark() {
      const marks: Record<string, number> = {};
      for (const [table, order] of Object.entries(tables)) {
        await sql`DELETE FROM ${sql.table(`bare_${table}`)}`.execute(db.write);
        if (db.dialect === 'postgres') await sql`VACUUM ${sql.table(`bare_${table}`)}`.execute(db.write);
        const most = await ask(
          db,
          sql`SELECT coalesce(max(${sql.ref(order)}), 0) AS answer FROM ${sql.table(table)}`,
        );
        marks[table] = most;
      }
      return marks;
    },
    copySince: (marks) =>
      db.transaction(async (tx) => {
        for (const [table, order] of Object.entries(tables))
          await sql`INSERT INTO ${sql.table(`bare_${table}`)} ${asTheyAre}
            SELECT * FROM ${sql.table(table)} WHERE ${sql.ref(order)} > ${marks[table] ?? 0}`.execute(tx);
      }),
    count: () => ask(db, sql`SELECT count(*) AS answer FROM bare_deliveries`),
  };
}

async function ask(db: Database, question: RawBuilder<unknown>): Promise<number> {
  const { rows } = await (question as RawBuilder<{ answer: number }>).execute(db.write);
  return Number(rows[0]?.answer);
}

async function makeCopy(db: Database, table: string): Promise<void> {
  if (db.dialect === 'postgres') {
    await sql`CREATE TABLE ${sql.table(`bare_${table}`)} (LIKE ${sql.table(table)} INCLUDING ALL)`.execute(
      db.write,
    );
    return;
  }
  const { rows } = await sql<{ text: string }>`
    SELECT sql AS text FROM sqlite_master WHERE tbl_name = ${table} AND type IN ('table', 'index') AND sql IS NOT NULL
    ORDER BY type DESC`.execute(db.write);
  // The table's own name, and in an index also that of the index, which is unique in the whole file.
  for (const { text } of rows) {
    const named = text
      .replace(/INDEX (\w+)/, 'INDEX bare_$1')
      .replace(new RegExp(`\\b${table}\\b`), `bare_${table}`);
    await sql.raw(named).execute(db.write);
  }
}
