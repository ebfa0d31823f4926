import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { systemIds } from '../../src/std/ids.ts';
import { connected, makeKeptPostgres } from './kept-postgres.ts';
import { makeKeptSqlite } from './kept-sqlite.ts';
import { lend } from './lent-database.ts';

/** A database that nobody else uses. */
export interface OwnDatabase {
  url: string;
  drop(): Promise<void>;
}

const postgresUrl = process.env.TIDINGS_TEST_POSTGRES_URL;
/** Whoever runs the tests knows by it which ones to drop. */
const postgresPrefix = process.env.TIDINGS_TEST_POSTGRES_PREFIX ?? 'tidings_test';

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
  const name = `${postgresPrefix}_${systemIds.uuid().replaceAll('-', '')}`;
  await connected(postgresUrl, (query) => query(`CREATE DATABASE ${name}`));
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    await connected(postgresUrl, (query) => query(`DROP DATABASE ${name} WITH (FORCE)`));
  };
  return { url: url.href, drop };
}

/** One that has its tables and is open, for one test after the other. */
export interface Kept {
  url: string;
  db: Database;
  /** Leaves nothing in the tables. Answers false, or throws, where something else than rows has changed. */
  sweep(): Promise<boolean>;
  discard(): Promise<void>;
}

const left: Record<DialectName, Kept[]> = { sqlite: [], postgres: [] };

/** With all tables, and nothing in them. What a test leaves behind is swept, and the next one gets it. */
export async function migratedDatabase(dialect: DialectName): Promise<OwnDatabase & { db: Database }> {
  const make = dialect === 'sqlite' ? makeKeptSqlite : makeKeptPostgres;
  const kept = left[dialect].pop() ?? (await make(await emptyDatabase(dialect)));
  const { db, end } = lend(kept.db);
  let dropped: Promise<void> | undefined;
  const giveBack = async () => {
    await db.close();
    const isSwept = end() && (await kept.sweep().catch(() => false));
    if (isSwept) left[dialect].push(kept);
    else await kept.discard();
  };
  return {
    url: kept.url,
    db,
    drop() {
      dropped ??= giveBack();
      return dropped;
    },
  };
}

/**
 * At the end of a file its folders are gone. A PostgreSQL database takes half a second to make: the next file in this process
 * goes on with it, and whoever runs the tests drops what is left.
 */
export async function dropKept(): Promise<void> {
  for (const { discard } of left.sqlite.splice(0)) await discard();
}
