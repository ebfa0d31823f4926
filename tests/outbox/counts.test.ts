import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Tx } from '../../src/db/database.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { evidenceEventNames } from '../../src/domain/evidence.ts';
import { workEvents } from '../../src/domain/lifecycle.ts';
import { statusNames } from '../../src/domain/status.ts';
import type { Composed, Verdict } from '../../src/outbox/begin.ts';
import { createQueries } from '../../src/outbox/queries.ts';
import type { Report } from '../../src/outbox/record.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { emptyDatabase, intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('counts', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  /** What the table itself says. */
  async function counted() {
    const { rows } = await sql<{ source: string; status: string; count: number }>`
      SELECT source, status, count(*) AS count FROM deliveries GROUP BY source, status
    `.execute(world.db.read);
    return rows.map(({ source, status, count }) => `${source} ${status} ${count}`).sort();
  }
  const told = async () =>
    (await world.queries.counts()).map(({ source, status, count }) => `${source} ${status} ${count}`).sort();
  const lines = async () => (await world.db.read.selectFrom('delivery_counts').selectAll().execute()).length;

  it('are those of the table after every step of a long random history', async () => {
    const random = createSeededRandom(20_260_704);
    const steps = stepsOf(world, random);
    const seen = new Set<string>();
    for (let step = 0; step < 250; step++) {
      const name = pick(random, Object.keys(steps) as (keyof typeof steps)[]);
      await steps[name]();
      const now = await counted();
      expect(await told(), `after step ${step}, ${name}`).toEqual(now);
      for (const line of now) seen.add(line.split(' ')[1] ?? '');
    }
    expect(seen.size, [...seen].join(', ')).toBeGreaterThanOrEqual(11);
  });

  it('know each status of each source', async () => {
    for (const [number, status] of statusNames.entries()) await rowIn(world, status, number);
    await world.outbox.enqueue([intentNumber(99, { source: 'other' })]);
    expect(await world.queries.counts()).toEqual([
      { source: 'other', status: 'pending', count: 1 },
      ...statusNames.map((status) => ({ source: 'plain', status, count: 1 })),
    ]);
  });

  it('of a batch are one line for each status that it moved, whatever its size', async () => {
    await world.outbox.enqueue(Array.from({ length: 60 }, (_, number) => intentNumber(number)));
    expect(await lines()).toBe(1);
    const claimed = await world.claim(60);
    const { sending } = await world.begin(claimed.map(composed));
    expect(await lines(), 'nothing has ended').toBe(1);
    await world.outbox.record(
      sending.map(({ claimed: { seq } }) => ({ seq, event: 'accepted', round: 1, at: 1, actor: 'w' })),
    );
    expect(await lines(), 'fewer that are open, more that are sent').toBe(3);
  });

  it('go back with a transaction that is rolled back', async () => {
    const seq = await rowIn(world, 'sending', 1);
    const before = await told();
    const failing = world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intentNumber(2)], tx);
      await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, actor: 'w' }], tx);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await told()).toEqual(before);
  });

  it('stay the same when many lines are folded into few', async () => {
    for (let number = 0; number < 6; number++) await rowIn(world, 'expired', number);
    const requeued = { verb: 'requeued', reason: 'r', operator: 'ana' } as const;
    await world.outbox.perform([1, 2], requeued);
    const [before, linesBefore] = [await told(), await lines()];
    expect(await world.outbox.foldCounts()).toBe(linesBefore - 2);
    expect(await lines()).toBe(2);
    expect(await told()).toEqual(before);
    expect(await world.outbox.foldCounts(), 'nothing is left to fold').toBe(0);
  });

  it('that come to nothing leave no line', async () => {
    const seq = await rowIn(world, 'expired', 1);
    await world.outbox.perform([seq], { verb: 'requeued', reason: 'r', operator: 'ana' });
    await world.outbox.foldCounts();
    const kept = await world.db.read.selectFrom('delivery_counts').select(['heading', 'delta']).execute();
    expect(kept).toEqual([{ heading: 'open', delta: 1 }]);
  });

  it('of an outbox from before there were counts are made by the migration', async () => {
    const { url, drop } = await emptyDatabase(dialect);
    const db = await openDatabase(url, { clock: systemClock, log: silentLog });
    try {
      const parts = { clock: systemClock, ids: systemIds };
      const before = readMigrations(dialect).filter(({ version }) => version < 4);
      await migrate(db, { ...parts, migrations: before });
      for (const [number, status] of (
        ['pending', 'needs_review', 'sent', 'sent', 'expired'] as const
      ).entries()) {
        const doubt = status === 'needs_review' ? 1 : null;
        await sql`
          INSERT INTO deliveries (id, source, occasion, recipient, lane, status, due_at, first_possible_accept_at, sent_at, created_at)
          VALUES (${systemIds.uuid()}, 'plain', 'o', ${String(number)}, 'bulk', ${status}, 1, ${doubt}, 1, 1)
        `.execute(db.write);
      }
      await migrate(db, parts);
      expect((await createQueries(db).counts()).map(({ status, count }) => [status, count])).toEqual([
        ['pending', 1],
        ['sent', 2],
        ['needs_review', 1],
        ['expired', 1],
      ]);
    } finally {
      await db.close();
      await drop();
    }
  });

  if (dialect === 'sqlite') return; // Its writer is alone; what follows is about two at once.

  /** While `first` has done its work and not committed. */
  async function during<T>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
    let answer: T | undefined;
    await world.db.transaction(async (tx) => {
      await first(tx);
      const patience = systemClock.sleep(5_000).then(() => Promise.reject(new Error('the second waits')));
      answer = await Promise.race([second(), patience]);
    });
    return answer as T;
  }

  it('never make one who records wait for another', async () => {
    const [one, other] = [await rowIn(world, 'sending', 1), await rowIn(world, 'sending', 2)];
    const accepted = (seq: number) => [{ seq, event: 'accepted', round: 1, at: 1, actor: 'w' }] as const;
    const answer = await during(
      (tx) => world.outbox.record(accepted(one), tx),
      () => world.outbox.record(accepted(other)),
    );
    expect(answer).toMatchObject([{ changed: true }]);
    expect(await told()).toEqual(['plain sent 2']);
  });

  it('are folded while others record, and by two at once, without a wait or a loss', async () => {
    for (let number = 0; number < 4; number++) await rowIn(world, 'sending', number);
    const record = (tx?: Tx) =>
      world.outbox.record([{ seq: 1, event: 'accepted', round: 1, at: 1, actor: 'w' }], tx);
    expect(await during(record, () => world.outbox.foldCounts())).toBeGreaterThan(0);
    expect(await told()).toEqual(['plain sending 3', 'plain sent 1']);
    const lockAll = (tx: Tx) => sql`SELECT * FROM delivery_counts FOR UPDATE`.execute(tx);
    expect(await during(lockAll, () => world.outbox.foldCounts()), 'left to the other').toBe(0);
  });
});

