import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPauses, everything } from '../../src/dispatch/pauses.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';

onBothDatabases('pauses', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  it.each([everything, 'plain'])('stop what is to leave (%s), and lose nothing', async (scope) => {
    const pauses = createPauses(world.db, world.clock);
    await world.enqueue(1, 2);
    const order = { reason: 'a wrong link in the mail', operator: 'ann' };
    expect(await pauses.pause(scope, order)).toBe(true);
    expect(await pauses.pause(scope, { ...order, reason: 'another' })).toBe(false);
    expect(await pauses.list()).toEqual([
      { scope, reason: 'a wrong link in the mail', by: 'ann', at: world.clock.now() },
    ]);
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger).toEqual([]);
    expect(await world.statusesOf()).toEqual({ pending: 2 });
    expect(await pauses.resume(scope)).toBe(true);
    expect(await pauses.resume(scope)).toBe(false);
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger).toHaveLength(2);
  });

  it('of another source stop nothing here', async () => {
    await createPauses(world.db, world.clock).pause('newsletters', { reason: 'r', operator: 'ann' });
    await world.enqueue(1);
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger).toHaveLength(1);
  });
});
