import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Tx } from '../../src/db/database.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('transactions that block each other', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  it('of two in a circle ours is done again, whole, and nobody above it notices', async () => {
    const [first, second] = (await world.outbox.enqueue([intentNumber(1), intentNumber(2)])).map(
      ({ seq }) => seq,
    ) as [number, number];
    const touch = (tx: Tx, seq: number) =>
      tx
        .updateTable('deliveries')
        .set((eb) => ({ claims: eb('claims', '+', 1) }))
        .where('seq', '=', seq)
        .execute();
    let runs = 0;
    const other = dialect === 'postgres' ? new pg.Client({ connectionString: world.url }) : undefined;
    const lock = (seq: number) => other?.query('SELECT 1 FROM deliveries WHERE seq = $1 FOR UPDATE', [seq]);
    await other?.connect();
    await other?.query('BEGIN');
    await lock(second);
    let theirs: Promise<unknown> | undefined;
    try {
      await world.db.transaction(async (tx) => {
        runs += 1;
        await touch(tx, first);
        const waiting = touch(tx, second);
        waiting.catch(() => {});
        // The server looks for circles on behalf of who has waited for a second: that is us, who began to wait first.
        await systemClock.sleep(100);
        theirs ??= lock(first)?.then(() => other?.query('COMMIT'));
        await waiting;
      });
      await theirs;
    } finally {
      await other?.end();
    }
    expect(runs).toBe(dialect === 'postgres' ? 2 : 1);
    const rows = await world.db.read.selectFrom('deliveries').select('claims').execute();
    expect(rows).toEqual([{ claims: 1 }, { claims: 1 }]);
  });
});
