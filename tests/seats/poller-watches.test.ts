import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFanOut } from '../../src/sources/course-seats/events/fan-out.ts';
import { createOpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import { createPoller } from '../../src/sources/course-seats/feed/poller.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { seatSourceOf } from './mail-world.ts';
import { listed, signal } from './poller-world.ts';
import { index, termId } from './seats-world.ts';
import { createWatchWorld, type WatchWorld } from './watch-world.ts';

/** From the lists of two campuses to the mails of who watches: nothing in between is pretended. */
onBothDatabases('who watches, before and beside the list that has the say', (dialect) => {
  let world: WatchWorld;
  let hear: (nb: readonly string[], online?: readonly string[]) => Promise<void>;
  let parts: ReturnType<typeof createParts>;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    parts = createParts(world);
    hear = parts.hear;
    // Of a catalog that was not read to its end nobody knows what it lacks: any index can be watched.
    await world.db.write.updateTable('courses').set({ seen_at: 0 }).execute();
  });
  afterEach(() => world.close());

  const told = async () => (await world.mails()).filter((mail) => mail.startsWith('course-seats '));
  const edges = async () => {
    const rows = await world.db.read.selectFrom('open_events').selectAll().orderBy('open_event_id').execute();
    return rows.map(({ index_number, status_after }) => `${index_number} ${status_after}`);
  };
  const catalogSays = (status: 'Open' | 'Closed' | 'Unknown') =>
    world.db.write.updateTable('sections').set({ last_known_section_status: status }).execute();
  const move = (indexNumber: string, to: { campus_code: string } | { gone_at: number }) =>
    world.db.write.updateTable('sections').set(to).where('index_number', '=', indexNumber).execute();
  const knownTo = async ({ subscriptionId }: { subscriptionId: number }) =>
    (await world.subscription(subscriptionId)).last_known_section_status;
  const believed = async (indexNumber: string) => {
    const row = await world.db.read
      .selectFrom('sections')
      .select('last_known_section_status')
      .where('index_number', '=', indexNumber)
      .executeTakeFirstOrThrow();
    return row.last_known_section_status;
  };

  it('what the catalog took for open and the first list does not have is closed, and its opening is told', async () => {
    await catalogSays('Open');
    const watch = await world.confirmed();
    expect(watch.sectionStatus).toBe('Open');
    await hear(['00001']);
    expect([await knownTo(watch), await believed(index)]).toEqual(['Closed', 'Closed']);
    expect(await edges()).toEqual([`${index} Closed`]);
    await hear(['00001']);
    await hear(['00001', index]);
    expect(await edges()).toEqual([`${index} Closed`, `${index} Open`]);
    expect(await told()).toEqual(['course-seats 2 pending']);
  });

  it('what the first list has is told to nobody, whatever the catalog said (8.12)', async () => {
    await catalogSays('Closed');
    const watch = await world.confirmed();
    await hear(['00001', index]);
    await hear(['00001', index]);
    expect([await edges(), await told()]).toEqual([[], []]);
    expect([await knownTo(watch), await believed(index)]).toEqual(['Closed', 'Open']);
  });

  it.each([index, '54321'])(
    'an opening that an operator reported before the first list, of %s: the list ends it',
    async (of) => {
      await catalogSays('Closed');
      const source = seatSourceOf(world);
      world.keepBooks(source);
      const watch = await world.confirmed({ indexNumber: of });
      expect(await parts.report(of)).toMatchObject({ kind: 'reported' });
      await world.send(source);
      expect(await knownTo(watch)).toBe('Open');
      await hear(['00001']);
      expect(await knownTo(watch)).toBe('Closed');
      // Within three minutes of the report: without the closing it would be the same opening.
      await hear(['00001', of]);
      expect(await edges()).toEqual([`${of} Open`, `${of} Closed`, `${of} Open`]);
      expect(await told()).toEqual(['course-seats 1 sent', 'course-seats 3 pending']);
    },
  );

  it('who comes after a first list that did not have what was reported a moment before is told when it opens', async () => {
    await world.watch({ indexNumber: '54321', email: 'other@example.org' });
    await parts.report('54321');
    await hear(['00001']);
    await world.confirmed({ indexNumber: '54321' });
    await hear(['00001', '54321']);
    expect(await edges()).toEqual(['54321 Open', '54321 Closed', '54321 Open']);
  });

  it('a first list that was half a list, after days of empty ones, alarms nobody', async () => {
    await catalogSays('Unknown');
    await hear([]);
    await world.confirmed();
    await hear([]);
    const all = Array.from({ length: 90 }, (_, at) => String(10_000 + at));
    await hear(all.slice(0, 60));
    await hear([...all, index]);
    expect([await edges(), await told()]).toEqual([[], []]);
    expect(await believed(index)).toBe('Open');
    await hear([...all, index, '00007']);
    expect(await edges()).toEqual(['00007 Open']);
  });

  it('open in one list, and then of a campus with another: its opening in its own list is told', async () => {
    await hear(['00001', '55555']);
    const watch = await world.confirmed({ indexNumber: '55555' });
    expect(watch.sectionStatus).toBe('Open');
    await world.addSection('55555', { campus_code: 'ONLINE_NB', last_known_section_status: 'Closed' });
    await hear(['00001', '55555']);
    expect(await knownTo(watch)).toBe('Closed');
    await hear(['00001', '55555']);
    expect(await edges()).toEqual(['55555 Closed']);
    await hear(['00001', '55555'], ['99999', '55555']);
    expect(await edges()).toEqual(['55555 Closed', '55555 Open']);
    expect(await told()).toHaveLength(1);
  });

  it('open in both lists, it is not closed by changing from one to the other', async () => {
    await hear(['00001', '55555'], ['99999', '55555']);
    const watch = await world.confirmed({ indexNumber: '55555' });
    await world.addSection('55555', { campus_code: 'ONLINE_NB' });
    for (let turn = 0; turn < 3; turn++) await hear(['00001', '55555'], ['99999', '55555']);
    expect([await edges(), await knownTo(watch)]).toEqual([[], 'Open']);
  });

  it('it comes to a list that does not have it: closed there, and told when it opens', async () => {
    await world.addSection('55555', { campus_code: 'ONLINE_NB' });
    await hear(['00001'], ['99999', '55555']);
    const watch = await world.confirmed({ indexNumber: '55555', campusCode: 'ONLINE_NB' });
    await move('55555', { campus_code: 'NB' });
    await world.clock.advance(foreignReadEveryMs);
    await hear(['00001'], ['99999', '55555']);
    expect([await knownTo(watch), await believed('55555')]).toEqual(['Closed', 'Closed']);
    await hear(['00001', '55555'], ['99999', '55555']);
    expect(await edges()).toEqual(['55555 Closed', '55555 Open']);
  });

  it.each([
    ['is given up by the catalog of its campus', { gone_at: 1 }],
    ['is given to another campus', { campus_code: 'NB' }],
  ])('a section that %s was in the other list all along: it does not open by that', async (_, to) => {
    await world.addSection('55555', { campus_code: 'ONLINE_NB', last_known_section_status: 'Closed' });
    await hear(['00001', '55555']);
    const watch = await world.confirmed({ indexNumber: '55555', campusCode: 'ONLINE_NB' });
    await hear(['00001', '55555']);
    await move('55555', to);
    await world.clock.advance(foreignReadEveryMs);
    // Whoever takes over has never seen it otherwise.
    parts = createParts(world, 'two');
    for (let turn = 0; turn < 2; turn++) await parts.hear(['00001', '55555']);
    expect([await edges(), await told()]).toEqual([[], []]);
    if ('campus_code' in to) expect(await believed('55555')).toBe('Open');
    for (let turn = 0; turn < 2; turn++) await parts.hear(['00001']);
    await parts.hear(['00001', '55555']);
    expect(await edges()).toEqual(['55555 Closed', '55555 Open']);
    expect(await knownTo(watch)).toBe('Closed');
  });
});

