import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDeliveries } from '../../src/outbox/rows.ts';
import { systemClock } from '../../src/std/clock.ts';
import { askBySql, rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

/** Who waits for whom. What a lock is for shows only while somebody else holds it. */
onBothDatabases('rows that two want at once', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  it('of two who report about one delivery at once the second is told what the first made of it', async () => {
    const seq = await rowIn(world, 'needs_review', 1);
    const report = (event: 'resolved_closed' | 'resolved_not_sent') => ({ seq, event, actor: 'operator' });
    let second: ReturnType<World['outbox']['record']> | undefined;
    await world.db.transaction(async (tx) => {
      await world.outbox.record([report('resolved_closed')], tx);
      second = world.outbox.record([report('resolved_not_sent')]);
      second.catch(() => {});
      // Long enough for it to have read the row, were it not locked.
      await systemClock.sleep(100);
    });
    expect(await second).toMatchObject([{ changed: false, why: 'no arrow', status: 'failed_permanent' }]);
  });

  if (dialect === 'sqlite') return; // Its writer is alone; what follows is about two at once.

  /** A session of somebody else, in a transaction that ends with the test. */
  async function withOther(work: (other: pg.Client) => Promise<void>): Promise<void> {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await work(other);
    } finally {
      await other.end();
    }
  }
  const lock = (other: pg.Client, seq: number | undefined, how = '') =>
    other.query(`SELECT 1 FROM deliveries WHERE seq = $1 FOR UPDATE ${how}`, [seq]);
  /** Until a statement of this database waits for a lock. */
  async function untilSomebodyWaits(other: pg.Client): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const { rowCount } = await other.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      if (rowCount) return;
      await systemClock.sleep(5);
    }
    throw new Error('nobody waits');
  }

  it('who asks for what another is about to make waits alone: neighbours in the same transaction are answered at once', async () => {
    const intent = (recipient: string) => ({
      ...{ source: 'plain', occasion: 'at once', recipient, lane: 'normal' as const },
    });
    const answeredAfterMs = new Map<string, number>();
    const ask = async (recipient: string) => {
      const since = systemClock.monotonic();
      const [answer] = await world.outbox.enqueue([intent(recipient)]);
      answeredAfterMs.set(recipient, systemClock.monotonic() - since);
      return answer;
    };
    let blocked: Promise<unknown> = Promise.resolve();
    await world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intent('held')], tx);
      const calls = ['first', 'held', 'b', 'c'].map(ask);
      blocked = calls[1] ?? blocked;
      const neighbours = await Promise.all([calls[0], calls[2], calls[3]]);
      expect(neighbours.map((answer) => answer?.isNew)).toEqual([true, true, true]);
      expect(answeredAfterMs.has('held')).toBe(false);
    });
    expect(await blocked).toMatchObject({ isNew: false });
  });

  it.each([
    { share: 'none', isKnown: () => false },
    { share: 'every second one', isKnown: (seq: number) => seq % 2 === 0 },
  ])(
    'a batch is locked in the order of its numbers, however the rows lie in the file; known: $share',
    async ({ isKnown }) => {
      const seqs: number[] = [];
      for (let number = 0; number < 8; number++) seqs.push(await rowIn(world, 'sending', number));
      // Each write puts the row behind the others: afterwards they lie the other way round.
      for (const seq of seqs.toReversed()) {
        await world.db.write.updateTable('deliveries').set({ claims: 1 }).where('seq', '=', seq).execute();
      }
      const rows = await world.db.transaction((tx) => lockDeliveries(tx, dialect, seqs));
      const known = new Map(rows.map((row) => [row.seq, row]));
      await withOther(async (other) => {
        await lock(other, seqs[4]);
        const recorded = world.outbox.record(
          seqs.map((seq) => ({
            ...({ seq, event: 'lease_expired', actor: 'sweep' } as const),
            known: isKnown(seq) ? known.get(seq) : undefined,
          })),
        );
        await untilSomebodyWaits(other);
        const { rows } = await other.query('SELECT seq FROM deliveries FOR UPDATE SKIP LOCKED');
        const free = rows.map(({ seq }) => Number(seq)).sort((a, b) => a - b);
        expect(free, 'those behind the one it waits for').toEqual(seqs.slice(4));
        await other.query('ROLLBACK');
        expect((await recorded).every(({ changed }) => changed)).toBe(true);
      });
    },
  );

  it('a request that one sweep has in hand is left to it by another', async () => {
    const seq = await rowIn(world, 'failed_permanent', 1);
    await askBySql(world, [seq]);
    await withOther(async (other) => {
      await lock(other, seq);
      const first = world.outbox.performRequests();
      await untilSomebodyWaits(other);
      expect(await world.outbox.performRequests()).toBe(0);
      await other.query('ROLLBACK');
      expect(await first).toBe(1);
    });
    const answers = await world.db.read.selectFrom('operator_requests').select('answer').execute();
    expect(answers).toEqual([{ answer: 'done' }]);
  });

  it('requests are performed in their own order, and their deliveries locked in that of everybody', async () => {
    const lower = await rowIn(world, 'failed_permanent', 1);
    const higher = await rowIn(world, 'failed_permanent', 2);
    await askBySql(world, [higher, lower]);
    await withOther(async (other) => {
      await lock(other, lower);
      const performed = world.outbox.performRequests();
      await untilSomebodyWaits(other);
      // Somebody who goes by number comes to the higher one next: were it taken, the two would wait for each other.
      await lock(other, higher, 'NOWAIT');
      await other.query('ROLLBACK');
      expect(await performed).toBe(2);
    });
  });
});
