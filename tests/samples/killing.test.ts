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

  it('what it had in hand is counted when it is dead, and is everybody', async () => {
    const events: string[] = [];
    const now = world.clock.now();
    const begun = { round: 1, lease: 7, account: 'capture' };
    const held = { locked_by: 'worker-1', locked_at: now, due_at: now + 1 };
    const doubt = { first_possible_accept_at: now, resubmit_until: now + 1, last_attempt_at: now };
    const clock = {
      ...world.clock,
      // While it is waited for, the worker works.
      async sleep() {
        const rows = await world.db.read.selectFrom('deliveries').select('seq').orderBy('seq').execute();
        const seqs = rows.map(({ seq }) => seq);
        const accepted = { ...begun, status: 'sent' as const, evidence: 5, sent_at: now, due_at: null };
        const leaving = { ...begun, ...held, ...doubt, status: 'sending' as const, evidence: 4 };
        await world.db.transaction(async (tx) => {
          const change = tx.updateTable('deliveries');
          await change.set(accepted).where('seq', 'in', seqs.slice(0, 10)).execute();
          await change.set(leaving).where('seq', 'in', seqs.slice(10, 30)).execute();
        });
      },
    };
    const db = {
      ...world.db,
      get read() {
        events.push('look');
        return world.db.read;
      },
    };
    const worker = { pid: () => 7, kill: () => events.push('kill'), tell() {}, async stop() {} };
    const pauses = createPauses(world.db, world.clock);
    const account = await killInMidSend({ ...world, db, clock, pauses, worker, newNumber: () => 'two' });
    expect(events).toEqual(['look', 'look', 'kill', 'look']);
    const atDeath = { people: 48, heard: 10, onTheWire: 20, notLeft: 18, lookedIntoAt: now + 1 };
    expect(await account()).toMatchObject(atDeath);
    // What the next worker takes is its own: neither when the leases of the dead one end nor what it held changes by it.
    const next = { ...held, locked_by: 'worker-2', due_at: now + 60_000 };
    const taken = { ...begun, ...next, ...doubt, status: 'sending' as const, evidence: 4 };
    const change = world.db.write.updateTable('deliveries');
    await change.set(taken).where('status', '=', 'pending').execute();
    expect(await account()).toMatchObject({ ...atDeath, underWay: 38, unheard: 0 });
    const free = { locked_by: null, locked_at: null };
    const lookedAt = { ...free, status: 'reconciling' as const };
    await change.set(lookedAt).where('locked_by', '=', 'worker-1').execute();
    expect(await account()).toMatchObject({ ...atDeath, lookedIntoAt: null });
  });
});