const foreignReadEveryMs = 600_000;

function createParts(world: WatchWorld, holder = 'one') {
  const { db, clock, outbox } = world;
  const says = new Map<string, readonly string[]>();
  const events = createOpenEvents({ db, outbox, clock, ids: systemIds, log: silentLog });
  const fanOut = createFanOut({ db, outbox, clock, timeZone: 'America/New_York', log: silentLog });
  const poller = createPoller({
    ...{ db, clock, log: silentLog, ids: systemIds, holder, random: { next: () => 0.5 }, events },
    configured: { termIds: [termId], campusCodes: ['NB', 'ONLINE_NB'] },
    feed: {
      openSections: async ({ campusCode }) => listed(...(says.get(campusCode) ?? [])),
      courses: () => Promise.reject(new Error('nobody asks for a catalog here')),
      close: async () => {},
    },
  });
  return {
    /** Half a minute later, NB's list and ONLINE_NB's; and who is to be told gets a delivery. */
    async hear(nb: readonly string[], online: readonly string[] = ['99999']) {
      says.set('NB', nb).set('ONLINE_NB', online);
      await clock.advance(31_000);
      await poller.runOnce(signal());
      await fanOut.runOnce();
    },
    async report(indexNumber: string) {
      const reported = await events.reportOpening({ termId, indexNumber, traceId: 'trace-operator' });
      await fanOut.runOnce();
      return reported;
    },
  };
}
