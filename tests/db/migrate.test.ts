import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type Migration, migrate, readMigrations, schemaState } from '../../src/db/migrate.ts';
import { createManualClock, systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { advanceUntil, emptyDatabase, onBothDatabases } from '../support/world.ts';

const open = (url: string) => openDatabase(url, { clock: systemClock, log: silentLog });
const parts = { clock: systemClock, ids: systemIds };

onBothDatabases('migrations', (dialect) => {
  let url: string;
  let drop: () => Promise<void>;
  let db: Database;
  beforeEach(async () => {
    ({ url, drop } = await emptyDatabase(dialect));
    db = await open(url);
  });
  afterEach(async () => {
    await db.close();
    await drop();
  });

  const next = (text: string): Migration => ({ version: 9001, name: '9001_next', checksum: 'x', text });

  it('002-P1-10 Run once, and again without harm', async () => {
    expect((await migrate(db, parts)).map(({ version }) => version)).toEqual(
      readMigrations(dialect).map(({ version }) => version),
    );
    expect(await migrate(db, parts)).toEqual([]);
    expect((await schemaState(db)).pending).toEqual([]);
  });

  it('several connections at once migrate an empty database once', async () => {
    const others = await Promise.all([open(url), open(url), open(url)]);
    try {
      const applied = await Promise.all([db, ...others].map((each) => migrate(each, parts)));
      expect(applied.flat()).toHaveLength(readMigrations(dialect).length);
      expect(await db.read.selectFrom('instance').selectAll().execute()).toHaveLength(1);
      expect(await db.read.selectFrom('leases').selectAll().execute()).toEqual([]);
    } finally {
      for (const other of others) await other.close();
    }
  });

  it('a database that is newer than the program is refused with a sentence', async () => {
    await migrate(db, { ...parts, migrations: [...readMigrations(dialect), next('SELECT 1;')] });
    await expect(migrate(db, parts)).rejects.toMatchObject({
      code: 'database_newer',
      message: expect.stringMatching(/newer than this program.*9001_next/),
    });
  });

  it('a migration whose text has changed since is refused', async () => {
    await migrate(db, parts);
    const changed = readMigrations(dialect).map((each) => ({ ...each, checksum: 'other' }));
    await expect(schemaState(db, changed)).rejects.toMatchObject({ code: 'database_differs' });
  });

  it('a migration that fails half-way leaves nothing behind, and the lock is free', async () => {
    await migrate(db, parts);
    const bad = next('CREATE TABLE half_done (a INTEGER); INSERT INTO no_such_table VALUES (1);');
    await expect(migrate(db, { ...parts, migrations: [...readMigrations(dialect), bad] })).rejects.toThrow(
      /no_such_table/,
    );
    expect((await schemaState(db)).applied).toHaveLength(readMigrations(dialect).length);
    const good = next('CREATE TABLE half_done (a INTEGER);');
    expect(await migrate(db, { ...parts, migrations: [...readMigrations(dialect), good] })).toHaveLength(1);
  });

  it('an empty database gets all of them or none, and a later start makes it whole', async () => {
    const bad = next('INSERT INTO no_such_table VALUES (1);');
    await expect(migrate(db, { ...parts, migrations: [...readMigrations(dialect), bad] })).rejects.toThrow(
      /no_such_table/,
    );
    expect((await schemaState(db)).applied).toEqual([]);
    expect(await migrate(db, parts)).toHaveLength(readMigrations(dialect).length);
  });

  const onPostgres = dialect === 'postgres' ? it : () => {};
  // SQLite's writer is alone in any case.
  onPostgres(
    'who starts while an empty database is made waits for that, however long it takes',
    async () => {
      const slow = next('SELECT pg_sleep(12);');
      const migrations = [...readMigrations(dialect), slow];
      const second = await open(url);
      try {
        const first = migrate(db, { ...parts, migrations });
        await systemClock.sleep(1_000);
        expect(await migrate(second, { ...parts, migrations })).toEqual([]);
        expect(await first).toHaveLength(migrations.length);
      } finally {
        await second.close();
      }
    },
    60_000,
  );

  it('the lock of a process that died is taken over when its time is over', async () => {
    await migrate(db, parts);
    const clock = createManualClock(systemClock.now());
    const until = clock.now() + 60_000;
    await db.transaction((tx) =>
      tx.insertInto('leases').values({ name: 'migrations', holder: 'dead', until }).execute(),
    );
    const waiting = migrate(db, {
      clock,
      ids: systemIds,
      migrations: [...readMigrations(dialect), next('SELECT 1;')],
    });
    await clock.advance(59_000);
    expect(await db.read.selectFrom('leases').select('holder').execute()).toEqual([{ holder: 'dead' }]);
    expect(await advanceUntil(clock, waiting)).toHaveLength(1);
  });

  it('a process that lost the lock between two migrations applies no further one, and leaves the lock alone', async () => {
    await migrate(db, parts);
    // The first migration does what a slow one brings about: another process holds the lock at its end.
    const slow = next("UPDATE leases SET holder = 'other';");
    const after = {
      version: 9002,
      name: '9002_after',
      checksum: 'x',
      text: 'CREATE TABLE after (a INTEGER);',
    };
    const migrations = [...readMigrations(dialect), slow, after];
    await expect(migrate(db, { ...parts, migrations })).rejects.toThrow(
      'migration 9002_after: another process took the lease over',
    );
    expect((await schemaState(db, migrations)).pending.map(({ name }) => name)).toEqual(['9002_after']);
    expect(await db.read.selectFrom('leases').select('holder').execute()).toEqual([{ holder: 'other' }]);
  });
});

describe('opening a database', () => {
  it('refuses a file that is no database, and leaves it as it is', async () => {
    const { url, drop } = await emptyDatabase('sqlite');
    const path = url.replace('sqlite:', '');
    writeFileSync(path, 'This is a letter, not a database. '.repeat(100));
    await expect(open(url)).rejects.toMatchObject({
      code: 'not_a_database',
      message: expect.stringMatching(/is not a SQLite database\. Move/),
    });
    await drop();
  });

  it('refuses a path below a file, and a folder in the place of the file', async () => {
    const { url, drop } = await emptyDatabase('sqlite');
    const path = url.replace('sqlite:', '');
    writeFileSync(path, '');
    await expect(open(`sqlite:${path}/below/it.db`)).rejects.toMatchObject({ code: 'database_not_writable' });
    await expect(open(`sqlite:${path.slice(0, path.lastIndexOf('/'))}`)).rejects.toMatchObject({
      code: 'database_not_writable',
    });
    await drop();
  });

  it('refuses what is no database URL, and a server that does not answer', async () => {
    await expect(open('mysql://localhost/x')).rejects.toMatchObject({ code: 'unknown_database' });
    await expect(open('postgres://localhost:1/x')).rejects.toMatchObject({ code: 'database_unreachable' });
  });

  it.skipIf(!process.env.TIDINGS_TEST_POSTGRES_URL)(
    'refuses a PostgreSQL database that does not exist',
    async () => {
      const url = new URL(process.env.TIDINGS_TEST_POSTGRES_URL ?? '');
      url.pathname = '/no_such_database';
      await expect(open(url.href)).rejects.toMatchObject({
        code: 'database_unreachable',
        message: expect.stringMatching(/does not exist/),
      });
    },
  );
});
