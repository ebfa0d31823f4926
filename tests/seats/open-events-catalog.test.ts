import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SectionStatus } from '../../src/db/seats-schema.ts';
import { onBothDatabases } from '../support/world.ts';
import { createEventsWorld, type EventsWorld } from './events-world.ts';
import { index, isoOf, termId } from './seats-world.ts';

onBothDatabases('the word of the catalog, and of an operator', (dialect) => {
  let world: EventsWorld;
  beforeEach(async () => {
    world = await createEventsWorld(dialect);
  });
  afterEach(() => world.close());

  /** As a reading of the catalog writes it that begins now. */
  const says = async (before: SectionStatus, after: SectionStatus) => {
    await world.db.write.updateTable('sections').set({ seen_at: world.clock.now() }).execute();
    await world.db.write
      .insertInto('section_status_events')
      .values({
        ...{ section_id: world.sectionId, term_id: termId, index_number: index },
        ...{ status_before: before, status_after: after, event_at: isoOf(world.clock.now()) },
      })
      .execute();
  };
  const heldWithout = (...missing: string[]) => {
    const at = world.clock.now();
    return JSON.stringify({ since: at, run: { startedAt: at, lastAt: at, samples: 1, missing } });
  };
  const belief = () => world.db.read.selectFrom('open_list_indexes').selectAll().executeTakeFirst();
  const list = () => world.db.read.selectFrom('open_lists').selectAll().executeTakeFirstOrThrow();
  const events = async () =>
    (await world.recorded()).map(({ detected_by, status_before, status_after }) => [
      ...[detected_by, status_before, status_after],
    ]);
  const report = (indexNumber = index) =>
    world.events.reportOpening({ termId, indexNumber, traceId: 'trace-operator' });

  it('004-32 a feed that has been silent for a minute: the catalog opens it, and what is believed follows', async () => {
    await world.believe('Closed');
    await world.addList();
    await world.clock.advance(60_001);
    await says('Closed', 'Open');
    expect(await world.events.weighCatalog()).toBe(1);
    expect(await events()).toEqual([['section_status_event', 'Closed', 'Open']]);
    expect(await belief()).toMatchObject({ is_open: 1, misses: 0, opened_at: world.clock.now() });
    // The poller that had computed from the older state writes nothing.
    expect(await list()).toMatchObject({ version: world.clock.now(), open_count: 1 });
    expect(await world.events.weighCatalog()).toBe(0);
    expect(await events()).toHaveLength(1);
  });

  it('004-55 a feed that is held back: the catalog closes it, and its watchers may be told again', async () => {
    await world.believe('Open');
    await world.addList({ held: heldWithout('00001', index) });
    const watcher = await world.addSubscription({ last_known_section_status: 'Open' });
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    expect(await events()).toEqual([['section_status_event', 'Open', 'Closed']]);
    expect(await belief()).toMatchObject({ is_open: 0, closed_at: world.clock.now() });
    expect(await list()).toMatchObject({ version: world.clock.now(), open_count: 0 });
    expect((await world.subscription(watcher)).last_known_section_status).toBe('Closed');
  });

  it('a list that is held back and has it all the same: the catalog does not close it', async () => {
    await world.believe('Open');
    await world.addList({ held: heldWithout('00001') });
    const watcher = await world.addSubscription({ last_known_section_status: 'Open' });
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    expect([await events(), (await world.subscription(watcher)).last_known_section_status]).toEqual([
      ...[[], 'Open'],
    ]);
  });

  it('a feed that fell silent after it saw it close: a catalog of before that does not open it', async () => {
    await world.addList();
    await world.opens();
    await world.clock.advance(30_000);
    await world.closes();
    await world.believe('Closed');
    const closedAt = world.clock.now();
    await world.addSubscription();
    for (const afterMs of [61_000, 900_000]) {
      await world.clock.advance(closedAt + afterMs - world.clock.now());
      await says('Closed', 'Open');
      await world.events.weighCatalog();
      expect(await events()).toHaveLength(2);
    }
    // One that is read later is of after it.
    await world.clock.advance(1);
    await says('Closed', 'Open');
    await world.events.weighCatalog();
    expect((await events()).at(-1)).toEqual(['section_status_event', 'Closed', 'Open']);
  });

  it('nor does it close what the feed, or an operator, saw opening: the next list would tell of it again', async () => {
    await world.addList({ held: heldWithout('00001', index) });
    await world.opens();
    await world.believe('Open');
    const watcher = await world.addSubscription({ last_known_section_status: 'Open' });
    await world.clock.advance(61_000);
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    expect((await world.subscription(watcher)).last_known_section_status).toBe('Open');
    await world.clock.advance(900_000);
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    await report();
    await world.clock.advance(61_000);
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    expect((await events()).map(([by, , after]) => `${by} ${after}`)).toEqual([
      ...['open_sections Open', 'section_status_event Closed', 'manual Open'],
    ]);
  });

  it('its own words follow each other, however soon', async () => {
    await world.believe('Closed');
    await world.addList({ good_at: world.clock.now() - 61_000 });
    for (const [before, after] of [
      ['Closed', 'Open'],
      ['Open', 'Closed'],
      ['Closed', 'Open'],
    ] as const) {
      await says(before, after);
      await world.events.weighCatalog();
      await world.clock.advance(60_000);
    }
    expect((await events()).map(([, , after]) => after)).toEqual(['Open', 'Closed', 'Open']);
  });

  it('a feed that is fresh is believed: the catalog’s word is kept, and changes nothing', async () => {
    await world.believe('Closed');
    await world.addList();
    await world.clock.advance(60_000);
    await says('Closed', 'Open');
    expect(await world.events.weighCatalog()).toBe(1);
    expect(await events()).toEqual([]);
    expect(await belief()).toMatchObject({ is_open: 0 });
    expect(await list()).toMatchObject({ version: 0 });
  });

  it('004-60 a miss of the feed and a flip of the catalog close, and the next opening is told', async () => {
    await world.addList();
    await world.opens();
    await world.believe('Open');
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    expect((await events()).length).toBe(1);
    await world.db.write.updateTable('open_list_indexes').set({ misses: 1 }).execute();
    await world.clock.advance(30_000);
    await says('Open', 'Closed');
    await world.events.weighCatalog();
    await world.clock.advance(30_000);
    expect(await world.opens()).toMatchObject({ opened: [index] });
    expect((await events()).map(([by, , after]) => `${by} ${after}`)).toEqual([
      ...['open_sections Open', 'section_status_event Closed', 'open_sections Open'],
    ]);
  });

  it('where there is no list at all, the catalog is all there is', async () => {
    await world.believe('Closed');
    await says('Closed', 'Open');
    await says('Open', 'Closed');
    await says('Closed', 'Open');
    expect(await world.events.weighCatalog()).toBe(3);
    expect((await events()).map(([, , after]) => after)).toEqual(['Open', 'Closed', 'Open']);
    const section = await world.db.read.selectFrom('sections').selectAll().executeTakeFirstOrThrow();
    expect(section.last_known_section_status).toBe('Open');
    expect(await world.db.read.selectFrom('open_lists').selectAll().execute()).toEqual([]);
  });

  it('two processes at once weigh each word once, in its order', async () => {
    await world.believe('Closed');
    await says('Closed', 'Open');
    await says('Open', 'Closed');
    const counts = await Promise.all([1, 2, 3].map(() => world.events.weighCatalog()));
    expect(counts.sort()).toEqual([0, 0, 2]);
    expect((await events()).map(([, , after]) => after)).toEqual(['Open', 'Closed']);
  });

  it('004-15 an operator reports an opening: event, fan-out and belief, once', async () => {
    await world.believe('Closed');
    await world.addList();
    const watcher = await world.addSubscription();
    const first = await report();
    expect(first).toMatchObject({ kind: 'reported' });
    expect(await report()).toEqual({ kind: 'repeated' });
    expect(await events()).toEqual([['manual', 'Closed', 'Open']]);
    expect((await world.recorded())[0]).toMatchObject({ trace_id: 'trace-operator', snapshot_id: null });
    expect(await belief()).toMatchObject({ is_open: 1 });
    expect(await list()).toMatchObject({ version: world.clock.now() });
    await world.fanOut.runOnce();
    expect(await world.waiting()).toEqual([`${first.kind === 'reported' && first.openEventId}-${watcher}`]);
  });

  it('an index that is only watched can be reported; one that nobody knows cannot', async () => {
    expect(await report('54321')).toEqual({ kind: 'section_not_found' });
    await world.addSubscription({ index_number: '54321', section_id: null, campus_code: 'NK' });
    const reports = await Promise.all([report('54321'), report('54321')]);
    expect(reports.map(({ kind }) => kind).sort()).toEqual(['repeated', 'reported']);
    expect((await world.recorded())[0]).toMatchObject({ section_id: null, status_before: 'Unknown' });
  });

  it('one that only a list knows is open already, or opens: nobody need watch it', async () => {
    await world.addList();
    await world.believe('Open', '54321');
    expect(await report('54321')).toEqual({ kind: 'repeated' });
    await world.believe('Closed', '54321');
    expect(await report('54321')).toMatchObject({ kind: 'reported' });
    expect((await world.recorded())[0]).toMatchObject({ section_id: null, campus_code: 'NB' });
    expect(await belief()).toMatchObject({ index_number: '54321', is_open: 1 });
  });
});
