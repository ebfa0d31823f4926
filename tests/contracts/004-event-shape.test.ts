import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { index, isoOf } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeForEach, worldForAll } from '../support/world-for-each.ts';
import { type Campus, createCampus, pollMs } from './campus.ts';

/** Spec 004, the event and its fields: what a real poller, catalog and operator write. */
onBothDatabases('004 the open event', (dialect) => {
  const world = worldForAll(() => createCampus(dialect));
  const term = madeForEach(() => world.term());

  const last = async () => {
    const event = (await term.recorded()).at(-1);
    if (!event) throw new Error('nothing was recorded');
    return event;
  };
  const report = (indexNumber = index) =>
    world.events.reportOpening({ termId: term.termId, indexNumber, traceId: 'by hand' });
  /** Straight into the table, as somebody with a database client would. */
  const insert = (more: Parameters<Campus['addOpenEvent']>[0]) =>
    world.addOpenEvent({ term_id: term.termId, ...more });

  it('004-03 What was closed, or had a waiting list, and is open now makes an event; what was open or never heard of makes none', async () => {
    await term.opens();
    expect(await term.story()).toEqual(['open_sections Closed→Open +1']);
    await term.hears(index);
    expect(await term.story(), 'it was open').toHaveLength(1);

    const says = async (indexNumber: string, before: 'Wait' | 'Unknown' | 'Open') => {
      await world.db.write
        .insertInto('section_status_events')
        .values({
          ...{ section_id: await term.section(indexNumber), term_id: term.termId, index_number: indexNumber },
          ...{ status_before: before, status_after: 'Open', event_at: isoOf(world.clock.now()) },
        })
        .execute();
    };
    await says('00002', 'Wait');
    await says('00003', 'Unknown');
    await says('00004', 'Open');
    await term.silence();
    await world.events.weighCatalog();
    expect((await term.recorded()).slice(1)).toMatchObject([
      { index_number: '00002', status_before: 'Wait' },
    ]);
  });

  it('004-05 Its number comes from the database: whoever records it has none, and no number is given twice', async () => {
    await term.hears(index, '00002', '00003');
    const numbers = (await term.recorded()).map(({ open_event_id }) => open_event_id);
    expect(new Set(numbers).size).toBe(3);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
    await expect(insert({ open_event_id: numbers[0] as number })).rejects.toThrow(/UNIQUE|non-DEFAULT/);
  });

  it('004-06 It refers to its section where the catalog knows it; otherwise to none, and its watchers are found by term and index', async () => {
    const watcher = await term.watch({ index_number: '54321', section_id: null });
    await term.hears(index, '54321');
    const events = await term.recorded();
    expect(events.map(({ index_number, section_id }) => [index_number, section_id])).toEqual([
      [index, term.sectionId],
      ['54321', null],
    ]);
    await term.fanOut();
    expect(await term.queue()).toMatchObject([
      { open_event_id: events[1]?.open_event_id, subscription_id: watcher },
    ]);
  });

  it('004-07 Term and campus are copied, the campus from the section: they stay when the section is gone', async () => {
    const sectionId = await term.section('00002', { campus_code: 'NK' });
    await term.opens('00002');
    await world.db.write.deleteFrom('sections').where('section_id', '=', sectionId).execute();
    expect(await last()).toMatchObject({ term_id: term.termId, campus_code: 'NK', section_id: sectionId });
  });

  it('004-08 Its index is the one in the list, digit by digit', async () => {
    await term.opens('00042');
    expect((await last()).index_number).toBe('00042');
  });

  it('004-09 It has no subscription when it is detected; the fan-out names one for each row of the queue', async () => {
    const watchers = [await term.watch(), await term.watch()];
    const event = await term.opens();
    expect((await last()).subscription_id).toBeNull();
    expect(await term.queue()).toEqual([]);
    await term.fanOut();
    expect((await term.queue()).map((row) => [row.open_event_id, row.subscription_id])).toEqual(
      watchers.map((watcher) => [event, watcher]),
    );
  });

  it('004-10 What it was before is what was believed: Closed, Wait, Open or Unknown, and no other word', async () => {
    await term.opens();
    await term.closes();
    await world.db.write
      .updateTable('sections')
      .set({ last_known_section_status: 'Wait' })
      .where('section_id', '=', term.sectionId)
      .execute();
    await report();
    await term.watch({ index_number: '54321', section_id: null });
    await report('54321');
    const before = (await term.recorded()).map(({ status_before }) => status_before);
    expect(before).toEqual(['Closed', 'Open', 'Wait', 'Unknown']);
    await expect(insert({ status_before: 'Full' as 'Open' })).rejects.toThrow(/open_events_before/);
  });

  it('004-11 What it is afterwards is Open, or Closed for the books, and no other word', async () => {
    await term.opens();
    await term.closes();
    expect((await term.recorded()).map(({ status_after }) => status_after)).toEqual(['Open', 'Closed']);
    await expect(insert({ status_after: 'Wait' as 'Open' })).rejects.toThrow(/open_events_after/);
  });

  it('004-12 A closing never fans out, even where somebody would match and its fan-out were asked for', async () => {
    await term.opens();
    await term.closes();
    await term.fanOut();
    await term.watch();
    const { open_event_id } = await last();
    await world.db.write.insertInto('open_event_fanouts').values({ open_event_id }).execute();
    await term.fanOut();
    expect(await term.queue()).toEqual([]);
  });

  it('004-13 The delta is +1 for an opening and a reopening, −1 for a closing; 0 is allowed, and 2 is not', async () => {
    await term.opens();
    await term.closes();
    await term.opens();
    expect((await term.recorded()).map(({ seat_delta }) => seat_delta)).toEqual([1, -1, 1]);
    expect(await insert({ seat_delta: 0 })).toBeGreaterThan(0);
    await expect(insert({ seat_delta: 2 as 1 })).rejects.toThrow(/open_events_delta/);
  });

  it('004-14 Its time is when the change was first seen, as an ISO timestamp, however often it is seen again', async () => {
    await term.opens();
    const seenAt = new Date(world.clock.now()).toISOString();
    await term.hears(index);
    await term.hears(index);
    expect((await term.recorded()).map(({ event_at }) => event_at)).toEqual([seenAt]);
    expect(seenAt).toMatch(/^2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ$/);
  });

  it('004-15 It says who detected it: the list, the catalog or a person, and nobody else', async () => {
    await term.opens();
    await term.catalogSays(true);
    await term.silence();
    await term.catalogSays(false);
    expect(await report()).toMatchObject({ kind: 'reported' });
    expect(await term.story()).toEqual([
      ...['open_sections Closed→Open +1', 'section_status_event Open→Closed -1', 'manual Closed→Open +1'],
    ]);
    await expect(insert({ detected_by: 'rumour' as 'manual' })).rejects.toThrow(/open_events_detected_by/);
  });

  it('004-16 It refers to the list in which it was seen; one that no list told refers to none', async () => {
    await term.opens();
    const { snapshot_id } = await last();
    const snapshot = await world.db.read
      .selectFrom('open_section_snapshots')
      .selectAll()
      .where('snapshot_id', '=', snapshot_id ?? 0)
      .executeTakeFirstOrThrow();
    expect(snapshot).toMatchObject({
      term_id: term.termId,
      index_count: 2,
      seen_open_at: (await last()).event_at,
    });
    await term.section('00002');
    await report('00002');
    expect(await last()).toMatchObject({ detected_by: 'manual', snapshot_id: null });
  });

  it('004-17 Its key is the SHA-1 of term, campus, index, status and the three minutes it falls into', async () => {
    await term.opens();
    const minutes = Math.floor(world.clock.now() / 1000 / 60 / 3);
    const text = `${term.termId}|NB|${index}|Open|${minutes}`;
    expect((await last()).dedupe_key).toBe(createHash('sha1').update(text).digest('hex'));
    // The catalog's campus, not the list's.
    await term.section('00002', { campus_code: 'CM' });
    await world.clock.advance(180_000 - (world.clock.now() % 180_000) - pollMs);
    await term.hears(index, '00002');
    const next = `${term.termId}|CM|00002|Open|${minutes + 1}`;
    expect((await last()).dedupe_key).toBe(createHash('sha1').update(next).digest('hex'));
  });

  it('004-18 One trace leads from the line of the poller’s log to the list, the event, the row of the queue and the mail', async () => {
    await term.watch();
    await term.opens();
    const { trace_id: trace, snapshot_id } = await last();
    const lines = world.log.lines.filter((line) => line.traceId === trace).map((line) => line.event);
    expect(lines).toEqual(expect.arrayContaining(['seats.polled', 'seats.edges_seen']));
    const snapshot = world.db.read.selectFrom('open_section_snapshots').select('trace_id');
    expect(await snapshot.where('snapshot_id', '=', snapshot_id ?? 0).executeTakeFirst()).toEqual({
      trace_id: trace,
    });
    await term.tell();
    const [row] = await term.queue();
    expect(await world.find(row?.notification_id)).toMatchObject({ trace_id: trace });
    expect(term.parcels().map(({ mail }) => mail.tags.trace_id)).toEqual([trace]);
  });

  it('004-19 Its payload is JSON with the title and the meetings as they were then, and the mail says these', async () => {
    await term.watch();
    await term.opens();
    expect(JSON.parse((await last()).payload)).toMatchObject({
      courseTitle: 'Introduction to Computer Science',
      meetingSummary: 'M 10:20-11:40 BUS HIL 114; H 10:20-11:40 BUS HIL 114',
    });
    await world.db.write
      .updateTable('sections')
      .set({ meeting_summary: 'F 20:00-21:00 SEC 111' })
      .where('section_id', '=', term.sectionId)
      .execute();
    await term.tell();
    const [parcel] = term.parcels();
    expect(parcel?.mail.text).toContain('HIL 114');
    expect(parcel?.mail.text).not.toContain('SEC 111');
  });
});
