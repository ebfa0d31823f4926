import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { killInMidSend } from '../../src/samples/killing.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('killing the worker in mid-send', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  it.each([
    ['*', 'All mail is paused'],
    ['plain', 'Mail of the source plain is paused'],
  ])('while %s is paused it is refused at once, and leaves nothing queued', async (scope, says) => {
    const pauses = createPauses(world.db, world.clock);
    await pauses.pause(scope, { reason: 'a look', operator: 'ana' });
    let killed = 0;
    const worker = { pid: () => 7, kill: () => ++killed, tell() {}, async stop() {} };
    // The clock stands still: whoever waited for something would wait for ever.
    const killing = killInMidSend({ ...world, pauses, worker, newNumber: () => 'one' });
    await expect(killing).rejects.toMatchObject({
      code: 'worker_not_sending',
      message: expect.stringContaining(says),
    });
    expect([killed, await world.queries.counts()]).toEqual([0, []]);
  });
});
