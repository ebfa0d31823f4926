import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { emptyDatabase } from '../support/world.ts';

describe('SQLite', () => {
  let url: string;
  let drop: () => Promise<void>;
  let db: Database;
  const open = (clock = systemClock) => openDatabase(url, { clock, log: silentLog });
  beforeEach(async () => {
    ({ url, drop } = await emptyDatabase('sqlite'));
    db = await open();
    await migrate(db, { clock: systemClock, ids: systemIds });
  });
  afterEach(async () => {
    await db.close();
    await drop();
  });

  it('a commit that was acted upon survives a power cut, and nobody who reads waits for who writes', async () => {
    // Asked of a file that was there already: for a new one the driver has another default.
    const again = await open();
    try {
      const { rows: journal } = await sql`PRAGMA journal_mode`.execute(again.write);
      expect(journal).toEqual([{ journal_mode: 'wal' }]);
      const full = 2;
      const { rows: synchronous } = await sql`PRAGMA synchronous`.execute(again.write);
      expect(synchronous).toEqual([{ synchronous: full }]);
      await again.transaction(async (tx) => {
        await tx.insertInto('leases').values({ name: 'n', holder: 'h', until: 1 }).execute();
        expect(await again.read.selectFrom('leases').selectAll().execute()).toEqual([]);
      });
      expect(await again.read.selectFrom('leases').selectAll().execute()).toHaveLength(1);
    } finally {
      await again.close();
    }
  });

  it.skipIf(process.platform === 'win32')(
    'a new file, and what stands beside it, is its owner’s alone; one that is there is left as it is',
    async () => {
      const path = url.replace('sqlite:', '');
      const modeOf = (name: string) => statSync(name).mode & 0o777;
      expect(['', '-wal', '-shm'].map((end) => modeOf(`${path}${end}`))).toEqual([0o600, 0o600, 0o600]);
      await db.close();
      chmodSync(path, 0o640);
      db = await open();
      expect(modeOf(path)).toBe(0o640);
    },
  );

  it.each(['a single statement', 'a transaction'])(
    'reads the right columns after another process has migrated: %s',
    async (how) => {
      const leases = () =>
        how === 'a transaction'
          ? db.transaction((tx) => tx.selectFrom('leases').selectAll().execute())
          : db.read.selectFrom('leases').selectAll().execute();
      const row = { name: 'n', holder: 'h', until: 1 };
      await db.write.insertInto('leases').values(row).execute();
      expect(await leases()).toEqual([row]);
      const other = new DatabaseSync(url.replace('sqlite:', ''));
      other.exec('CREATE TABLE anew (until INTEGER, holder TEXT, name TEXT)');
      other.exec('INSERT INTO anew SELECT until, holder, name FROM leases');
      other.exec('DROP TABLE leases; ALTER TABLE anew RENAME TO leases');
      other.close();
      expect(await leases()).toEqual([row]);
    },
  );

  /** Another process that began to write and does not end. */
  async function whileLocked(path: string, work: () => Promise<void>): Promise<void> {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE IF NOT EXISTS theirs (a INTEGER); BEGIN EXCLUSIVE');
    try {
      await work();
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
  }

  /** Fifteen seconds are over after three pauses. */
  function hurriedClock(): Clock {
    let ms = 0;
    const sleep = async () => {
      ms += 6_000;
    };
    return { ...systemClock, monotonic: () => ms, sleep };
  }
  const path = () => url.replace('sqlite:', '');
  const sentence = /Another process has kept the SQLite database locked for 15 s.* End it, and try again\./;
  const refusal = { name: 'Refusal', code: 'database_locked', message: expect.stringMatching(sentence) };

  it('a file that another process keeps locked is not opened and not migrated, and a sentence says why', async () => {
    const clock = hurriedClock();
    const fresh = `${path()}-2`;
    // Before the first of us has opened it, a file has no log beside it: its writer keeps out everybody.
    await whileLocked(fresh, async () => {
      await expect(openDatabase(`sqlite:${fresh}`, { clock, log: silentLog })).rejects.toMatchObject(refusal);
    });
    const opened = await openDatabase(`sqlite:${fresh}`, { clock: hurriedClock(), log: silentLog });
    try {
      const migrated = () => migrate(opened, { clock: systemClock, ids: systemIds });
      await whileLocked(fresh, async () => {
        await expect(migrated()).rejects.toMatchObject(refusal);
      });
      expect((await migrated()).length).toBeGreaterThan(0);
    } finally {
      await opened.close();
    }
  });

  it('a write that waited in vain says why, is not made, and is no mistake of who asked for it', async () => {
    const impatient = await open(hurriedClock());
    const row = { name: 'n', holder: 'h', until: 1 };
    const write = () => impatient.transaction((tx) => tx.insertInto('leases').values(row).execute());
    try {
      await whileLocked(path(), async () => {
        const error = await write().catch((thrown: unknown) => thrown);
        expect(error).not.toBeInstanceOf(Refusal);
        expect(error).toMatchObject({ code: 'database_locked', message: expect.stringMatching(sentence) });
      });
      expect(await db.read.selectFrom('leases').selectAll().execute()).toEqual([]);
      await write();
    } finally {
      await impatient.close();
    }
  });
});
