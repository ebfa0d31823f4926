import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import type { Kept, OwnDatabase } from './own-database.ts';

/** What has grown by more is slow to sweep, and plans made in it are those of large tables. */
const growthMax = 16 * 1024 ** 2;

export async function makeKeptPostgres({ url, drop }: OwnDatabase): Promise<Kept> {
  const db = await openDatabase(url, { clock: systemClock, log: silentLog });
  await migrate(db, { clock: systemClock, ids: systemIds });
  const { query, end } = await connect(url);
  const fresh = await lookAt(query);
  const sweeping = await sweepingOf(query);
  return {
    url,
    db,
    async sweep() {
      const { shape, size } = await lookAt(query);
      if (shape !== fresh.shape || size > fresh.size + growthMax) return false;
      await query(sweeping);
      return true;
    },
    async discard() {
      await end();
      await db.close();
      await drop();
    },
  };
}

/**
 * Whatever is not swept and can be changed: each change leaves a row with another transaction's number in one of these. Statistics
 * are among them, because plans are made by them.
 */
const changeable = [
  ['pg_class', 'oid >= 16384'],
  ['pg_attribute', 'attrelid >= 16384'],
  ['pg_trigger', 'oid >= 16384'],
  ['pg_constraint', 'oid >= 16384'],
  ['pg_proc', 'oid >= 16384'],
  ['pg_statistic', 'starelid >= 16384'],
  ['pg_db_role_setting', 'true'],
  ['instance', 'true'],
  ['schema_migrations', 'true'],
];

const look = `
  SELECT
    (SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE oid >= 16384 AND relkind = 'r') AS size,
    concat_ws(' ', ${changeable
      .map(([table, own]) => `(SELECT count(*) || ':' || sum(xmin::text::bigint) FROM ${table} WHERE ${own})`)
      .join(', ')}) AS shape`;

async function lookAt(query: Query): Promise<{ shape: string | undefined; size: number }> {
  const [row] = await query({ name: 'look', text: look });
  return { shape: row?.shape, size: Number(row?.size) };
}

/** In one message. What somebody still holds is not waited for. */
async function sweepingOf(query: Query): Promise<string> {
  const rows = await query(
    `SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace
      AND (relkind = 'S' OR relkind = 'r' AND relname NOT IN ('instance', 'schema_migrations')) ORDER BY oid DESC`,
  );
  const statements = rows.map(({ relname, relkind }) =>
    relkind === 'S' ? `SELECT setval('${relname}', 1, false)` : `DELETE FROM ${relname}`,
  );
  return ["SET lock_timeout = '500ms'", ...statements].join('; ');
}

type Query = (statement: string | { name: string; text: string }) => Promise<Record<string, string>[]>;

interface Session {
  query: Query;
  end(): Promise<void>;
}

async function connect(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url });
  // A test may cut all connections to its database: the next statement says so.
  client.on('error', () => {});
  await client.connect();
  return {
    query: async (statement) => (await client.query(statement)).rows ?? [],
    end: () => client.end().catch(() => {}),
  };
}

export async function connected<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const { query, end } = await connect(url);
  try {
    return await work(query);
  } finally {
    await end();
  }
}
