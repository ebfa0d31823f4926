import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FactListener } from '../../src/outbox/facts.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { suppressionOf } from '../support/consent.ts';
import { createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';

onBothDatabases('facts that others keep books on', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('bookkeeping that throws leaves the status committed, is owed, and is told again until it succeeds', async () => {
    world.failBookkeeping(2);
    const seq = await rowIn(world, 'sending', 1);
    await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm', actor: 'w' }]);
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(world.told.map(({ by }) => by)).toEqual(['consent']);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
    const tries = () => world.db.read.selectFrom('owed_facts').select('tries').execute();
    expect(await tries(), 'not due yet, and so not tried').toEqual([{ tries: 1 }]);
    await world.clock.advance(30_000);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
    expect(await tries(), 'failed a second time').toEqual([{ tries: 2 }]);
    await world.clock.advance(60_000);
    expect(await world.outbox.tellOwedFacts()).toBe(1);
    expect(world.told.map(({ by, fact }) => [by, fact.kind])).toEqual([
      ['consent', 'first_accepted'],
      ['source', 'first_accepted'],
    ]);
    await world.clock.advance(600_000);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
  });

  const outboxTelling = async (source: FactListener) =>
    createOutbox({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      namespace: await readNamespace(world.db),
      listeners: { consent: async () => {}, source: () => source },
    });
  const accept = (outbox: Outbox, seq: number) =>
    outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm', actor: 'w' }]);

  it('what a source wrote before it threw is undone, now and at each later try; what it is told of stands', async () => {
    const outbox = await outboxTelling(async (_facts, tx) => {
      await tx.insertInto('suppressions').values(suppressionOf('half')).execute();
      throw new Error('half-way');
    });
    const seq = await rowIn(world, 'sending', 1);
    await accept(outbox, seq);
    const written = () => world.db.read.selectFrom('suppressions').selectAll().execute();
    expect(await written()).toEqual([]);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id: 'm' });
    await world.clock.advance(30_000);
    expect(await outbox.tellOwedFacts()).toBe(0);
    expect(await written()).toEqual([]);
    expect(await world.db.read.selectFrom('owed_facts').select('tries').execute()).toEqual([{ tries: 2 }]);
  });

  if (dialect === 'postgres') {
    it('a deadlock in the bookkeeping is no failure of it: all is tried again, and nothing is owed', async () => {
      const told: string[] = [];
      const outbox = await outboxTelling(async ([fact]) => {
        told.push(fact?.kind ?? '');
        if (told.length === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      });
      const seq = await rowIn(world, 'sending', 1);
      await accept(outbox, seq);
      expect(told).toEqual(['first_accepted', 'first_accepted']);
      expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id: 'm' });
      expect(await world.db.read.selectFrom('owed_facts').selectAll().execute()).toEqual([]);
    });
  }

  it('an owed fact is told once by two sweeps at once', async () => {
    let isOwing = true;
    let told = 0;
    let hold = (): void => {};
    const entered = new Promise<void>((resolve) => {
      hold = resolve;
    });
    let letGo = (): void => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const outbox = await outboxTelling(async () => {
      if (isOwing) throw new Error('not now');
      told += 1;
      hold();
      await released;
    });
    await accept(outbox, await rowIn(world, 'sending', 1));
    isOwing = false;
    await world.clock.advance(30_000);
    const first = outbox.tellOwedFacts();
    await entered;
    const second = outbox.tellOwedFacts();
    // The second has found the row by then: for it, the first has not committed.
    await systemClock.sleep(100);
    letGo();
    expect(await Promise.all([first, second])).toEqual([1, 0]);
    expect(told).toBe(1);
  });
});
