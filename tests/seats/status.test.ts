import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSeatsStatus } from '../../src/sources/course-seats/status.ts';
import { onBothDatabases } from '../support/world.ts';
import { createSeatsWorld, isoOf, type SeatsWorld } from './seats-world.ts';

onBothDatabases('how course seats stand', (dialect) => {
  let world: SeatsWorld;
  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
  });
  afterEach(() => world.close());

  test('nothing yet', async () => {
    expect(await readSeatsStatus(world.db, world.clock)).toEqual({
      watches: { pending: 0, active: 0, paused: 0, suppressed: 0, unsubscribed: 0 },
      lastHour: { opened: 0, closed: 0 },
      lastDay: { opened: 0, closed: 0 },
      unfinishedFanOuts: 0,
      newest: null,
    });
  });

  test('watches by status, what was seen in the last hour and day, and what is not told yet', async () => {
    const ago = (ms: number) => ({ event_at: isoOf(world.clock.now() - ms) });
    await world.addSubscription();
    await world.addSubscription({ status: 'paused' });
    await world.addSubscription({ status: 'paused' });
    await world.addOpenEvent(ago(25 * 3_600_000));
    await world.addOpenEvent(ago(2 * 3_600_000));
    await world.addOpenEvent({ ...ago(7_200_000), status_after: 'Closed', seat_delta: -1 });
    const newest = await world.addOpenEvent(ago(60_000));
    await world.db.write.insertInto('open_event_fanouts').values({ open_event_id: newest }).execute();
    expect(await readSeatsStatus(world.db, world.clock)).toEqual({
      watches: { pending: 0, active: 1, paused: 2, suppressed: 0, unsubscribed: 0 },
      lastHour: { opened: 1, closed: 0 },
      lastDay: { opened: 2, closed: 1 },
      unfinishedFanOuts: 1,
      newest: {
        ...{ open_event_id: newest, term_id: '12026', campus_code: 'NB', index_number: '09214' },
        ...{ status_after: 'Open', ...ago(60_000) },
      },
    });
  });
});
