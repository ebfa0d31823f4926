import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type DialectName, sqlitePathOf } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';

/** A database that nobody else uses. */
export interface OwnDatabase {
  url: string;
  drop(): Promise<void>;
}

const postgresUrl = process.env.TIDINGS_TEST_POSTGRES_URL;

export const hasPostgres = postgresUrl !== undefined;

export async function emptyDatabase(dialect: DialectName): Promise<OwnDatabase> {
  if (dialect === 'sqlite') {
    const root = process.env.TIDINGS_TEST_TMP ?? tmpdir();
    mkdirSync(root, { recursive: true });
    const folder = mkdtempSync(join(root, 'tidings-'));
    return {
      url: `sqlite:${join(folder, 'test.db')}`,
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  if (!postgresUrl) throw new Error('TIDINGS_TEST_POSTGRES_URL is not set; run the tests with npm test');
  const name = `tidings_test_${systemIds.uuid().replaceAll('-', '')}`;
  await connected(postgresUrl, (query) => query(`CREATE DATABASE ${name}`));
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    await connected(postgresUrl, (query) => query(`DROP DATABASE ${name} WITH (FORCE)`));
  };
  return { url: url.href, drop };
}

/** With all tables, and nothing in them. */
export async function migratedDatabase(dialect: DialectName): Promise<OwnDatabase & { db: Database }> {
  return dialect === 'sqlite' ? copiedFile() : sweptDatabase();
}

/** To make the tables takes longer than most tests: they are made once a process, and copied. Only the namespace is a new one. */
async function copiedFile(): Promise<OwnDatabase & { db: Database }> {
  migratedFile ??= makeMigratedFile();
  const file = await migratedFile;
  const own = await emptyDatabase('sqlite');
  writeFileSync(sqlitePathOf(own.url), file);
  const db = await openDatabase(own.url, { clock: systemClock, log: silentLog });
  await db.write.updateTable('instance').set({ namespace: systemIds.uuid() }).execute();
  return { ...own, db };
}

let migratedFile: Promise<Buffer> | undefined;

async function makeMigratedFile(): Promise<Buffer> {
  const { url, drop } = await emptyDatabase('sqlite');
  try {
    const db = await openDatabase(url, { clock: systemClock, log: silentLog });
    await migrate(db, { clock: systemClock, ids: systemIds });
    await db.close();
    return readFileSync(sqlitePathOf(url));
  } finally {
    await drop();
  }
}

/** What a test leaves behind is swept, and the next test of its file gets it, unless something else than rows has changed. */
async function sweptDatabase(): Promise<OwnDatabase & { db: Database }> {
  const swept = left.pop() ?? (await makeSweepable());
  const { url, shape, broom } = swept;
  const db = await openDatabase(url, { clock: systemClock, log: silentLog });
  const drop = async () => {
    const isSwept = await sweep(broom.query, shape).catch(() => false);
    if (isSwept) left.push(swept);
    else await swept.drop();
  };
  return { url, drop, db };
}

interface Sweepable extends OwnDatabase {
  shape: string;
  /** Kept open: to begin a session and to look up what there is takes longer than to sweep it. */
  broom: Broom;
}

const left: Sweepable[] = [];

async function makeSweepable(): Promise<Sweepable> {
  const own = await emptyDatabase('postgres');
  const db = await openDatabase(own.url, { clock: systemClock, log: silentLog });
  await migrate(db, { clock: systemClock, ids: systemIds });
  await db.close();
  const broom = await connect(own.url);
  const drop = async () => {
    await broom.end();
    await own.drop();
  };
  return { url: own.url, drop, shape: await shapeOf(broom.query), broom };
}

/** At the end of a file: nobody else will come for them. */
export async function dropSwept(): Promise<void> {
  for (const { drop } of left.splice(0)) await drop();
}

/** All that is not swept: tables and what belongs to them, and the two tables whose rows are made with them. */
const shape = `
  SELECT md5(string_agg(line, ' ' ORDER BY line)) AS shape FROM (
    SELECT pg_get_indexdef(oid) AS line FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'i'
    UNION ALL SELECT attrelid::regclass || ' ' || attname || ' ' || atttypid || ' ' || attnotnull || ' ' || attisdropped
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT setconfig::text FROM pg_db_role_setting
    UNION ALL SELECT instance::text FROM instance
    UNION ALL SELECT schema_migrations::text FROM schema_migrations
  ) AS lines`;

async function shapeOf(query: Query): Promise<string> {
  const [row] = await query(shape);
  return row?.shape ?? '';
}

/** Answers false where it cannot be used again. */
async function sweep(query: Query, shape: string): Promise<boolean> {
  if ((await shapeOf(query)) !== shape) return false;
  const tables = await query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relname NOT IN ('instance', 'schema_migrations') ORDER BY oid DESC`,
  );
  // What somebody still holds is not waited for.
  await query("SET lock_timeout = '500ms'");
  await query(tables.map(({ relname }) => `DELETE FROM ${relname}`).join('; '));
  await query(
    `SELECT setval(oid::regclass, 1, false) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'`,
  );
  return true;
}

type Query = (statement: string) => Promise<Record<string, string>[]>;

interface Broom {
  query: Query;
  end(): Promise<void>;
}

async function connect(url: string): Promise<Broom> {
  const client = new pg.Client({ connectionString: url });
  // A test may cut all connections to its database: the next statement says so.
  client.on('error', () => {});
  await client.connect();
  return {
    query: async (statement) => (await client.query(statement)).rows ?? [],
    end: () => client.end().catch(() => {}),
  };
}

async function connected<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const { query, end } = await connect(url);
  try {
    return await work(query);
  } finally {
    await end();
  }
}
