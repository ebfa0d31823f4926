import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { type CourseSeats, createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import type { ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import type { Source } from '../../src/sources/source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { consentOf, tokenSecret } from '../support/consent.ts';
import { signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { listed } from './poller-world.ts';
import { createSeatsWorld, type SeatsWorld, termId } from './seats-world.ts';

const spanMs = 600_000;
/** What a process that is not woken waits at most before it looks: a fan-out or a dispatch in another one than the poller's. */
const lookMs = 250;
const campus = Array.from({ length: 300 }, (_, number) => String(number + 1).padStart(5, '0'));

onBothDatabases('openings, in time', (dialect) => {
  let world: SeatsWorld;
  let seats: CourseSeats;
  /** When a section opens; whatever is not in it was always open. */
  let opensAt: Map<string, number>;
  /** How old an answer of the feed may be. */
  let cachedMs: number;
  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
    [opensAt, cachedMs] = [new Map(), 0];
    seats = seatsOf(world, answer);
    world.keepBooks(...seats.sources);
  });
  afterEach(() => world.close());

  const fanOutChore = () => seats.chores.find(({ name }) => name === 'seats-fan-out');
  const seatSource = () => seats.sources[0] as Source;

  function answer(): ListAnswer {
    const { clock } = world;
    const at = cachedMs === 0 ? clock.now() : Math.floor(clock.now() / cachedMs) * cachedMs;
    return listed(...campus.filter((index) => (opensAt.get(index) ?? 0) <= at));
  }

  /** So many sections open at random moments: how long each took to the provider, sorted. */
  async function timesOf(count: number): Promise<number[]> {
    const { clock } = world;
    const random = createSeededRandom(7);
    const from = clock.now() + 60_000;
    const watched = campus.slice(0, count);
    for (const index of watched) opensAt.set(index, from + Math.floor(random.next() * spanMs));
    const indexOf = new Map<string, string>();
    for (const index of watched) {
      indexOf.set(`${index}@example.org`, index);
      await world.addSubscription({ index_number: index, contact_value: `${index}@example.org` });
    }
    let isWoken = false;
    fanOutChore()?.wokenBy?.(() => {
      isWoken = true;
    });
    const tookMs = new Map<string, number>();
    world.provider.answer(({ key, mail }) => {
      const index = indexOf.get(mail.to) ?? '';
      expect(tookMs.has(index)).toBe(false);
      tookMs.set(index, clock.now() - (opensAt.get(index) ?? Number.NaN));
      return { kind: 'accepted', messageId: key };
    });
    for (const end = from + spanMs + 60_000; clock.now() < end; ) {
      const waitUntil = clock.now() + (await seats.poller.runOnce(signal()));
      if (isWoken) {
        isWoken = false;
        await clock.advance(lookMs);
        await seats.fanOut.runOnce();
        await clock.advance(lookMs);
        await world.send(seatSource());
      }
      await clock.advance(Math.max(0, waitUntil - clock.now()));
    }
    expect([...tookMs.keys()].sort()).toEqual(watched);
    return [...tookMs.values()].sort((a, b) => a - b);
  }

  it('two hundred sections that open at any moment are with the provider within 30 s on average and within 60 s each', async () => {
    const times = await timesOf(dialect === 'sqlite' ? 200 : 50);
    expect(times[0]).toBeGreaterThan(0);
    expect(averageOf(times)).toBeLessThan(30_000);
    // An interval with its jitter, and two looks: the cadence is not only good enough but the one that is promised.
    expect(times.at(-1)).toBeLessThan(15_000 * 1.3 + 2 * lookMs + 1_000);
  });

  it('so they are where the feed answers from a cache, as old as it allows itself', async () => {
    cachedMs = 30_000;
    const times = await timesOf(20);
    expect(averageOf(times)).toBeLessThan(30_000);
    expect(times.at(-1)).toBeLessThan(60_000);
  });

  it('whoever records an opening wakes the fan-out, and nobody else does', async () => {
    const { clock } = world;
    let wakes = 0;
    fanOutChore()?.wokenBy?.(() => {
      wakes += 1;
    });
    const poll = async () => {
      await seats.poller.pollNow();
      return wakes;
    };
    opensAt.set('00001', clock.now() + 1_000);
    expect(await poll()).toBe(0);
    await clock.advance(1_000);
    expect(await poll()).toBe(1);
    expect(await poll()).toBe(1);
    await seats.events.reportOpening({ termId, indexNumber: '09214', traceId: 't' });
    expect(wakes).toBe(2);
  });

  it('a poll after the first reads and writes what has changed, however long the list', async () => {
    const seen: string[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      // An array for PostgreSQL is binary, with its texts as they are.
      onStatement: ({ sql, parameters }) =>
        seen.push(
          `${sql} ${parameters.map((one) => (Buffer.isBuffer(one) ? one.toString('latin1') : JSON.stringify(one))).join()}`,
        ),
    });
    try {
      const counted = seatsOf({ ...world, db }, answer);
      opensAt.set('00001', world.clock.now() + 1_000);
      await counted.poller.pollNow();
      expect(seen.join()).toContain('00002');
      await world.clock.advance(1_000);
      seen.length = 0;
      await counted.poller.pollNow();
      expect(seen.join()).toContain('00001');
      expect(seen.join()).not.toContain('00002');
      // Nobody reads back what is believed of the whole list.
      expect(seen.filter((text) => /^select.* from "open_list_indexes"/i.test(text))).toEqual([]);
      expect(seen.length).toBeLessThan(25);
      seen.length = 0;
      await counted.poller.pollNow();
      expect(seen.length).toBeLessThan(12);
    } finally {
      await db.close();
    }
  });
});

const averageOf = (times: readonly number[]) => times.reduce((sum, ms) => sum + ms, 0) / times.length;

function seatsOf({ db, clock, outbox }: SeatsWorld, answer: () => ListAnswer): CourseSeats {
  const failed = { kind: 'failed', status: 503, code: 'http_503', message: 'no' } as const;
  return createCourseSeats({
    ...{ db, clock, outbox, log: silentLog, ids: systemIds, random: createSeededRandom(3) },
    feed: { openSections: async () => answer(), courses: async () => failed, close: async () => {} },
    ...{ isSample: false, configured: { termIds: [termId], campusCodes: ['NB'] } },
    unsubscribe: consentOf({ db, clock }).unsubscribe,
    ...{ namespace: 'n', secrets: [tokenSecret], baseUrl: () => 'https://seats.example.org' },
    ...{ timeZone: 'America/New_York', verifiesAddresses: true, holder: 'one', onEnqueued: () => {} },
  });
}
