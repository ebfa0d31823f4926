import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';
import { createPollerWorld, failed, listed, type PollerWorld, signal } from './poller-world.ts';
import { termId } from './seats-world.ts';

const every = 15_000;

onBothDatabases('when lists are polled', (dialect) => {
  let world: PollerWorld;
  beforeEach(async () => {
    world = await createPollerWorld(dialect);
  });
  afterEach(() => world.close());

  const nothing = { termIds: [], campusCodes: [] };
  const online = { termIds: [termId], campusCodes: ['ONLINE_NB', 'ONLINE_NK', 'ONLINE_CM', 'NB'] };
  const asked = () => world.feed.asked.map(({ campusCode }) => campusCode);
  const rows = () => world.db.read.selectFrom('open_lists').selectAll().orderBy('campus_code').execute();

  it('004-22 each once in 15 s, with the jitter of the dice', async () => {
    const dice = [0, 0.999999];
    const poller = world.poller({ random: { next: () => dice.shift() ?? 0.5 } });
    world.feed.says('00001');
    while (asked().length < 5) await world.clock.advance(await poller.runOnce(signal()));
    const startedAt = world.feed.asked[0]?.at ?? 0;
    expect(world.feed.asked.map(({ at }) => at - startedAt)).toEqual([0, 10_500, 30_000, 45_000, 60_000]);
  });

  it('answers for how long nothing is due, and looks again in between', async () => {
    const poller = world.poller();
    world.feed.says('00001');
    expect(await poller.runOnce(signal())).toBe(5_000);
    await world.clock.advance(12_000);
    expect(await poller.runOnce(signal())).toBe(3_000);
  });

  it('those that somebody watches, whose campuses share one list once, and no others', async () => {
    const poller = world.poller({ configured: nothing });
    await poller.runOnce(signal());
    expect(asked()).toEqual([]);
    await world.addSubscription({ campus_code: 'NK', status: 'pending' });
    await world.addSubscription({ campus_code: 'CM', status: 'paused' });
    await world.addSubscription({ campus_code: 'ONLINE_NK', status: 'active' });
    await world.addSubscription({ campus_code: 'ONLINE_CM', status: 'unsubscribed' });
    await world.addSubscription({ campus_code: 'MOON' });
    await world.addSubscription({ term_id: '2026', campus_code: 'ONLINE_NB' });
    await poller.runOnce(signal());
    expect(asked()).toEqual(['NB', 'ONLINE_NK']);
  });

  it('no more when nobody watches them any more', async () => {
    const poller = world.poller({ configured: nothing });
    const subscriptionId = await world.addSubscription();
    await poller.runOnce(signal());
    await world.db.write
      .updateTable('subscriptions')
      .set({ status: 'unsubscribed' })
      .where('subscription_id', '=', subscriptionId)
      .execute();
    await world.clock.advance(60_000);
    await poller.runOnce(signal());
    expect(asked()).toEqual(['NB']);
    expect(await poller.status()).toEqual([]);
  });

  it('004-23 the one that has waited longest first', async () => {
    const poller = world.poller({ configured: online });
    await advanceUntil(world.clock, poller.runOnce(signal()));
    const order = { NB: 4, ONLINE_NB: 2, ONLINE_NK: 1, ONLINE_CM: 3 };
    const now = world.clock.now();
    for (const [campusCode, place] of Object.entries(order)) {
      await world.db.write
        .updateTable('open_lists')
        .set({ next_poll_at: now + place })
        .where('campus_code', '=', campusCode)
        .execute();
    }
    await world.clock.advance(1000);
    world.feed.asked.length = 0;
    await advanceUntil(world.clock, poller.runOnce(signal()));
    expect(asked()).toEqual(['ONLINE_NK', 'ONLINE_NB', 'ONLINE_CM', 'NB']);
  });

  it('004-24 004-28 by at most ten at once, each with its gap, and by five after trouble', async () => {
    const termIds = ['02026', '12026', '72026', '92026', '02027', '12027'];
    const poller = world.poller({ configured: { ...online, termIds } });
    let underWay = 0;
    let most = 0;
    const answer = async (): Promise<ListAnswer> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await world.clock.sleep(100);
      underWay -= 1;
      return listed('00001');
    };
    for (const campusCode of online.campusCodes) world.feed.answers.set(campusCode, answer);
    const startedAt = world.clock.now();
    await advanceUntil(world.clock, poller.runOnce(signal()));
    expect(asked()).toHaveLength(24);
    expect(most).toBe(10);
    // Ten lists in 100 ms, then a gap of 250 ms, then the next ten, and the last four; with a slow database later.
    const times = world.feed.asked.map(({ at }) => at - startedAt);
    expect(times.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(times[10]).toBeGreaterThanOrEqual(350);
    expect(times[20]).toBeGreaterThanOrEqual(700);

    most = 0;
    await world.clock.advance(every);
    world.feed.answers.set('NB', failed(500));
    await poller.pollNow({ termId, campusCode: 'NB' });
    world.feed.answers.set('NB', answer);
    await world.clock.advance(every);
    world.feed.asked.length = 0;
    const again = poller.runOnce(signal());
    await advanceUntil(world.clock, again);
    expect(most).toBe(5);
  });

  it.each([429, 500, 503])(
    '004-27 004-30 after a %i nobody is asked for 15 s, and nothing stays locked',
    async (status) => {
      const poller = world.poller({ configured: online });
      for (const campusCode of online.campusCodes) world.feed.answers.set(campusCode, listed('00001'));
      await advanceUntil(world.clock, poller.runOnce(signal()));
      await world.clock.advance(every);
      for (const campusCode of online.campusCodes) world.feed.answers.set(campusCode, failed(status));
      await poller.runOnce(signal());
      for (const each of await rows()) {
        expect(each).toMatchObject({
          failures: 1,
          last_error: `http_${status}: the feed answered ${status}`,
        });
      }
      const before = asked().length;
      await world.clock.advance(14_999);
      expect(await poller.runOnce(signal())).toBeGreaterThan(0);
      expect(asked()).toHaveLength(before);
      for (const campusCode of online.campusCodes)
        world.feed.answers.set(campusCode, listed('00001', '00002'));
      await world.clock.advance(1);
      await advanceUntil(world.clock, poller.runOnce(signal()));
      expect(asked()).toHaveLength(before + 4);
      // Nothing was lost meanwhile.
      expect(world.edges()).toEqual(Array(4).fill('00002 opened'));
      for (const each of await rows()) expect(each).toMatchObject({ failures: 0, last_error: null });
    },
  );

  it('a storm of 429 with a longer wait is waited for, and costs no state', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001', '00002');
    await world.hear(poller, every, '00001');
    world.feed.answers.set('NB', failed(429, 120_000));
    await world.clock.advance(every);
    await poller.runOnce(signal());
    await world.clock.advance(119_999);
    await poller.runOnce(signal());
    expect(asked()).toHaveLength(3);
    expect(await world.hear(poller, 1, '00001', '00002')).toEqual([]);
    expect(asked()).toHaveLength(4);
  });

  it('seed 39100: a feed that wants to be left alone is, though nobody could write down what it said', async () => {
    let isFull = true;
    const write = new Proxy(world.db.write, {
      get(target, name) {
        if (isFull && name === 'updateTable') throw new Error('the disk is full');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const poller = world.poller({ db: { ...world.db, write } });
    world.feed.answers.set('NB', failed(429, 120_000));
    await expect(poller.runOnce(signal())).rejects.toThrow('the disk is full');
    expect(await rows()).toMatchObject([{ failures: 0, next_poll_at: 0 }]);
    isFull = false;
    for (const ms of [1_000, 118_999]) {
      await world.clock.advance(ms);
      await poller.runOnce(signal());
    }
    expect(asked()).toEqual(['NB']);
    await world.clock.advance(1);
    await poller.runOnce(signal());
    expect(asked()).toEqual(['NB', 'NB']);
  });

  it('004-65 a list that came empty waits 30 s, and the others do not', async () => {
    const poller = world.poller({ configured: { termIds: [termId], campusCodes: ['NB', 'ONLINE_NB'] } });
    world.feed.answers.set('ONLINE_NB', listed('00009'));
    await poller.runOnce(signal());
    const startedAt = world.clock.now();
    while (asked().length < 5) await world.clock.advance(await poller.runOnce(signal()));
    const timesOf = (campusCode: string) =>
      world.feed.asked.filter((one) => one.campusCode === campusCode).map(({ at }) => at - startedAt);
    expect(timesOf('NB')).toEqual([0, 30_000]);
    expect(timesOf('ONLINE_NB')).toEqual([0, 15_000, 30_000]);
    expect((await rows())[0]).toMatchObject({ baseline_at: null, failures: 2, open_count: 0 });
  });

  it('by one process, and by another within seconds of its death', async () => {
    const [one, two] = [world.poller({ holder: 'one' }), world.poller({ holder: 'two' })];
    world.feed.says('00001');
    await one.runOnce(signal());
    const lastAt = world.clock.now();
    let waitMs = 0;
    for (let polls = asked().length; asked().length === polls; ) {
      await world.clock.advance(waitMs);
      waitMs = await two.runOnce(signal());
      expect(waitMs).toBeGreaterThan(0);
    }
    expect(world.clock.now() - lastAt).toBeLessThan(20_000);
    // The first wakes up again, and finds that it is not its turn.
    const polls = asked().length;
    await world.clock.advance(1000);
    await one.runOnce(signal());
    expect(asked()).toHaveLength(polls);
    expect(world.edges()).toEqual([]);
  });

  it('as before by whoever keeps the lease, however long', async () => {
    const [one, two] = [world.poller({ holder: 'one' }), world.poller({ holder: 'two' })];
    world.feed.says('00001');
    for (let ms = 0; ms < 60_000; ms += 2500) {
      await one.runOnce(signal());
      const polls = asked().length;
      await two.runOnce(signal());
      expect(asked()).toHaveLength(polls);
      await world.clock.advance(2500);
    }
    expect(asked().length).toBeGreaterThan(3);
  });

  it('at once when an operator asks, though another process polls and nothing is due', async () => {
    world.feed.says('00001');
    await world.poller().runOnce(signal());
    const byHand = world.poller({ holder: 'operator', configured: nothing });
    expect(await byHand.pollNow({ termId, campusCode: 'CM' })).toEqual([
      {
        ...{ kind: 'heard', list: { termId, campusCode: 'NB' }, verdict: 'taken' },
        ...{ indexCount: 1, opened: [], closed: [] },
      },
    ]);
    world.feed.answers.set('NB', failed(503));
    expect(await byHand.pollNow({ termId, campusCode: 'NB' })).toMatchObject([
      { kind: 'failed', code: 'http_503' },
    ]);
  });

  it('not once more after a stop, which is no trouble of the feed', async () => {
    const poller = world.poller();
    const stopping = new AbortController();
    world.feed.answers.set('NB', () => {
      stopping.abort();
      return { kind: 'failed', status: null, code: 'stopped', message: 'it was stopped' };
    });
    await poller.runOnce(stopping.signal);
    await poller.runOnce(stopping.signal);
    expect(asked()).toEqual(['NB']);
    expect(await rows()).toMatchObject([{ failures: 0, last_error: null }]);
  });

  it('all of them, though one brings something that nobody expected', async () => {
    const poller = world.poller({ configured: { termIds: [termId], campusCodes: ['NB', 'ONLINE_NB'] } });
    world.feed.answers.set('NB', () => {
      throw new Error('a bug');
    });
    world.feed.answers.set('ONLINE_NB', async () => {
      await world.clock.sleep(100);
      return listed('00009');
    });
    await expect(advanceUntil(world.clock, poller.runOnce(signal()))).rejects.toThrow('a bug');
    expect(await rows()).toMatchObject([
      { campus_code: 'NB', heard_at: null },
      { campus_code: 'ONLINE_NB', heard_at: world.clock.now(), open_count: 1 },
    ]);
  });

  it('004-01 a list that was not believed for a minute is told of once, and once that it is over', async () => {
    const poller = world.poller();
    await world.hear(poller, 0, '00001');
    world.feed.answers.set('NB', failed(503));
    const told = () =>
      world.log.lines.filter(({ event }) => event.startsWith('seats.feed_')).map(({ event }) => event);
    for (let ms = 0; ms < 60_000; ms += 5000) {
      await world.clock.advance(5000);
      await poller.runOnce(signal());
    }
    expect(told()).toEqual([]);
    for (let ms = 0; ms < 120_000; ms += 5000) {
      await world.clock.advance(5000);
      await poller.runOnce(signal());
    }
    expect(told()).toEqual(['seats.feed_stale']);
    expect((await poller.status())[0]).toMatchObject({ isStale: true });
    await world.hear(poller, 20_000, '00001');
    expect(told()).toEqual(['seats.feed_stale', 'seats.feed_fresh']);
    const warnings = world.log.lines.filter(({ level }) => level === 'warn').map(({ event }) => event);
    expect(warnings).toEqual(['seats.poll_failed', 'seats.feed_stale']);
  });

  it('at once where a clock that was set back has left the next poll hours ahead', async () => {
    const poller = world.poller();
    world.feed.says('00001');
    await poller.runOnce(signal());
    await world.db.write
      .updateTable('open_lists')
      .set({ next_poll_at: world.clock.now() + 3_600_000 })
      .execute();
    await poller.runOnce(signal());
    expect(asked()).toHaveLength(2);
  });
});
