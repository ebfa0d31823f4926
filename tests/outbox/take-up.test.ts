import { afterEach, beforeEach, expect, it } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('taking up what is in doubt', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const takeUp = (worker: string) => world.outbox.takeUp({ worker, limit: 10, leaseMs: 40_000 });

  it('is a new lease: one at a time holds it, and who held it before has no say any more', async () => {
    const seq = await rowIn(world, 'reconciling', 1, { lease: 7, lockedBy: null, lockedAt: null });
    expect(await takeUp('first')).toMatchObject([{ seq, lease: 8 }]);
    expect(await takeUp('second')).toEqual([]);
    await world.clock.advance(40_000);
    expect(await takeUp('second')).toMatchObject([{ seq, lease: 9 }]);
    expect(await world.queries.find(String(seq))).toMatchObject({
      lease: 9,
      locked_by: 'second',
      locked_at: world.clock.now(),
      due_at: world.clock.now() + 40_000,
      claims: 0,
    });
    const absent = { seq, event: 'not_at_provider', dueAt: world.clock.now() } as const;
    expect(await world.outbox.record([{ ...absent, lease: 8, actor: 'first' }])).toMatchObject([
      { changed: false, why: 'lease lost' },
    ]);
    expect(await world.outbox.record([{ ...absent, lease: 9, actor: 'second' }])).toMatchObject([
      { changed: true, status: 'failed_transient' },
    ]);
  });
});