function stepsOf(world: OutboxWorld, random: Random) {
  const { outbox, clock } = world;
  const anySeq = () => 1 + integerBelow(random, 60);
  const some = <T>(make: () => T) => Array.from({ length: 1 + integerBelow(random, 8) }, make);
  const source = () => pick(random, ['plain', 'other']);
  let held: Composed[] = [];
  return {
    enqueue: () => outbox.enqueue(some(() => intentNumber(integerBelow(random, 30), { source: source() }))),
    async claim() {
      held = (await world.claim(1 + integerBelow(random, 9), { source: source() })).map(composed);
    },
    async begin() {
      const verdicts = ['unsubscribed', 'address_suppressed', 'ineligible', 'expired', 'deferred'] as const;
      const stopped = held.filter(() => integerBelow(random, 3) === 0);
      const verdict = (): Verdict => ({ event: pick(random, verdicts), dueAt: clock.now() });
      await world.begin(held, new Map(stopped.map(({ claimed }) => [claimed.seq, verdict()])));
    },
    async report() {
      const leases = new Map(held.map(({ claimed }) => [claimed.seq, claimed.lease]));
      const events = workEvents.filter((event) => event !== 'claimed' && event !== 'begun');
      await outbox.record(
        [...held.map(({ claimed }) => claimed.seq), ...some(anySeq)].map((seq): Report => {
          const lease = leases.get(seq);
          const event = pick(random, events) as Exclude<(typeof events)[number], 'claimed'>;
          return { seq, event, dueAt: clock.now(), actor: 'w', ...(lease !== undefined && { lease }) };
        }),
      );
    },
    evidence: () =>
      outbox.record(
        some(() => ({
          ...{ seq: anySeq(), event: pick(random, evidenceEventNames), actor: 'webhook' },
          ...{ round: 1 + integerBelow(random, 2), at: 1, dueAt: clock.now(), roundsMax: 2 },
        })),
      ),
    operator: () => {
      const verbs = ['requeued', 'resolved_sent', 'resolved_not_sent', 'resolved_closed'] as const;
      return outbox.perform([...new Set(some(anySeq))], {
        verb: pick(random, verbs),
        reason: 'r',
        operator: 'o',
      });
    },
    fold: () => outbox.foldCounts(),
    forget: () => outbox.forget({ before: clock.now() + 1, above: 0, limit: 5 }),
    time: () => clock.advance(integerBelow(random, 200_000)),
  };
}
