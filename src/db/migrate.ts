import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import { codeFolder } from '../std/package-folder.ts';
import { Refusal } from '../std/refusal.ts';
import type { Database, Tx } from './database.ts';
import { type DialectName, isLocked, isLockTimeout, lockedCode } from './dialect.ts';

/**
 * Forward-only migrations: plain SQL files, one transaction each (those of an empty database are one together), one process at a time. The lock is a row with a
 * time limit, not a session's lock; each migration's transaction re-checks that it still holds it.
 */
export interface Migration {
  version: number;
  name: string;
  checksum: string;
  text: string;
}

export interface SchemaState {
  applied: number[];
  pending: Migration[];
}

const leaseMs = 60_000;
const leaseName = 'migrations';

export function readMigrations(dialect: DialectName): Migration[] {
  const folder = new URL(`db/migrations/${dialect}/`, codeFolder);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { version: Number.parseInt(file, 10), name: file.replace('.sql', ''), checksum, text };
    });
}

/** What is applied and what is not; refuses a database that this program does not understand. */
export async function schemaState(db: Database, known = readMigrations(db.dialect)): Promise<SchemaState> {
  const rows = (await hasMigrationTable(db))
    ? await db.read.selectFrom('schema_migrations').selectAll().orderBy('version').execute()
    : [];
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of rows) {
    const migration = byVersion.get(row.version);
    if (!migration) {
      throw new Refusal(
        'database_newer',
        `The database is newer than this program: it has migration ${row.name}, which this version does not know. ` +
          'Start the newer version of Tidings, or restore a back-up from before the upgrade.',
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Refusal(
        'database_differs',
        `Migration ${row.name} was applied with another text than this program has. ` +
          'Use the version of Tidings that made this database.',
      );
    }
  }
  const applied = rows.map((row) => row.version);
  return { applied, pending: known.filter((migration) => !applied.includes(migration.version)) };
}

async function hasMigrationTable(db: Database): Promise<boolean> {
  const tables =
    db.dialect === 'sqlite'
      ? sql<{
          name: string;
        }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'`
      : sql<{
          name: string;
        }>`SELECT to_regclass('schema_migrations')::text AS name WHERE to_regclass('schema_migrations') IS NOT NULL`;
  return (await tables.execute(db.read)).rows.length > 0;
}

export interface MigrateParts {
  clock: Clock;
  ids: Ids;
  onApplied?: (migration: Migration) => void;
  /** For tests: migrations other than the program's own. */
  migrations?: Migration[];
}

/** Whether what was applied has made the tables of an empty database. */
export const isFromEmpty = ([first]: readonly Migration[]): boolean => first?.version === 1;

/**
 * Makes the tables current, and answers what that took. Who only uses a database makes those of an empty one, and changes nothing
 * that others work with.
 */
export async function bringUpToDate(
  db: Database,
  which: 'all' | 'empty database only',
  parts: MigrateParts,
): Promise<Migration[]> {
  const { applied, pending } = await schemaState(db);
  if (pending.length === 0) return [];
  if (which === 'empty database only' && applied.length > 0) {
    throw new Refusal(
      'database_older',
      `The database lacks ${pending.length} of this program's migrations. Stop the older servers, then run: npx tidings migrate`,
    );
  }
  return migrate(db, parts);
}

export async function migrate(db: Database, parts: MigrateParts): Promise<Migration[]> {
  try {
    return await migrateAll(db, parts);
  } catch (error) {
    throw isLocked(error) ? new Refusal(lockedCode, String((error as Error).message)) : error;
  }
}

async function migrateAll(db: Database, parts: MigrateParts): Promise<Migration[]> {
  const known = parts.migrations ?? readMigrations(db.dialect);
  if ((await schemaState(db, known)).pending.length === 0) return [];
  await createOwnTables(db);
  const holder = parts.ids.uuid();
  await takeLease(db, holder, parts.clock);
  const applied: Migration[] = [];
  try {
    // Asked again under the lease: another process may have done it while this one waited.
    const state = await schemaState(db, known);
    // An empty database has nothing that could be kept from half of the way: one commit instead of one each, which somebody waits for at their first start.
    const steps =
      state.applied.length === 0 ? [state.pending] : state.pending.map((migration) => [migration]);
    for (const step of steps) {
      await db.transaction(async (tx) => {
        for (const migration of step) await apply(db, tx, migration, holder, parts.clock);
      });
      applied.push(...step);
      for (const migration of step) parts.onApplied?.(migration);
    }
  } finally {
    await db.transaction((tx) =>
      tx.deleteFrom('leases').where('name', '=', leaseName).where('holder', '=', holder).execute(),
    );
  }
  return applied;
}

/** Two processes may start on an empty database at once: on PostgreSQL even IF NOT EXISTS can then collide. */
async function createOwnTables(db: Database): Promise<void> {
  const text = `
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS leases (
      name TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL
    );`;
  try {
    await db.transaction((tx) => db.script(text, tx));
  } catch (error) {
    if ((error as { code?: unknown })?.code === '42501') {
      const sentence =
        'The user of DATABASE_URL may not make tables. As its owner: GRANT CREATE ON SCHEMA public TO that user.';
      throw new Refusal('database_forbidden', sentence);
    }
    if (!(await hasMigrationTable(db))) throw error;
  }
}

async function takeLease(db: Database, holder: string, clock: Clock): Promise<void> {
  const isTaken = (tx: Tx) => {
    const now = clock.now();
    return tx
      .insertInto('leases')
      .values({ name: leaseName, holder, until: now + leaseMs })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ holder, until: now + leaseMs })
          .where('leases.until', '<', now),
      )
      .returning('holder')
      .executeTakeFirst();
  };
  const giveUpAt = clock.monotonic() + 2 * leaseMs;
  // Whoever makes an empty database holds the row itself for as long as that takes: to have waited for it in vain is not to have it, either.
  const notTaken = (error: unknown) => {
    if (!isLockTimeout(error)) throw error;
  };
  while (!(await db.transaction(isTaken).catch(notTaken))) {
    if (clock.monotonic() > giveUpAt) {
      throw new Refusal(
        'migration_locked',
        'Another process has been migrating this database for two minutes. Wait for it, or end it, and start again.',
      );
    }
    await clock.sleep(100);
  }
}

async function apply(
  db: Database,
  tx: Tx,
  migration: Migration,
  holder: string,
  clock: Clock,
): Promise<void> {
  const held = await tx
    .updateTable('leases')
    .set({ until: clock.now() + leaseMs })
    .where('name', '=', leaseName)
    .where('holder', '=', holder)
    .returning('holder')
    .executeTakeFirst();
  if (!held) throw new Error(`migration ${migration.name}: another process took the lease over`);
  await db.script(migration.text, tx);
  const { version, name, checksum } = migration;
  await tx
    .insertInto('schema_migrations')
    .values({ version, name, checksum, applied_at: clock.now() })
    .execute();
}
