import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CourseSeats, createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import type { Source } from '../../src/sources/source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { consentOf, tokenSecret } from '../support/consent.ts';
import { signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createSeatsWorld, type SeatsWorld, termId } from './seats-world.ts';

/** A feed that hiccups, over HTTP, up to the provider: nobody is told what is not so, and everybody what is. */
onBothDatabases('a feed that hiccups', (dialect) => {
  let world: SeatsWorld;
  let campus: RunningSampleCampus;
  let seats: CourseSeats;
  let open: string[];
  let shut: string;

  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
    campus = await startSampleCampus({
      ...{ clock: world.clock, termIds: [termId], campusCodes: ['NB'], sections: 600, openingEveryMs: null },
    });
    seats = start();
    world.keepBooks(...seats.sources);
    const listed = campus.campus.sections(termId).map(({ index }) => index);
    open = listed.filter((index) => campus.campus.isOpen(termId, index));
    shut = listed.find((index) => !campus.campus.isOpen(termId, index)) ?? '';
    await live(30_000);
    // Whoever watches what is open, and one who waits.
    for (const index of open.slice(0, 40)) await watch(index, 'Open');
    await watch(shut, 'Closed');
  });
  afterEach(async () => {
    await seats.close();
    await campus.close();
    await world.close();
  });

  /** A process: what another one has in memory it does not know. */
  function start(): CourseSeats {
    const { db, clock, outbox } = world;
    return createCourseSeats({
      ...{ db, clock, outbox, log: silentLog, ids: systemIds, random: createSeededRandom(3) },
      feed: createHttpFeed({ baseUrl: campus.url, clock }),
      ...{ isSample: false, configured: { termIds: [termId], campusCodes: ['NB'] } },
      unsubscribe: consentOf({ db, clock }).unsubscribe,
      ...{ namespace: 'n', secrets: [tokenSecret], baseUrl: () => 'https://seats.example.org' },
      ...{ timeZone: 'America/New_York', verifiesAddresses: true, holder: 'one', onEnqueued: () => {} },
    });
  }

  async function restart(): Promise<void> {
    await seats.close();
    seats = start();
  }

  const watch = (index: string, status: 'Open' | 'Closed') =>
    world.addSubscription({
      ...{ index_number: index, contact_value: `${index}@example.org`, last_known_section_status: status },
    });

  /** All that a process does, for so long. */
  async function live(ms: number): Promise<void> {
    const { clock } = world;
    for (const end = clock.now() + ms; clock.now() < end; ) {
      const waitMs = await seats.poller.runOnce(signal());
      while ((await seats.fanOut.runOnce()) > 0) {}
      await world.send(seats.sources[0] as Source);
      await clock.advance(Math.min(Math.max(waitMs, 100), end - clock.now()));
    }
  }

  async function edges(): Promise<string[]> {
    const rows = await world.db.read
      .selectFrom('open_events')
      .select(['index_number', 'status_after'])
      .orderBy('open_event_id')
      .execute();
    return rows.map(({ index_number, status_after }) => `${index_number} ${status_after}`);
  }
  const told = () => world.provider.ledger.map(({ mail }) => mail.to);
  const opensAndIsTold = async (index: string) => {
    campus.switches.open(index);
    await live(30_000);
    return told().filter((to) => to === `${index}@example.org`).length;
  };

  it('drops 28.7 % of its list for 41 s and recovers: no opening, no closing, no mail', async () => {
    const [before] = await seats.poller.status();
    campus.switches.set({ kind: 'partial', fraction: 0.713 });
    await live(41_000);
    expect((await seats.poller.status())[0]).toMatchObject({ isHeld: true });
    campus.switches.off();
    await live(120_000);
    expect([await edges(), told()]).toEqual([[], []]);
    expect((await seats.poller.status())[0]).toMatchObject({ isHeld: false, openCount: before?.openCount });
    expect(await opensAndIsTold(shut)).toBe(1);
  });

  it('loses as many for good: believed when the time to confirm it has passed, and whoever reopens is told', async () => {
    const gone = open.slice(0, Math.ceil(open.length * 0.3));
    for (const index of gone) campus.switches.close(index);
    await live(120_000);
    expect(await edges()).toEqual([]);
    await live(400_000);
    expect((await edges()).sort()).toEqual(gone.map((index) => `${index} Closed`).sort());
    expect(told()).toEqual([]);
    expect(await opensAndIsTold(gone[0] as string)).toBe(1);
    expect(told()).toHaveLength(1);
  });

  it('answers with empty lists, then with a storm of 429s: what opens meanwhile is told afterwards, once, and nothing else', async () => {
    campus.switches.set({ kind: 'empty' });
    await live(180_000);
    campus.switches.off();
    campus.switches.set({ kind: 'too_many_requests', retryAfterSeconds: 20 });
    campus.switches.open(shut);
    await live(180_000);
    expect([await edges(), told()]).toEqual([[], []]);
    campus.switches.off();
    await live(120_000);
    expect([await edges(), told()]).toEqual([[`${shut} Open`], [`${shut}@example.org`]]);
  });

  it('a process that ends between two misses: what was missed twice is closed, what was missed once is open as before', async () => {
    const [once = '', twice = ''] = open;
    campus.switches.close(once);
    campus.switches.close(twice);
    await live(15_000);
    await restart();
    campus.switches.open(once);
    await live(60_000);
    expect([await edges(), told()]).toEqual([[`${twice} Closed`], []]);
    await restart();
    expect(await opensAndIsTold(twice)).toBe(1);
    await restart();
    await live(60_000);
    expect(told()).toEqual([`${twice}@example.org`]);
  });
});
