import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { createEventsWorld, type EventsWorld } from './events-world.ts';
import { index, isoOf, termId } from './seats-world.ts';

const dayMs = 86_400_000;

onBothDatabases('retention of open events', (dialect) => {
  let world: EventsWorld;
  beforeEach(async () => {
    world = await createEventsWorld(dialect);
  });
  afterEach(() => world.close());

  const forget = (limit = 100) => world.events.forget(world.clock.now() - 30 * dayMs, limit);
  const eventIds = async () => (await world.recorded()).map(({ open_event_id }) => open_event_id);
  const end = (recipient: number) =>
    world.db.write
      .updateTable('deliveries')
      .set({ status: 'expired', due_at: null })
      .where('recipient', '=', String(recipient))
      .execute();
  async function opened(indexNumber = index): Promise<number> {
    await world.opens(indexNumber);
    await world.fanOut.runOnce();
    return (await eventIds()).at(-1) ?? 0;
  }

  it('004-57 events and their deliveries go after 30 days, and not before', async () => {
    const watcher = await world.addSubscription();
    await opened();
    await world.closes();
    await end(watcher);
    await world.clock.advance(30 * dayMs);
    expect(await forget()).toBe(0);
    expect(await world.waiting()).toHaveLength(1);
    await world.clock.advance(1);
    expect(await forget()).toBe(2);
    expect(await eventIds()).toEqual([]);
    expect(await world.waiting()).toEqual([]);
    expect(await world.db.read.selectFrom('open_event_fanouts').selectAll().execute()).toEqual([]);
    expect(await world.subscription(watcher)).toMatchObject({ status: 'active' });
  });

  it('an event of which a delivery still waits stays, and holds back nothing behind it', async () => {
    const ended = await world.addSubscription();
    await world.addSubscription();
    const stays = await opened();
    await end(ended);
    const behind = await opened('00002');
    await world.clock.advance(31 * dayMs);
    expect(await forget(1)).toBe(1);
    expect(await eventIds()).toEqual([stays]);
    expect(behind).toBeGreaterThan(stays);
    expect(await world.waiting()).toHaveLength(1);
  });

  it('an opening whose fan-out is not finished stays', async () => {
    await world.opens();
    await world.clock.advance(31 * dayMs);
    expect(await forget()).toBe(0);
    await world.fanOut.runOnce();
    expect(await forget()).toBe(1);
  });

  it('a number is never given out again', async () => {
    const first = await opened();
    await world.clock.advance(31 * dayMs);
    await forget();
    expect(await opened()).toBeGreaterThan(first);
  });

  it('more deliveries than one transaction takes, broken off in between: the rest goes the next time', async () => {
    const event = await opened();
    const people = Array.from({ length: 1_100 }, (_, number) => number + 1);
    await world.outbox.enqueue(
      people.map((number) => ({
        ...{
          source: 'course-seats',
          occasion: String(event),
          recipient: String(number),
          lane: 'urgent' as const,
        },
        expiresAt: world.clock.now(),
      })),
    );
    await world.outbox.expire(2_000);
    await world.clock.advance(31 * dayMs);
    let calls = 0;
    const shaky = createOpenEvents({
      ...{ db: world.db, clock: world.clock, ids: systemIds, log: silentLog },
      outbox: {
        async remove(order, tx) {
          const removed = await world.outbox.remove(order, tx);
          calls += 1;
          if (calls === 2) throw new Error('the power fails');
          return removed;
        },
      },
    });
    await expect(shaky.forget(world.clock.now() - 30 * dayMs, 10)).rejects.toThrow('the power fails');
    expect(await world.waiting()).toHaveLength(600);
    expect(await eventIds()).toEqual([event]);
    expect(await world.queries.counts()).toEqual([{ source: 'course-seats', status: 'expired', count: 600 }]);
    expect(await shaky.forget(world.clock.now() - 30 * dayMs, 10)).toBe(1);
    expect(await world.waiting()).toEqual([]);
    expect(await world.queries.counts()).toEqual([]);
  });

  it('lists that were seen go too, except where an event that stays was seen in one', async () => {
    const snapshot = async () => {
      const row = await world.db.write
        .insertInto('open_section_snapshots')
        .values({
          ...{ term_id: termId, campus_code: 'NB', seen_open_at: isoOf(world.clock.now()), source_hash: 'h' },
          ...{ index_count: 1, verdict: 'taken', opened: 0, closed: 0, trace_id: 't' },
        })
        .returning('snapshot_id')
        .executeTakeFirstOrThrow();
      return row.snapshot_id;
    };
    await snapshot();
    const needed = await snapshot();
    await world.addOpenEvent({ snapshot_id: needed });
    await world.addOpenEvent({ snapshot_id: await snapshot() });
    const [event = 0] = await eventIds();
    await world.tell(event, await world.addSubscription());
    await world.clock.advance(31 * dayMs);
    const young = await snapshot();
    await forget();
    const left = await world.db.read.selectFrom('open_section_snapshots').select('snapshot_id').execute();
    expect(left.map(({ snapshot_id }) => snapshot_id).sort()).toEqual([needed, young]);
  });

  it('what the catalog had said goes when it was weighed, but for its last word on each section', async () => {
    const word = (section_id: number, weighed_at: number | null) =>
      world.db.write
        .insertInto('section_status_events')
        .values({
          ...{
            section_id,
            term_id: termId,
            index_number: index,
            status_before: 'Closed',
            status_after: 'Open',
          },
          ...{ event_at: isoOf(world.clock.now()), weighed_at },
        })
        .returning('status_event_id')
        .executeTakeFirstOrThrow();
    await word(1, 5);
    const unweighed = await word(1, null);
    const lastOfTwo = await word(2, 5);
    const lastOfOne = await word(1, 5);
    await world.clock.advance(31 * dayMs);
    await forget();
    const left = await world.db.read
      .selectFrom('section_status_events')
      .select('status_event_id')
      .orderBy('status_event_id')
      .execute();
    expect(left).toEqual([unweighed, lastOfTwo, lastOfOne]);
  });
});
