import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { createLease } from '../../src/db/lease.ts';
import { silentLog } from '../../src/std/log.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('a lease', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const leaseOf = (holder: string, db = world.db) => createLease({ ...world, db, holder, name: 'some work' });
  const isOurs = async (lease: ReturnType<typeof createLease>) => (await lease.hold()).isOurs;

  it('is one process’s, and another’s within seconds after its death', async () => {
    const [one, other] = [leaseOf('one'), leaseOf('other')];
    expect([await isOurs(one), await isOurs(other)]).toEqual([true, false]);
    await world.clock.advance(11_000);
    expect([await isOurs(other), await isOurs(one)]).toEqual([false, true]);
    // From here on the first one is dead.
    await world.clock.advance(11_999);
    expect(await isOurs(other)).toBe(false);
    await world.clock.advance(1_001);
    expect([await isOurs(other), await isOurs(one)]).toEqual([true, false]);
  });

  it('is free at once when its holder stops, and who never had it gives nothing away', async () => {
    const [one, other] = [leaseOf('one'), leaseOf('other')];
    expect([await isOurs(one), await isOurs(other)]).toEqual([true, false]);
    await other.release();
    await world.clock.advance(1_000);
    expect(await isOurs(other)).toBe(false);
    await one.release();
    await world.clock.advance(1_000);
    expect(await isOurs(other)).toBe(true);
  });

  it('costs who does not have it a look a second, however often it is asked for, and no write', async () => {
    const asked: string[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: ({ sql }) => asked.push(sql.trim().split(/\s/)[0] ?? ''),
    });
    try {
      expect(await isOurs(leaseOf('one'))).toBe(true);
      const other = leaseOf('other', db);
      for (let look = 0; look < 20; look++) {
        expect(await Promise.all([isOurs(other), isOurs(other)])).toEqual([false, false]);
        await world.clock.advance(100);
      }
      expect(asked).toEqual(['select', 'select']);
    } finally {
      await db.close();
    }
  });

  it('that somebody holds for longer than its length is from a clock that was set back, and is taken', async () => {
    expect(await isOurs(leaseOf('one'))).toBe(true);
    await world.db.write
      .updateTable('leases')
      .set({ until: world.clock.now() + 3_600_000 })
      .execute();
    expect(await isOurs(leaseOf('other'))).toBe(true);
  });

  it('is not taken by a process whose clock is a little behind', async () => {
    const behind = { ...world.clock, now: () => world.clock.now() - 100 };
    expect(await isOurs(leaseOf('one'))).toBe(true);
    expect(await isOurs(createLease({ ...world, clock: behind, holder: 'other', name: 'some work' }))).toBe(
      false,
    );
  });
});
