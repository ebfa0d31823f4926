import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Edge } from '../../src/sources/course-seats/events/open-events.ts';
import { failed } from '../seats/poller-world.ts';
import { index } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeForEach, worldForAll } from '../support/world-for-each.ts';
import { createCampus, neighbour, pollMs } from './campus.ts';

const windowMs = 180_000;
const opened = 'open_sections Closed→Open +1';
const closed = 'open_sections Open→Closed -1';

/** Spec 004, from lists to edges, and which edges are the same. */
onBothDatabases('004 detection', (dialect) => {
  const world = worldForAll(() => createCampus(dialect));
  const term = madeForEach(() => world.term());

  const snapshots = () =>
    world.db.read
      .selectFrom('open_section_snapshots')
      .select(['seen_open_at', 'source_hash', 'index_count', 'verdict'])
      .where('term_id', '=', term.termId)
      .orderBy('snapshot_id')
      .execute();
  const nothing = async () => {
    await world.clock.advance(pollMs);
    world.feed.says();
    const [polled] = await world
      .poller({ events: world.events })
      .pollNow({ termId: term.termId, campusCode: 'NB' });
    return polled;
  };
  /** As another process would that has seen it as well. */
  const record = (statusAfter: Edge['statusAfter']) => {
    const statusBefore = statusAfter === 'Open' ? 'Closed' : 'Open';
    return world.db.transaction((tx) =>
      world.events.record(tx, {
        ...{ list: { termId: term.termId, campusCode: 'NB' }, detectedBy: 'open_sections', snapshot: null },
        ...{ edges: [{ indexNumber: index, statusBefore, statusAfter }] },
        ...{ traceId: 'of another', at: world.clock.now() },
      }),
    );
  };
  const many = Array.from({ length: 60 }, (_, number) => String(10_000 + number));

  it('004-31 Every list that comes is written down with its time and its hash, also one that says nothing new or nothing at all; an error is none', async () => {
    const startedAt = world.clock.now();
    await term.hears(index, '00002');
    await term.hears('00002', index);
    await nothing();
    world.feed.answers.set('NB', failed(503));
    await world.poller({ events: world.events }).pollNow({ termId: term.termId, campusCode: 'NB' });
    const at = (turn: number) => new Date(startedAt + turn * pollMs).toISOString();
    const hashOf = (...indexes: string[]) => createHash('sha1').update(indexes.join(',')).digest('hex');
    const three = hashOf(neighbour, '00002', index);
    expect(await snapshots()).toMatchObject([
      { seen_open_at: at(0), source_hash: hashOf(neighbour), verdict: 'baseline' },
      { seen_open_at: at(1), source_hash: three, index_count: 3, verdict: 'taken' },
      { seen_open_at: at(2), source_hash: three, index_count: 3, verdict: 'taken' },
      { seen_open_at: at(3), source_hash: hashOf(''), index_count: 0, verdict: 'empty' },
    ]);
  });

  it('004-32 Reading the catalog writes what it says of a section, and what the list has missed is made up for', async () => {
    const words = () =>
      world.db.read
        .selectFrom('section_status_events')
        .select(['status_before', 'status_after'])
        .where('term_id', '=', term.termId)
        .orderBy('status_event_id')
        .execute();
    const watcher = await term.watch();
    await term.catalogSays(false);
    await term.silence();
    await term.catalogSays(true);
    expect(await words()).toEqual([
      { status_before: 'Unknown', status_after: 'Closed' },
      { status_before: 'Closed', status_after: 'Open' },
    ]);
    expect(await term.story()).toEqual(['section_status_event Closed→Open +1']);
    await term.fanOut();
    expect(await term.queue()).toMatchObject([{ subscription_id: watcher }]);
    await term.hears(index);
    expect(await term.story(), 'the list comes back, and has nothing to add').toHaveLength(1);
  });

  it('004-33 A list is compared with the lists before it, and a miss with the last word of the catalog on that section', async () => {
    await term.section('00002');
    await term.hears(index, '00002');
    await term.hears(index, '00002');
    expect(await term.story(), 'nothing differs').toEqual([opened, opened]);
    await term.catalogSays(true, '00002');
    await term.catalogSays(true);
    await term.hears();
    expect(await term.story(), 'one miss, and the catalog says open').toHaveLength(2);
    await term.catalogSays(false, '00002');
    expect((await term.recorded()).slice(2)).toMatchObject([
      { index_number: '00002', detected_by: 'section_status_event', status_after: 'Closed' },
    ]);
    await term.hears();
    expect((await term.recorded()).slice(3), 'the other one closes by its second miss').toMatchObject([
      { index_number: index, detected_by: 'open_sections', status_after: 'Closed' },
    ]);
  });

  it('004-34 An index that is new in the list was closed before and is open now, with +1; those of the first list are no news', async () => {
    await term.hears(index, '54321');
    expect(await term.story()).toEqual([opened, opened]);
    expect((await term.recorded()).map(({ index_number }) => index_number)).not.toContain(neighbour);
  });

  it('004-35 One that is back after it was closed is the same', async () => {
    await term.opens();
    await term.closes();
    await term.opens();
    expect(await term.story()).toEqual([opened, closed, opened]);
  });

  it('004-36 One missing list closes nothing, the second closes with −1; lists that come too fast, empty, or cut short do not count', async () => {
    await term.hears(index, ...many);
    const before = (await term.recorded()).length;
    const closings = async () => (await term.story()).slice(before);
    await term.hears(...many);
    expect(await closings()).toEqual([]);
    // Within one interval it is the same look at the same list (8.8).
    await world.clock.advance(10_499);
    await world.poller({ events: world.events }).pollNow({ termId: term.termId, campusCode: 'NB' });
    expect(await closings()).toEqual([]);
    await nothing();
    expect(await closings()).toEqual([]);
    expect(await term.hears(...many.slice(0, 30))).toMatchObject({ verdict: 'held' });
    expect(await closings()).toEqual([]);
    await term.hears(...many);
    expect(await closings()).toEqual([closed]);
    expect((await term.recorded()).at(-1)).toMatchObject({ index_number: index });
  });

  it('004-37 The closing is told to nobody', async () => {
    await term.watch();
    await term.hears(index);
    await term.closes();
    await term.tell();
    const events = await term.recorded();
    expect(events.map(({ status_after }) => status_after)).toEqual(['Open', 'Closed']);
    // Of the opening there was a row, whose seat is gone; of the closing there is none.
    expect(await term.queue()).toMatchObject([
      { open_event_id: events[0]?.open_event_id, fanout_status: 'expired' },
    ]);
    expect(term.parcels()).toEqual([]);
  });

  it('004-38 Within three minutes the same opening makes no second event, on whichever side of a boundary', async () => {
    await world.clock.advance(windowMs - ((world.clock.now() + pollMs) % windowMs) - 1);
    await term.opens();
    expect((world.clock.now() + 1) % windowMs, 'the last moment of its three minutes').toBe(0);
    expect(await record('Open')).toMatchObject({ opened: [], repeated: [index] });
    await world.clock.advance(2);
    expect(await record('Open'), 'another key, and the same opening').toMatchObject({ opened: [] });
    await world.clock.advance(windowMs - 3);
    expect(await record('Open')).toMatchObject({ opened: [] });
    expect(await term.recorded()).toHaveLength(1);
    await world.clock.advance(1);
    expect(await record('Open')).toMatchObject({ opened: [index] });
  });

  it('004-39 Nobody is told again until it has really closed, though the three minutes are over', async () => {
    await term.watch();
    await term.opens();
    await term.tell();
    await world.clock.advance(windowMs);
    expect(await record('Open')).toMatchObject({ opened: [index] });
    await term.tell();
    expect(term.parcels()).toHaveLength(1);
    await term.closes();
    await term.opens();
    await term.tell();
    expect(term.parcels()).toHaveLength(2);
  });

  it('004-64 A list that comes empty closes nothing, however often; what was open is still open when it is back', async () => {
    await term.watch();
    await term.opens();
    await term.tell();
    for (let turn = 0; turn < 3; turn++)
      expect(await nothing()).toMatchObject({ verdict: 'empty', closed: [] });
    await term.hears(index);
    await term.tell();
    expect(await term.story()).toEqual([opened]);
    expect(term.parcels()).toHaveLength(1);
  });
});
