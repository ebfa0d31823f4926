import { existsSync } from 'node:fs';
import { Refusal } from '../std/refusal.ts';
import { type DialectName, dialectOf, sqlitePathOf } from './dialect.ts';

/**
 * Somebody else's database, from which something is taken over: it is read and never written, on PostgreSQL in one snapshot. On SQLite
 * not even a lock is kept between two questions, which the other system might have to wait for. It knows nothing of our tables; whoever
 * asks has every value written as text, because nobody knows how the other system kept it.
 */
export interface ForeignDatabase {
  readonly dialect: DialectName;
  /** A table or view by its name in whatever case, as it is really called, with its columns; undefined where there is none. */
  table(name: string): Promise<ForeignTable | undefined>;
  query(text: string, parameters?: readonly (string | number)[]): Promise<Record<string, string | null>[]>;
  close(): Promise<void>;
}

export interface ForeignTable {
  /** Quoted, as it stands in a statement. */
  name: string;
  columns: ReadonlySet<string>;
}

export async function openForeign(url: string): Promise<ForeignDatabase> {
  return dialectIn(url) === 'sqlite' ? openForeignSqlite(sqlitePathOf(url)) : openForeignPostgres(url);
}

function dialectIn(url: string): DialectName {
  try {
    return dialectOf(url);
  } catch {
    throw new Refusal(
      'unknown_database',
      'The database to read from must look like sqlite:./old.db or postgres://user:password@host:5432/name, special signs percent-encoded.',
    );
  }
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function openForeignSqlite(path: string): Promise<ForeignDatabase> {
  if (!existsSync(path)) throw unreachable(`there is no file ${JSON.stringify(path)}`);
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const handle = new DatabaseSync(path, { readOnly: true, timeout: busyWaitMs });
  const query: ForeignDatabase['query'] = async (text, parameters = []) =>
    handle.prepare(text).all(...parameters) as Record<string, string | null>[];
  try {
    await query('SELECT count(*) FROM sqlite_master');
  } catch (error) {
    handle.close();
    throw unreachable(String((error as Error).message).slice(0, 100));
  }
  return {
    ...{ dialect: 'sqlite', query },
    async table(name) {
      const [found] = await query(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)",
        [name],
      );
      if (!found) return undefined;
      const columns = await query('SELECT name FROM pragma_table_info(?)', [found.name ?? '']);
      return tableOf(found.name, columns);
    },
    close: async () => handle.close(),
  };
}

const busyWaitMs = 10_000;

async function openForeignPostgres(url: string): Promise<ForeignDatabase> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    ...{ connectionString: url, application_name: 'tidings import', connectionTimeoutMillis: 10_000 },
  });
  // Without a listener, a server that goes away would end the process; the next question fails by itself.
  client.on('error', () => {});
  const query: ForeignDatabase['query'] = async (text, parameters = []) =>
    (await client.query(text, [...parameters])).rows;
  try {
    await client.connect();
    // Times without a zone, and those with one, are then written in the same way.
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await query("SET LOCAL TIME ZONE 'UTC'");
  } catch (error) {
    await client.end().catch(() => {});
    throw unreachable(String((error as { code?: unknown }).code ?? 'no connection'));
  }
  return {
    ...{ dialect: 'postgres', query },
    async table(name) {
      // What the search path leads to first, as an unqualified name does.
      const [found] = await query(
        `SELECT relname AS name, pg_class.oid::text AS oid FROM pg_class
         WHERE lower(relname) = lower($1) AND relkind IN ('r', 'v', 'p') AND pg_table_is_visible(pg_class.oid)
         ORDER BY relname LIMIT 1`,
        [name],
      );
      if (!found) return undefined;
      const columns = await query(
        'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped',
        [found.oid ?? ''],
      );
      return tableOf(found.name, columns);
    },
    close: () => client.end(),
  };
}

function tableOf(
  name: string | null | undefined,
  columns: readonly Record<string, string | null>[],
): ForeignTable {
  return {
    name: quoted(name ?? ''),
    columns: new Set(columns.map(({ name: column }) => (column ?? '').toLowerCase())),
  };
}

/** Never the address itself, which may hold a password. */
const unreachable = (why: string) =>
  new Refusal(
    'database_unreachable',
    `The database to read from cannot be opened (${why}). Correct its address.`,
  );
