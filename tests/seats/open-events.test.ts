import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { closing, createEventsWorld, type EventsWorld, opening } from './events-world.ts';
import { index, isoOf, payload, termId } from './seats-world.ts';

onBothDatabases('open events', (dialect) => {
  let world: EventsWorld;
  beforeEach(async () => {
    world = await createEventsWorld(dialect);
  });
  afterEach(() => world.close());

  const fanOuts = () => world.db.read.selectFrom('open_event_fanouts').selectAll().execute();
  const statusOf = async (indexNumber = index) => {
    const row = await world.db.read
      .selectFrom('sections')
      .select('last_known_section_status')
      .where('index_number', '=', indexNumber)
      .executeTakeFirst();
    return row?.last_known_section_status;
  };

  it('004-03 004-16 004-34 an opening is written with every field, and waits for its fan-out', async () => {
    const at = world.clock.now();
    expect(await world.opens()).toMatchObject({ opened: [index], closed: [], repeated: [] });
    const [event] = await world.recorded();
    const key = `${termId}|NB|${index}|Open|${Math.floor(at / 180_000)}`;
    expect(event).toMatchObject({
      ...{ section_id: world.sectionId, term_id: termId, campus_code: 'NB', index_number: index },
      ...{ subscription_id: null, status_before: 'Closed', status_after: 'Open', seat_delta: 1 },
      ...{ event_at: isoOf(at), detected_by: 'open_sections', snapshot_id: 7, trace_id: 'trace-7' },
      dedupe_key: createHash('sha1').update(key).digest('hex'),
    });
    expect(await fanOuts()).toEqual([
      { open_event_id: event?.open_event_id, after_subscription_id: 0, finished_at: null },
    ]);
    expect(await statusOf()).toBe('Open');
  });

  it('000-43 004-19 its payload says what was true then, and its twin how it stood', async () => {
    const twins = [
      { index: '00777', courseString: '01:750:203', sectionNumber: '01' },
      { index: '00888', courseString: '01:750:204', sectionNumber: '02' },
      { index: '00999', courseString: '01:750:205', sectionNumber: '03' },
    ];
    await world.addSection('00777', { last_known_section_status: 'Closed' });
    await world.addSection('00888', { last_known_section_status: 'Closed' });
    await world.addSection('00001', {
      ...{ cross_listed: JSON.stringify(twins), special_permission: 'by the department', subtitle: 'HONORS' },
      ...{ restrictions: 'majors only', notes: 'bring a laptop' },
    });
    // One of the twins opens in the same list.
    await world.record([opening('00001'), opening('00888')]);
    const [event] = await world.recorded();
    expect(JSON.parse(event?.payload ?? '')).toEqual({
      ...payload,
      ...{ courseTitle: 'Introduction to Computer Science', snapshotHash: 'hash-7', sectionIndex: '00001' },
      ...{ campus: 'NB', subtitle: 'HONORS', instructors: 'SMITH', specialPermission: 'by the department' },
      ...{ restrictions: 'majors only', notes: 'bring a laptop', isResolved: true },
      crossListed: [
        { ...twins[0], status: 'Closed' },
        { ...twins[1], status: 'Open' },
        { ...twins[2], status: 'Unknown' },
      ],
    });
  });

  it('004-06 an index in no catalog has no section, the campus of its list, and stand-ins for what a mail needs', async () => {
    await world.record([opening('12345')], { list: { termId, campusCode: 'ONLINE_NB' } });
    const [event] = await world.recorded();
    expect(event).toMatchObject({ section_id: null, campus_code: 'ONLINE_NB', index_number: '12345' });
    expect(JSON.parse(event?.payload ?? '')).toMatchObject({
      ...{ courseTitle: 'Section 12345', courseString: 'TBA', sectionNumber: 'TBA', meetingSummary: 'TBA' },
      isResolved: false,
    });
  });

  it('004-07 the campus is the section’s, not its list’s', async () => {
    await world.addSection('00002', { campus_code: 'NK' });
    await world.opens('00002');
    expect((await world.recorded())[0]).toMatchObject({ campus_code: 'NK' });
  });

  it('004-12 004-36 004-37 a closing is written with −1 and never fans out', async () => {
    expect(await world.closes()).toMatchObject({ opened: [], closed: [index], repeated: [] });
    expect(await world.recorded()).toMatchObject([{ status_after: 'Closed', seat_delta: -1 }]);
    expect(await fanOuts()).toEqual([]);
    expect(await statusOf()).toBe('Closed');
  });

  it('004-54 a closing resets what its watchers were told, also of those who rest, and of nobody else', async () => {
    const told = { last_known_section_status: 'Open' } as const;
    const watching = [
      await world.addSubscription(told),
      await world.addSubscription({ ...told, status: 'pending' }),
      await world.addSubscription({ ...told, status: 'paused' }),
      await world.addSubscription({ ...told, status: 'unsubscribed' }),
      await world.addSubscription(),
    ];
    const others = [
      await world.addSubscription({ ...told, index_number: '00002' }),
      await world.addSubscription({ ...told, term_id: '92026' }),
    ];
    await world.closes();
    const known = async (id: number) => (await world.subscription(id)).last_known_section_status;
    expect(await Promise.all(watching.map(known))).toEqual(watching.map(() => 'Closed'));
    expect(await Promise.all(others.map(known))).toEqual(['Open', 'Open']);
  });

  it('004-38 004-39 004-63 a second opening within three minutes is the same one, whatever the bucket', async () => {
    const toBoundary = 180_000 - (world.clock.now() % 180_000);
    await world.clock.advance(toBoundary - 1);
    await world.opens();
    await world.clock.advance(2);
    expect(await world.opens()).toMatchObject({ opened: [], repeated: [index] });
    await world.clock.advance(180_000);
    expect(await world.opens()).toMatchObject({ opened: [index] });
    expect((await world.recorded()).map(({ seat_delta }) => seat_delta)).toEqual([1, 1]);
    expect(await fanOuts()).toHaveLength(2);
  });

  it('004-56 004-58 004-61 after a recorded Closed it opens anew, with another key, in the same bucket too', async () => {
    await world.opens();
    await world.clock.advance(30_000);
    await world.closes();
    await world.clock.advance(30_000);
    expect(await world.opens()).toMatchObject({ opened: [index] });
    const recorded = await world.recorded();
    expect(recorded.map(({ status_after }) => status_after)).toEqual(['Open', 'Closed', 'Open']);
    expect(new Set(recorded.map(({ dedupe_key }) => dedupe_key)).size).toBe(3);
  });

  it('a thousand edges take as many statements as one, and all are written', async () => {
    const indexes = Array.from({ length: 1_000 }, (_, number) => String(20_000 + number));
    const answer = await world.record([...indexes.map(opening), closing()]);
    expect(answer).toMatchObject({ opened: indexes, closed: [index] });
    expect(await world.recorded()).toHaveLength(1_001);
  });

  it('no edges write nothing', async () => {
    expect(await world.record([])).toMatchObject({ opened: [], closed: [], repeated: [] });
    expect(await world.recorded()).toEqual([]);
  });

  it('two processes at once write one event, and say so', async () => {
    await world.addList();
    const answers = await Promise.all([world.opens(), world.opens(), world.opens()]);
    expect(answers.flatMap(({ opened }) => opened)).toEqual([index]);
    expect(answers.flatMap(({ repeated }) => repeated)).toEqual([index, index]);
    expect(await world.recorded()).toHaveLength(1);
    expect(await fanOuts()).toHaveLength(1);
  });

  it('two processes at once, on either side of a bucket’s boundary: still one', async () => {
    await world.clock.advance(180_000 - (world.clock.now() % 180_000) - 1);
    const at = world.clock.now();
    const answers = await Promise.all([
      world.record([opening()], { at }),
      world.record([opening()], { at: at + 2 }),
    ]);
    expect(answers.flatMap(({ opened }) => opened)).toEqual([index]);
    expect(await world.recorded()).toHaveLength(1);
  });

  it('what breaks off after it was recorded is not recorded', async () => {
    const broken = world.db.transaction(async (tx) => {
      const seen = { list: { termId, campusCode: 'NB' }, edges: [opening()], snapshot: null } as const;
      await world.events.record(tx, {
        ...seen,
        detectedBy: 'open_sections',
        traceId: 't',
        at: world.clock.now(),
      });
      throw new Error('the power fails');
    });
    await expect(broken).rejects.toThrow('the power fails');
    expect(await world.recorded()).toEqual([]);
    expect(await fanOuts()).toEqual([]);
    expect(await world.opens()).toMatchObject({ opened: [index] });
  });
});
