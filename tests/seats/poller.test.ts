import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeBeliefs } from '../../src/sources/course-seats/events/beliefs.ts';
import { createOpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import { systemIds } from '../../src/std/ids.ts';
import { onBothDatabases } from '../support/world.ts';
import { createPollerWorld, failed, listed, nb, type PollerWorld, signal } from './poller-world.ts';
import { index, isoOf, termId } from './seats-world.ts';

const every = 15_000;

onBothDatabases('the poller', (dialect) => {
  let world: PollerWorld;
  beforeEach(async () => {
    world = await createPollerWorld(dialect);
  });
  afterEach(() => world.close());

  const row = () => world.db.read.selectFrom('open_lists').selectAll().executeTakeFirstOrThrow();
  const snapshots = () =>
    world.db.read.selectFrom('open_section_snapshots').selectAll().orderBy('snapshot_id').execute();
  const statusOfSection = async (of = index) => {
    const found = await world.db.read
      .selectFrom('sections')
      .select('last_known_section_status')
      .where('index_number', '=', of)
      .executeTakeFirstOrThrow();
    return found.last_known_section_status;
  };

  it('takes the first list for a baseline: believed, and told to nobody', async () => {
    await world.addSection('00007');
    await world.addSection('00008', { campus_code: 'CM', last_known_section_status: 'Closed' });
    await world.addSection('00009', { campus_code: 'ONLINE_NB', last_known_section_status: 'Unknown' });
    const poller = world.poller();
    expect(await world.hear(poller, 0, index, '00008')).toEqual([]);
    expect(await Promise.all([index, '00007', '00008', '00009'].map(statusOfSection))).toEqual([
      ...['Open', 'Closed', 'Open', 'Unknown'],
    ]);
    expect(await row()).toMatchObject({ baseline_at: world.clock.now(), open_count: 2 });
  });

  it('004-31 writes every list that came with its time and its hash, and of the indexes only those that change', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001', '00002');
    await world.hear(poller, every, '00001', '00002', '00003');
    await world.hear(poller, every);
    const startedAt = world.clock.now() - 2 * every;
    expect(await snapshots()).toMatchObject([
      ...[{ verdict: 'baseline', seen_open_at: isoOf(startedAt), index_count: 2, opened: 0, closed: 0 }],
      ...[{ verdict: 'taken', seen_open_at: isoOf(startedAt + every), index_count: 3, opened: 1 }],
      ...[{ verdict: 'empty', seen_open_at: isoOf(startedAt + 2 * every), index_count: 0 }],
    ]);
    const { sourceHash } = listed('00001', '00002', '00003') as { sourceHash: string };
    expect((await snapshots())[1]?.source_hash).toBe(sourceHash);
    const rows = await world.db.read
      .selectFrom('open_list_indexes')
      .select(['index_number', 'is_open', 'opened_at'])
      .orderBy('index_number')
      .execute();
    expect(rows).toEqual([
      ...[{ index_number: '00001', is_open: 1, opened_at: null }],
      ...[{ index_number: '00002', is_open: 1, opened_at: null }],
      ...[{ index_number: '00003', is_open: 1, opened_at: startedAt + every }],
    ]);
  });

  it('records an edge with its list, its snapshot and its trace', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001');
    await world.hear(poller, every, '00001', '00002');
    const last = (await snapshots()).at(-1);
    expect(world.seen).toEqual([
      {
        ...{ list: nb, detectedBy: 'open_sections', at: world.clock.now(), traceId: last?.trace_id },
        snapshot: { id: last?.snapshot_id, hash: last?.source_hash },
        edges: [{ indexNumber: '00002', statusBefore: 'Closed', statusAfter: 'Open' }],
      },
    ]);
  });

  it('004-36 goes on with a miss count after a restart between two misses', async () => {
    await world.hear(world.poller(), 0, '00001', '00002');
    expect(await world.hear(world.poller(), every, '00001')).toEqual([]);
    expect(await world.hear(world.poller(), every, '00001')).toEqual(['00002 closed']);
    expect(await world.hear(world.poller(), every, '00001')).toEqual([]);
    expect(await world.hear(world.poller(), every, '00001', '00002')).toEqual(['00002 opened']);
  });

  it('goes on with a held list after a restart, and keeps what is believed', async () => {
    const all = Array.from({ length: 100 }, (_, number) => String(number + 1).padStart(5, '0'));
    await world.hear(world.poller(), 0, ...all);
    await world.hear(world.poller(), every, ...all.slice(0, 70));
    const heldAt = world.clock.now();
    for (let at = every; at < 300_000; at += every) {
      expect(await world.hear(world.poller(), every, ...all.slice(0, 70))).toEqual([]);
    }
    const [status] = await world.poller().status();
    expect(status).toMatchObject({
      ...{ isHeld: true, heldSince: heldAt, isStale: true, openCount: 100, goodAt: heldAt - every },
      lastError: 'held_back: 30 of 100 open sections are missing at once',
    });
    expect(await world.hear(world.poller(), every, ...all.slice(0, 70))).toHaveLength(30);
    expect((await world.poller().status())[0]).toMatchObject({
      isHeld: false,
      openCount: 70,
      lastError: null,
    });
  });

  it('with the real events: one opening is one event, and a restart makes no second', async () => {
    const events = createOpenEvents({ ...world, ids: systemIds });
    await world.hear(world.poller({ events }), 0, '00001');
    await world.hear(world.poller({ events }), every, '00001', index);
    await world.hear(world.poller({ events }), every, '00001', index);
    const rows = await world.db.read.selectFrom('open_events').selectAll().execute();
    expect(rows).toMatchObject([
      { section_id: world.sectionId, index_number: index, status_before: 'Closed', status_after: 'Open' },
    ]);
    expect(await statusOfSection()).toBe('Open');
  });

  it('writes nothing of a list when its events cannot be recorded, and sees the edge again', async () => {
    await world.hear(world.poller(), 0, '00001');
    const before = await row();
    const broken = world.poller({
      events: {
        record: async () => {
          throw new Error('no room');
        },
      },
    });
    await expect(world.hear(broken, every, '00001', '00002')).rejects.toThrow('no room');
    expect(await snapshots()).toHaveLength(1);
    expect(await row()).toMatchObject({ version: before.version, open_count: 1 });
    expect(await world.hear(world.poller(), 0, '00001', '00002')).toEqual(['00002 opened']);
  });

  it('writes nothing that it computed from an older version, and looks again', async () => {
    const slow = world.poller();
    await world.hear(slow, 0, '00001');
    await world.clock.advance(every);
    // While the answer is on its way, somebody else polls: their list has the opening, ours not yet.
    world.feed.answers.set('NB', async () => {
      world.feed.says('00001', '00002');
      await world.poller({ holder: 'two' }).pollNow();
      return listed('00001');
    });
    expect(await slow.pollNow()).toEqual([{ kind: 'overtaken', list: nb }]);
    expect(world.edges()).toEqual(['00002 opened']);
    expect(await snapshots()).toHaveLength(2);
    expect(await world.hear(slow, every, '00001', '00002')).toEqual([]);
    expect(await row()).toMatchObject({ version: world.clock.now(), open_count: 2 });
  });

  it('reads again what it remembers, when a fail-over has lost a list and somebody else has written since', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001');
    const kept = await row();
    expect(await world.hear(poller, every, '00001', '00002')).toEqual(['00002 opened']);
    // That is lost: the database is as it was before.
    await world.db.write.deleteFrom('open_list_indexes').where('index_number', '=', '00002').execute();
    await world.db.write.updateTable('open_lists').set(kept).execute();
    await world.clock.advance(every);
    // As an operator's report or the catalog's word does it, of another section.
    const tellOf = (indexNumber: string) =>
      world.db.transaction((tx) =>
        writeBeliefs(tx, dialect, nb, new Map([[indexNumber, 'Open']]), world.clock.now()),
      );
    await tellOf('00003');
    expect(await world.hear(poller, 0, '00001', '00002', '00003')).toEqual(['00002 opened']);
    await tellOf('00003');
    expect((await row()).version, 'three writes in one millisecond').toBe(world.clock.now() + 2);
  });

  it('ignores an index whose section is at a campus with another list, and keeps one that nobody knows (8.9)', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001', '00002');
    // The catalog comes later, and knows one of them elsewhere.
    await world.addSection('00002', { campus_code: 'ONLINE_NB' });
    await world.addSection('00003', { campus_code: 'ONLINE_NB' });
    expect(await world.hear(poller, every, '00001', '00002', '00003', '00004')).toEqual(['00004 opened']);
    for (let turn = 0; turn < 3; turn++)
      expect(await world.hear(poller, every, '00001', '00004')).toEqual([]);
    expect(await world.hear(poller, every, '00001', '00002', '00004')).toEqual([]);
    expect(await row()).toMatchObject({ open_count: 2 });
  });

  it('of a list that never came it is known since when it is asked for', async () => {
    const poller = world.poller({ configured: { termIds: [termId], campusCodes: ['NB'] } });
    const askedAt = world.clock.now();
    world.feed.answers.set('NB', failed(503));
    await poller.runOnce(signal());
    await world.clock.advance(90_000);
    await poller.runOnce(signal());
    expect(await poller.status()).toMatchObject([{ askedAt, heardAt: null, goodAt: null, failures: 2 }]);
  });

  it('says how each list is doing', async () => {
    const poller = world.poller({
      configured: { termIds: [termId], campusCodes: ['NB', 'NK', 'ONLINE_NB'] },
    });
    const unheard = {
      askedAt: null,
      heardAt: null,
      goodAt: null,
      baselineAt: null,
      nextPollAt: 0,
      openCount: 0,
      isStale: true,
    };
    expect(await poller.status()).toMatchObject([
      { ...nb, ...unheard, campuses: ['NB', 'NK', 'CM'] },
      { campusCode: 'ONLINE_NB', ...unheard, campuses: ['ONLINE_NB'] },
    ]);
    world.feed.says('00001');
    await poller.runOnce(signal());
    const now = world.clock.now();
    expect((await poller.status())[0]).toEqual({
      ...{ ...nb, campuses: ['NB', 'NK', 'CM'], openCount: 1 },
      ...{ askedAt: now, heardAt: now, goodAt: now, baselineAt: now },
      ...{
        isStale: false,
        isHeld: false,
        heldSince: null,
        failures: 0,
        lastError: null,
        nextPollAt: now + every,
      },
    });
  });
});
