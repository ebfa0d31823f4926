import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { sqlitePathOf } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { emptyDatabase, type Kept, type OwnDatabase } from './own-database.ts';

/** To make the tables takes longer than most tests: they are made once a process, and copied. */
export async function makeKeptSqlite({ url, drop }: OwnDatabase): Promise<Kept> {
  migratedFile ??= makeMigratedFile();
  const path = sqlitePathOf(url);
  writeFileSync(path, await migratedFile);
  const db = await openDatabase(url, { clock: systemClock, log: silentLog });
  // What somebody still holds is not waited for.
  const broom = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  const sweepAll = sweepingOf(broom);
  const look = async () => [...lookAt(broom, path), ...(await settingsOf(db))].join(' ');
  sweepAll();
  const fresh = await look();
  return {
    url,
    db,
    async sweep() {
      sweepAll();
      return (await look()) === fresh;
    },
    async discard() {
      broom.close();
      await db.close();
      await drop();
    },
  };
}

/** All that is not swept and can be changed: the file itself, and its tables. */
function lookAt(broom: DatabaseSyncInstance, path: string): unknown[] {
  const { ino, mode } = statSync(path);
  const tables = broom
    .prepare(
      `SELECT schema_version, page_count, (SELECT group_concat(version || checksum) FROM schema_migrations)
        FROM pragma_schema_version, pragma_page_count`,
    )
    .get() as Record<string, unknown>;
  return [ino, mode, ...Object.values(tables)];
}

/** What a test may have told its connections. */
async function settingsOf({ read, write }: Database): Promise<unknown[]> {
  const settings = sql<Record<string, unknown>>`
    SELECT * FROM pragma_max_page_count, pragma_synchronous, pragma_foreign_keys, pragma_busy_timeout, pragma_query_only`;
  const answers = [await settings.execute(write), await settings.execute(read)];
  return answers.flatMap(({ rows }) => Object.values(rows[0] ?? {}));
}

/** All rows of those tables that have any; only the namespace is a new one. */
function sweepingOf(broom: DatabaseSyncInstance): () => void {
  const tables = broom
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('instance', 'schema_migrations')
        AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence') ORDER BY rowid DESC`,
    )
    .all() as unknown as { name: string }[];
  const isIn = tables.map(
    ({ name }, index) => `SELECT ${index} AS place WHERE EXISTS (SELECT 1 FROM ${name})`,
  );
  const filled = broom.prepare(isIn.join(' UNION ALL '));
  const deletions = tables.map(({ name }) => broom.prepare(`DELETE FROM ${name}`));
  const rename = broom.prepare('UPDATE instance SET namespace = ?, seats_feed = NULL, samples_since = NULL');
  return () => {
    broom.exec('BEGIN IMMEDIATE');
    try {
      for (const { place } of filled.all() as unknown as { place: number }[]) deletions[place]?.run();
      rename.run(systemIds.uuid());
      broom.exec('COMMIT; PRAGMA incremental_vacuum');
    } catch (error) {
      broom.exec('ROLLBACK');
      throw error;
    }
  };
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
