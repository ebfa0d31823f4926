import { copyFileSync, rmSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';

/** A copy of a database as an operator makes it, and the way back to it. */
export interface BackUp {
  /** In place of the database, which nobody may have open. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** `db` is closed by it where the copy needs that; open it again afterwards. */
export async function backUp(url: string, db: Database): Promise<BackUp> {
  return db.dialect === 'sqlite' ? sqliteBackUp(url, db) : postgresBackUp(url, db);
}

async function sqliteBackUp(url: string, db: Database): Promise<BackUp> {
  const path = url.replace('sqlite:', '');
  const copy = `${path}.copy`;
  await sql`VACUUM INTO ${copy}`.execute(db.write);
  await db.close();
  return {
    async restore() {
      for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true });
      copyFileSync(copy, path);
    },
    // It lies in the database's own folder, which goes with it.
    drop: async () => {},
  };
}

async function postgresBackUp(url: string, db: Database): Promise<BackUp> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  // A template may have no connections.
  await db.close();
  await administer(url, `CREATE DATABASE ${copy} TEMPLATE ${name}`);
  return {
    async restore() {
      await administer(url, `DROP DATABASE ${name} WITH (FORCE)`);
      await administer(url, `CREATE DATABASE ${name} TEMPLATE ${copy}`);
    },
    drop: () => administer(url, `DROP DATABASE ${copy} WITH (FORCE)`),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const elsewhere = new URL(url);
  elsewhere.pathname = '/postgres';
  const client = new pg.Client({ connectionString: elsewhere.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
