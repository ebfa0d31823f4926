import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabaseClock } from '../../src/db/database-clock.ts';
import { raiseMark, readMark, type SetBack } from '../../src/db/time-mark.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('the time of the database', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  /** A machine whose own wall clock is wrong, and whose monotonic one can be made to jump (a suspended laptop). */
  function wrongClock(): Clock & { jumpMs: number } {
    const clock = {
      ...systemClock,
      jumpMs: 0,
      now: () => systemClock.now() + (dialect === 'postgres' ? 3_600_000 : 0),
      monotonic: () => systemClock.monotonic() + clock.jumpMs,
    };
    return clock;
  }

  it('is the same for all, whatever the machine’s own clock says', async () => {
    const clock = await createDatabaseClock(world.db, wrongClock(), silentLog);
    // The server of the tests is on this machine; a second is far more than a question takes.
    expect(Math.abs(clock.now() - systemClock.now())).toBeLessThan(1000);
    expect(Number.isInteger(clock.now())).toBe(true);
  });

  it('is not trusted after a jump until two measurements agree', async () => {
    if (dialect === 'sqlite')
      return expect((await createDatabaseClock(world.db, systemClock, silentLog)).isSteady).toBe(true);
    const local = wrongClock();
    const clock = await createDatabaseClock(world.db, local, silentLog);
    await clock.measure();
    expect(clock.isSteady).toBe(true);
    local.jumpMs = 5_000;
    await clock.measure();
    expect(clock.isSteady).toBe(false);
    expect(Math.abs(clock.now() - systemClock.now())).toBeLessThan(1000);
    await clock.measure();
    expect(clock.isSteady).toBe(true);
  });

  it('that is earlier than it has been is not trusted, by whoever starts then too, until somebody has seen to it', async () => {
    const hourMs = 3_600_000;
    const before = await createDatabaseClock(world.db, systemClock, silentLog);
    expect(await before.measure()).toBeNull();
    const mark = (await readMark(world.db)) ?? 0;
    expect(Math.abs(mark - systemClock.now())).toBeLessThan(5_000);
    await raiseMark(world.db, mark + hourMs);
    await raiseMark(world.db, mark + 1);
    const clock = await createDatabaseClock(world.db, systemClock, silentLog);
    expect(clock.isSteady).toBe(false);
    const setBack = await clock.measure();
    expect(setBack).toMatchObject({ from: mark + hourMs });
    expect(clock.isSteady).toBe(false);
    expect(await world.outbox.setBack(setBack as SetBack)).toBe(true);
    expect(await clock.measure()).toBeNull();
    expect(clock.isSteady).toBe(true);
  });

  const onSqlite = dialect === 'sqlite' ? it : () => {};

  onSqlite('is not trusted from the moment at which the machine’s clock is set back', async () => {
    const local = { ...systemClock, leadMs: 0, now: () => systemClock.now() + local.leadMs };
    const clock = await createDatabaseClock(world.db, local, silentLog);
    await clock.measure();
    local.leadMs = -3_600_000;
    expect(clock.isSteady).toBe(false);
    expect(await clock.measure()).not.toBeNull();
    local.leadMs = 3_600_000;
    expect(await clock.measure()).toBeNull();
    expect(clock.isSteady).toBe(true);
  });

  // SQLite has one machine and its wall clock, which goes on in a sleep, and no sessions.
  const onPostgres = dialect === 'postgres' ? it : () => {};

  onPostgres('is not trusted by a machine that was asleep, and not before its time', async () => {
    const hourMs = 3_600_000;
    const local = { ...systemClock, leadMs: 0, now: () => systemClock.now() + local.leadMs };
    const clock = await createDatabaseClock(world.db, local, silentLog);
    const before = clock.now();
    local.leadMs = hourMs;
    expect(clock.isSteady).toBe(false);
    // The wall clock counts whole milliseconds, the other one parts of them.
    expect(clock.now() - before).toBeGreaterThanOrEqual(hourMs - 1);
    await clock.measure();
    expect(clock.isSteady).toBe(true);
    expect(clock.now() - before).toBeLessThan(hourMs);
  });

  onPostgres('a transaction does not wait for ever for what another holds', async () => {
    const shown = await world.db.transaction(async (tx) => {
      const names = ['lock_timeout', 'idle_in_transaction_session_timeout'];
      const rows = await Promise.all(
        names.map((name) => sql<Record<string, string>>`SHOW ${sql.raw(name)}`.execute(tx)),
      );
      return rows.map((result, index) => result.rows[0]?.[names[index] ?? '']);
    });
    expect(shown).toEqual(['10s', '1min']);
  });
});
