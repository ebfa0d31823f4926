import { afterEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { intents } from './engine-world.ts';
import { createHonestWorld, type HonestWorld } from './honest-world.ts';
import { hourMs, minuteMs } from './times.ts';

/** The clock of the machine, or of the database, is set back by most of a day; the provider keeps its own time. */
onBothDatabases('the clock is set back by twenty hours', (dialect) => {
  let world: HonestWorld;
  afterEach(() => world.close());

  it.each([
    ['a look-up finds them', true, 0, 'sent'],
    ['without a look-up a person decides', false, 30, 'needs_review'],
  ] as const)('what is in doubt leaves under its key no more, and %s', async (_, canLookUp, hours, end) => {
    world = await createHonestWorld(dialect, { canLookUp });
    world.provider.mood = 'mute';
    const seqs = await world.enqueue(...intents(1, 3));
    await world.live(10 * minuteMs);
    await world.setClockBack(20 * hourMs);
    const handedOver = world.provider.calls.length;
    // By its own clock the provider has forgotten the keys after 24 hours, long before ours would say so.
    if (hours > 0) await world.live(hours * hourMs, 40 * minuteMs);
    world.provider.mood = 'well';
    await world.live(20 * hourMs, 40 * minuteMs);
    const rows = await Promise.all(seqs.map((seq) => world.find(seq)));
    expect(rows.map(({ status }) => status)).toEqual([end, end, end]);
    expect(world.provider.ledger).toHaveLength(3);
    expect(world.provider.calls).toHaveLength(handedOver);
  });

  it('what waits goes out when it would have, and not most of a day later', async () => {
    world = await createHonestWorld(dialect);
    await world.enqueue(...intents(1, 1, { dueAt: world.clock.now() + hourMs }));
    world.provider.mood = 'unreachable';
    await world.enqueue(...intents(2, 3));
    await world.live(10 * minuteMs);
    await world.setClockBack(20 * hourMs);
    world.provider.mood = 'well';
    await world.live(10 * minuteMs);
    expect(await world.statuses()).toEqual({ sent: 2, pending: 1 });
    await world.live(45 * minuteMs);
    expect(await world.statuses()).toEqual({ sent: 3 });
    expect(world.provider.ledger).toHaveLength(3);
  });
});
