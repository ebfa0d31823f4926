import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import type { Poller } from '../../src/sources/course-seats/feed/poller.ts';
import { campusCodes } from '../../src/sources/course-seats/term.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createPollerWorld, failed, listed, type PollerWorld, signal } from '../seats/poller-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createPatientPoller } from './patient-poller.ts';

const everyMs = 15_000;

/** Spec 004, how often and how hard the feed is asked. Every poller begins with a database that knows of no list. */
onBothDatabases('004 the cadence', (dialect) => {
  let world: PollerWorld;
  beforeAll(async () => {
    world = await createPollerWorld(dialect);
  });
  afterEach(async () => {
    for (const table of [
      'open_lists',
      'open_list_indexes',
      'open_section_snapshots',
      'subscriptions',
      'leases',
    ] as const)
      await world.db.write.deleteFrom(table).execute();
    world.feed.asked.length = 0;
    world.feed.answers.clear();
  });
  afterAll(() => world.close());

  /** Of one term, the lists that are told apart: NB's is also NK's and CM's (8.9). */
  const four = ['NB', 'ONLINE_CM', 'ONLINE_NB', 'ONLINE_NK'];
  /** Terms, each with its four lists. */
  const terms = (count: number) => ({
    termIds: Array.from({ length: count }, (_, number) => `9${2026 + number}`),
    campusCodes,
  });
  const answer = (reply: ListAnswer | (() => ListAnswer | Promise<ListAnswer>)) => {
    for (const campusCode of four) world.feed.answers.set(campusCode, reply);
  };
  const rows = () => world.db.read.selectFrom('open_lists').selectAll().orderBy('campus_code').execute();
  const gaps = (campusCode: string) =>
    timesOf(campusCode).flatMap((at, number, all) => (number === 0 ? [] : [at - (all[number - 1] ?? 0)]));
  const timesOf = (campusCode: string) =>
    world.feed.asked.filter((one) => one.campusCode === campusCode).map(({ at }) => at);

  async function runFor(poller: Poller, ms: number): Promise<void> {
    for (const until = world.clock.now() + ms; world.clock.now() < until; )
      await world.clock.advance(Math.min(await poller.runOnce(signal()), until - world.clock.now()));
  }

  it('004-01 No list is older than a minute, whatever the dice say and through a failure or an empty answer; one that is, is said to be stale', async () => {
    const poller = world.poller({ configured: terms(1), random: { next: () => 0.999999 } });
    answer(listed('00001'));
    await runFor(poller, 60_000);
    world.feed.answers.set('ONLINE_NB', failed(503));
    world.feed.answers.set('NB', listed());
    await runFor(poller, 20_000);
    answer(listed('00001'));
    await runFor(poller, 120_000);
    for (const campusCode of four) {
      const all = gaps(campusCode);
      expect(all.length, campusCode).toBeGreaterThan(5);
      expect(Math.max(...all), campusCode).toBeLessThan(60_000);
    }
    expect((await poller.status()).map(({ isStale }) => isStale)).toEqual([false, false, false, false]);
    await world.clock.advance(60_001);
    expect((await poller.status()).map(({ isStale }) => isStale)).toEqual([true, true, true, true]);
  });

  it('004-02 It never asks for more than the 30 lists in a second that the feed was seen to bear, where an answer takes 100 ms', async () => {
    const { round, rest } = createPatientPoller(world, terms(10));
    answer(async () => {
      await rest(100);
      return listed('00001');
    });
    const times = await round(10, 40);
    expect(times).toHaveLength(40);
    const inASecond = times.map((from) => times.filter((at) => at >= from && at < from + 1000).length);
    expect(Math.max(...inASecond)).toBe(30);
  });

  it('004-24 004-26 Ten workers with gaps of 250 ms: 40 lists that are due at once are all heard within a second', async () => {
    const { round } = createPatientPoller(world, terms(10));
    answer(listed('00001'));
    const startedAt = world.clock.now();
    const times = await round(10, 40);
    expect(times).toEqual([0, 250, 500, 750].flatMap((at) => Array(10).fill(at)));
    const heard = (await rows()).filter(({ heard_at }) => (heard_at ?? 0) - startedAt < 1000);
    expect(heard).toHaveLength(40);
  });

  it('004-22 Each term and campus that is watched or configured is polled every 15 s, 30 % more or less; campuses with the same list together', async () => {
    const dice = [0, 0.25, 0.5, 0.999999];
    const poller = world.poller({
      configured: { termIds: [], campusCodes: [] },
      random: { next: () => dice.shift() ?? 0.5 },
    });
    answer(listed('00001'));
    await world.addSubscription({ campus_code: 'NK' });
    await world.addSubscription({ campus_code: 'CM' });
    await runFor(poller, 75_000);
    expect([...new Set(world.feed.asked.map(({ campusCode }) => campusCode))]).toEqual(['NB']);
    expect(gaps('NB').slice(0, 4)).toEqual([10_500, 12_750, 15_000, 19_500]);
  });

  it('004-23 The list that has waited longest comes first, and one that is slow holds up nobody', async () => {
    const poller = world.poller({ configured: terms(1) });
    answer(listed('00001'));
    await poller.runOnce(signal());
    const order = ['ONLINE_NK', 'NB', 'ONLINE_CM', 'ONLINE_NB'];
    for (const [place, campusCode] of order.entries())
      await world.db.write
        .updateTable('open_lists')
        .set({ next_poll_at: world.clock.now() + place })
        .where('campus_code', '=', campusCode)
        .execute();
    await world.clock.advance(everyMs);
    world.feed.asked.length = 0;
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.feed.answers.set('ONLINE_NK', async () => {
      await stuck;
      return listed('00001');
    });
    const round = poller.runOnce(signal());
    const heardAt = async () => (await rows()).filter(({ heard_at }) => heard_at === world.clock.now());
    await expect.poll(async () => (await heardAt()).length, { interval: 2 }).toBe(3);
    release();
    await round;
    expect(world.feed.asked.map(({ campusCode }) => campusCode)).toEqual(order);
    expect(await heardAt()).toHaveLength(4);
  });

  it('004-25 More terms make the queue longer, and nothing else: as many workers, the same gaps, every list once in its 15 s', async () => {
    for (const count of [1, 4]) {
      const { round } = createPatientPoller(world, terms(count));
      answer(listed('00001'));
      for (let turn = 0; turn < 2; turn++) {
        const times = await round(10, count * 4);
        const rounds = times.map((_, place) => Math.floor(place / 10) * 250);
        expect(times, `${count} terms`).toEqual(rounds);
        expect(times).toHaveLength(count * 4);
        await world.clock.advance(everyMs);
      }
    }
  });

  it('004-27 The first answer that is not 2xx stops all of it for 15 s', async () => {
    let status = 200;
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(status, { 'content-type': 'application/json' }).end('["00001"]');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const feed = createHttpFeed({ baseUrl, clock: systemClock });
    try {
      for (status of [304, 404, 500]) {
        const poller = world.poller({ configured: { ...terms(1), campusCodes: ['NB'] }, feed });
        await world.clock.advance(60_000);
        requests = 0;
        await poller.runOnce(signal());
        expect(requests, `${status} is asked for once`).toBe(1);
        await world.db.write.updateTable('open_lists').set({ next_poll_at: 0 }).execute();
        await world.clock.advance(14_999);
        await poller.runOnce(signal());
        expect(requests, `nobody asks for 15 s after ${status}`).toBe(1);
        await world.clock.advance(1);
        await poller.runOnce(signal());
        expect(requests).toBe(2);
      }
    } finally {
      await feed.close();
      server.closeAllConnections();
      server.close();
    }
  });

  it('004-28 004-29 After the pause five workers with gaps of 500 ms; ten with 250 again after five successes in a row, and not after four', async () => {
    const { poller, round } = createPatientPoller(world, terms(3));
    const fail = async () => {
      answer(failed(500));
      await poller.pollNow({ termId: '92026', campusCode: 'NB' });
      answer(listed('00001'));
      await world.clock.advance(60_000);
    };
    const succeed = async (times: number) => {
      for (let time = 0; time < times; time++) await poller.pollNow({ termId: '92026', campusCode: 'NB' });
    };
    const five = (at: number) => Array(5).fill(at);
    const ten = [...Array(10).fill(0), 250, 250];
    answer(listed('00001'));
    expect(await round(10, 12)).toEqual(ten);
    await fail();
    await succeed(4);
    await fail();
    // Whoever brings the fifth success rests for 250 ms already.
    expect(await round(5, 12)).toEqual([...five(0), 250, ...five(500), 750]);
    await world.clock.advance(60_000);
    expect(await round(10, 12)).toEqual(ten);
  });

  it.each([429, 500, 503])(
    '004-30 After a %i nothing is held: what was being asked for is due again, and another process may ask at once',
    async (status) => {
      const poller = world.poller({ configured: terms(1) });
      answer(listed('00001'));
      await poller.runOnce(signal());
      await world.clock.advance(everyMs);
      const before = await rows();
      answer(failed(status));
      await poller.runOnce(signal());
      const after = await rows();
      expect(after).toHaveLength(4);
      for (const row of after) {
        expect(row.next_poll_at).toBe(world.clock.now() + everyMs);
        expect(row.last_error).toContain(`http_${status}`);
      }
      expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version));
      answer(listed('00001', '00002'));
      const other = world.poller({ configured: terms(1), holder: 'two' });
      expect(await other.pollNow()).toMatchObject(four.map(() => ({ kind: 'heard', opened: ['00002'] })));
      await world.clock.advance(everyMs);
      world.feed.asked.length = 0;
      await poller.runOnce(signal());
      expect(world.feed.asked).toHaveLength(4);
    },
  );

  it('004-65 A list that comes empty is left alone for 30 s, and then asked for in the lower gear', async () => {
    const { poller, round } = createPatientPoller(world, terms(3));
    answer(listed('00001'));
    await round(10, 12);
    await world.clock.advance(everyMs);
    const dueAt = world.clock.now() + 30_000;
    // So that none of the others brings a success meanwhile: five of them end the lower gear.
    await world.db.write.updateTable('open_lists').set({ next_poll_at: dueAt }).execute();
    world.feed.answers.set('NB', listed());
    await poller.pollNow({ termId: '92026', campusCode: 'NB' });
    world.feed.answers.set('NB', listed('00001'));
    expect(await rows()).toMatchObject(Array(12).fill({ next_poll_at: dueAt, open_count: 1 }));
    await world.clock.advance(29_999);
    expect(await round(0, 0), 'nobody is asked').toEqual([]);
    await world.clock.advance(1);
    expect(await round(5, 12)).toEqual([...Array(5).fill(0), 250, ...Array(5).fill(500), 750]);
  });
});
