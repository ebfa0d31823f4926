import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('the claim', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('claims what is due, oldest first, by source and lane, up to the limit', async () => {
    const now = world.clock.now();
    await world.outbox.enqueue([
      intentNumber(1, { dueAt: now - 10 }),
      intentNumber(2, { dueAt: now - 30 }),
      intentNumber(3, { dueAt: now + 1 }),
      intentNumber(4, { dueAt: now - 20, lane: 'urgent' }),
      intentNumber(5, { dueAt: now - 20, source: 'other' }),
      intentNumber(6, { dueAt: now - 20 }),
    ]);
    const taken = await world.claim(2);
    expect(taken.map(({ occasion }) => occasion).sort()).toEqual(['occasion-2', 'occasion-6']);
    expect((await world.claim()).map(({ occasion }) => occasion)).toEqual(['occasion-1']);
    expect((await world.claim(9, { from: 'urgent' })).map(({ occasion }) => occasion)).toEqual([
      'occasion-4',
    ]);
    await world.clock.advance(1);
    expect((await world.claim()).map(({ occasion }) => occasion)).toEqual(['occasion-3']);
  });

  it('000-09, 000-11, 002-P4-09 A claim sets owner, time and claim count in SQL, and counts no attempt', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.claim();
    expect(await world.find(claimed?.seq ?? 0)).toMatchObject({
      status: 'claimed',
      claims: 1,
      attempts: 0,
      lease: 1,
      locked_by: 'worker-1',
      locked_at: world.clock.now(),
      due_at: world.clock.now() + 120_000,
    });
  });

  it('000-70 Another worker takes over when the lease is over, not before', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [held] = await world.claim();
    const seq = held?.seq ?? 0;
    const lapse = () => world.outbox.record([{ seq, event: 'lapsed', actor: 'sweep' }]);
    await world.clock.advance(119_999);
    expect(await lapse()).toMatchObject([{ changed: false, why: 'guard' }]);
    expect(await world.claim()).toEqual([]);
    await world.clock.advance(1);
    expect(await lapse()).toMatchObject([{ changed: true, status: 'pending' }]);
    expect(await world.claim()).toMatchObject([{ seq, lease: 2 }]);
  });

  it('claims rows that were in hand at two deaths one at a time, and apart from the others', async () => {
    await rowIn(world, 'pending', 1, { lapses: 2 });
    await rowIn(world, 'pending', 2, { lapses: 2 });
    await rowIn(world, 'pending', 3, { lapses: 1 });
    expect((await world.claim()).map(({ occasion }) => occasion)).toEqual(['occasion-3']);
    expect(await world.claim(1, { from: 'suspects' })).toHaveLength(1);
    expect(await world.claim(1, { from: 'suspects' })).toHaveLength(1);
  });
});
