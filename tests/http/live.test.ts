import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMailsTaken } from '../../src/http/live/mails-taken.ts';
import { createStanding } from '../../src/http/live/standing.ts';
import { createWatchers } from '../../src/http/live/watchers.ts';
import { createSwitches } from '../../src/inbox/switches.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { createLog, silentLog } from '../../src/std/log.ts';
import { rowsIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld, keys } from './api-world.ts';

onBothDatabases('how everything stands', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  let isStopping = false;
  beforeEach(async () => {
    isStopping = false;
    world = await createApiWorld(dialect);
    api = await world.serve({ server: { isStopping: () => isStopping } });
  });
  afterEach(() => world.close());

  const reader = { key: keys.read[0] };

  test('counts, pauses and the provider, for whoever may read, and nobody’s address', async () => {
    await rowsIn(world, [
      { status: 'needs_review', number: 1 },
      { status: 'delivered', number: 2 },
    ]);
    await world.parts.api.pauses.pause('*', { reason: 'why', operator: 'ana' });
    const { status, json, text } = await api.ask('GET', '/api/v1/standing', reader);
    expect([status, json]).toMatchObject([
      200,
      {
        counts: [
          { source: 'plain', status: 'delivered', count: 1 },
          { source: 'plain', status: 'needs_review', count: 1 },
        ],
        pauses: [{ scope: '*', reason: 'why', by: 'ana' }],
        provider: {
          ...{ name: 'capture', ratePerSecond: null, downSince: null, pausedUntil: null, quotas: [] },
          switchesOn: [],
        },
        has: { seats: false, newsletters: false, reviews: false, inbox: true, samples: false },
      },
    ]);
    expect(text).not.toContain('@');
    expect((await api.ask('GET', '/api/v1/standing', { key: null })).status).toBe(401);
  });

  test('what the inbox does wrong on purpose is told while it does, and not of another provider', async () => {
    const switches = createSwitches({ db: world.db, clock: world.clock, environment: 'test' });
    await switches.turnOn('refuse', { forMs: 60_000, by: 'ana' });
    const { provider } = world.parts.api;
    const standingOf = (name: string) =>
      createStanding({
        ...{ ...world.parts.api, db: world.db, clock: world.clock, environment: 'test' },
        provider: { ...provider, name },
      })();
    expect((await standingOf('capture')).provider.switchesOn).toEqual(['refuse']);
    expect((await standingOf('smtp')).provider.switchesOn).toEqual([]);
    await world.clock.advance(60_000);
    expect((await standingOf('capture')).provider.switchesOn).toEqual([]);
  });

  test('is told again when it has changed, until the server stops', async () => {
    const told: string[] = [];
    const answer = await fetch(`${api.url}/api/v1/live`, {
      headers: { authorization: `Bearer ${keys.read[0]}` },
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) told.push(Buffer.from(chunk).toString());
    })();
    const standings = () =>
      told
        .join('')
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)));
    await expect.poll(() => standings().length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(standings()[0].counts).toEqual([]);
    await rowsIn(world, [{ status: 'delivered', number: 1 }]);
    for (let turn = 0; turn < 3; turn++) await world.clock.advance(1_000);
    await expect
      .poll(() => standings().at(-1).counts, { timeout: 10_000 })
      .toEqual([{ source: 'plain', status: 'delivered', count: 1 }]);
    isStopping = true;
    await world.clock.advance(1_000);
    await reading;
  });

  test('what the provider took today and this month stands beside what the plan there has', async () => {
    const dayMs = 86_400_000;
    const noon = (day: number) => Date.UTC(2026, 2, day, 12);
    const clock = createManualClock(noon(10));
    const [seq = 0] = await rowsIn(world, [{ status: 'delivered', number: 1 }]);
    const tell = async (at: number, events: readonly string[]) => {
      const one = {
        delivery_seq: seq,
        round: 1,
        status: 'sent',
        actor: 'worker',
        detail: '{}',
      } as const;
      for (const event of events)
        await world.db.write
          .insertInto('delivery_events')
          .values({ ...one, at, event })
          .execute();
    };
    // By the rows that are there already nobody was mailed in this month.
    await world.db.write.deleteFrom('delivery_events').execute();
    await tell(Date.UTC(2026, 1, 28, 23), ['accepted']);
    await tell(noon(1), ['accepted', 'accepted']);
    await tell(noon(9), ['accepted', 'delivered']);
    await tell(noon(10) - 60_000, ['accepted', 'bounced_for_now', 'accepted']);
    const look = createMailsTaken({ day: 100, month: 3_000 }, { db: world.db, clock });
    const used = async () => (await look()).map((quota) => [quota.per, quota.used, quota.of]);
    expect(await used()).toEqual([
      ['day', 2, 100],
      ['month', 5, 3_000],
    ]);
    await tell(noon(10) + 1_000, ['accepted']);
    await clock.advance(10_000);
    expect(await used()).toEqual([
      ['day', 3, 100],
      ['month', 6, 3_000],
    ]);
    await clock.advance(dayMs);
    expect(await used()).toEqual([
      ['day', 0, 100],
      ['month', 6, 3_000],
    ]);
    await clock.advance(30 * dayMs);
    expect(await used()).toEqual([
      ['day', 0, 100],
      ['month', 0, 3_000],
    ]);
    expect(await createMailsTaken({ day: null, month: null }, { db: world.db, clock })()).toEqual([]);
    const ofDay = createMailsTaken({ day: 5, month: null }, { db: world.db, clock });
    await tell(clock.now() - 6_000, ['accepted']);
    expect(await ofDay()).toEqual([{ per: 'day', used: 1, of: 5 }]);
  });
});

test('the database is asked once a second however many look on, and not at all when nobody does', async () => {
  const clock = createManualClock();
  let asked = 0;
  const read = async () => ({ asked: ++asked });
  const watchers = createWatchers({ ...{ clock, read, log: silentLog }, isStopping: () => false });
  const several = Array.from({ length: 5 }, () => watchers.watch());
  for (let turn = 0; turn < 10; turn++) await clock.advance(1_000);
  expect([asked, watchers.count]).toEqual([11, 5]);
  for (const watcher of several) watcher.destroy();
  await clock.advance(1_000);
  expect(watchers.count).toBe(0);
  await clock.advance(60_000);
  expect(asked).toBe(11);
  for (let number = 0; number < 100; number++) watchers.watch();
  expect(() => watchers.watch()).toThrow('100 pages are open already');
});

test('what cannot be read is told once, until a look succeeds; of a database that is away without a stack', async () => {
  const clock = createManualClock();
  const logged: string[] = [];
  const log = createLog({ level: 'warn', sink: { write: (line) => logged.push(line) } });
  let failure: Error | undefined = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  const read = () => (failure ? Promise.reject(failure) : Promise.resolve({}));
  const watcher = createWatchers({ ...{ clock, read, log }, isStopping: () => false }).watch();
  const looks = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await clock.advance(1_000);
  };
  await looks(5);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'console.not_read', problem: 'ECONNREFUSED' },
  ]);
  expect(logged[0]).not.toContain('stack');
  failure = undefined;
  await looks(1);
  failure = new Error('no such column: lane');
  await looks(5);
  expect(logged).toHaveLength(2);
  expect(JSON.parse(logged[1] ?? '')).toMatchObject({
    error: { message: failure.message, stack: expect.any(String) },
  });
  watcher.destroy();
  await clock.advance(1_000);
});
