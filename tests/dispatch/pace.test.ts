import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { parseSender, type Sender } from '../../src/domain/message.ts';
import type { Observation } from '../../src/domain/pace.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createResend } from '../../src/providers/resend.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { consentOf } from '../support/consent.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const { sender } = parseSender('Tidings <noreply@example.org>') as { sender: Sender };
const quiet: Observation = { accepted: 0, doubtful: 0, pauseMs: null, down: null, ratePerSecond: null };
const minuteMs = 60_000;

onBothDatabases('the pace that processes share', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const paceOf = (provider: Provider, db: Database = world.db) =>
    createPace({ db, provider, clock: world.clock, log: silentLog });

  /** As in a process of its own: it has nothing in common with another but the database. */
  function createWorker(provider: Provider) {
    const { outbox, clock } = world;
    return createDispatch({
      outbox,
      sources: [plainSource],
      consent: consentOf({ db: world.db, clock }),
      provider,
      pace: paceOf(provider),
      clock,
      log: silentLog,
      random: createSeededRandom(1),
      worker: 'worker-1',
      from: sender,
      environment: 'test',
    });
  }

  const enqueue = (from: number, to: number) =>
    world.outbox.enqueue(Array.from({ length: to - from }, (_, index) => intentNumber(from + index)));
  const turn = (provider: Provider) => createWorker(provider).runOnce(new AbortController().signal);
  const rows = () => world.db.read.selectFrom('deliveries').select(['status', 'attempts']).execute();

  it('a provider’s own word lowers the rate for all processes, and gives back at most what is configured', async () => {
    let said = 5;
    const provider: Provider = {
      ...createFakeProvider({ ratePerSecond: 10 }),
      seenRatePerSecond: () => said,
    };
    const rateOf = async () => {
      await world.clock.advance(10_000);
      return Math.round(1000 / (await paceOf(provider).take(2)).spacingMs / 0.94);
    };
    expect(await rateOf()).toBe(10);
    for (const [says, rate] of [
      [5, 5],
      [8, 8],
      [100, 10],
    ] as const) {
      said = says;
      await enqueue(says, says + 1);
      await world.clock.advance(10_000);
      await turn(provider);
      expect(await rateOf(), `after it said ${says}`).toBe(rate);
    }
  });

  it('when all is well nothing is written, and not even asked of the database', async () => {
    const asked: string[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: ({ sql }) => asked.push(sql),
    });
    try {
      const pace = paceOf(createFakeProvider(), db);
      const well = { ...quiet, accepted: 10, ratePerSecond: 5 };
      await pace.observe(well);
      asked.length = 0;
      await pace.observe(well);
      expect(asked).toEqual([]);
      await pace.observe({ ...well, ratePerSecond: 4 });
      expect(asked.map((sql) => sql.split(' ')[0])).toEqual(['select', 'update']);
    } finally {
      await db.close();
    }
  });

  it('slots that were seen given away are not asked for', async () => {
    const asked: string[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: ({ sql }) => asked.push(sql),
    });
    try {
      const pace = paceOf(createFakeProvider({ ratePerSecond: 10 }), db);
      expect((await pace.take(200, { roomMs: 250 })).count).toBe(9);
      asked.length = 0;
      const refused = await pace.take(200, { roomMs: 250 });
      expect([refused.count, asked]).toEqual([0, []]);
      await world.clock.advance(Math.ceil(refused.waitMs));
      expect((await pace.take(200, { roomMs: 250 })).count).toBe(2);
    } finally {
      await db.close();
    }
  });

  it('whoever asks at the same moment, no slot is given away twice', async () => {
    const provider = createFakeProvider({ ratePerSecond: 100 });
    const processes = Array.from({ length: 6 }, () => paceOf(provider));
    const taken = await Promise.all(processes.flatMap((pace) => [pace.take(5), pace.take(5)]));
    const slots = taken.flatMap(({ count, firstAt, spacingMs }) =>
      Array.from({ length: count }, (_, index) => Math.round(firstAt + index * spacingMs)),
    );
    expect(slots).toHaveLength(60);
    expect(new Set(slots).size).toBe(60);
  });

  it('one process’s success ends the trial that another’s outage began', async () => {
    const provider = createFakeProvider();
    const [one, other] = [paceOf(provider), paceOf(provider)];
    await one.observe({ ...quiet, accepted: 1 });
    await other.observe({ ...quiet, down: 'unreachable' });
    await world.clock.advance(1_000);
    await other.probeIfDue();
    expect((await one.take(200)).count).toBe(1);
    expect((await other.take(200)).count).toBe(0);
    await one.observe({ ...quiet, accepted: 1 });
    expect((await other.take(200)).count).toBe(200);
  });

  it('what a second submission meets is heard by all: a 429 there pauses the first ones, too', async () => {
    const provider = createFakeProvider();
    const error = { code: 'some_code', message: 'why' };
    await enqueue(0, 1);
    provider.answer(() => ({ kind: 'unknown', error }));
    await turn(provider);
    await world.clock.advance(5_000);
    provider.answer(() => ({ kind: 'deferred', error, trouble: 'throttled', retryAfterMs: 7_000 }));
    const { outbox, queries, clock } = world;
    const reconcile = createReconcile({
      ...{ outbox, queries, provider, clock, log: silentLog, worker: 'reconciler' },
      sources: [plainSource],
      consent: consentOf({ db: world.db, clock }),
      pace: paceOf(provider),
      leaseOf: () => 120_000,
    });
    expect(await reconcile.runOnce(new AbortController().signal)).toBe(1);
    expect(await paceOf(provider).take(1)).toMatchObject({ count: 0, waitMs: 7_000 });
  });

  it('a quota of which nobody says how long it lasts is tried a few times an hour, and its backlog drains by itself', async () => {
    const { clock } = world;
    const fake = await startFakeResend({ clock, limits: { monthlyQuota: 3 } });
    const provider = createResend({ apiKey: 're_test', baseUrl: fake.url, clock, ratePerSecond: Infinity });
    const pass = async (minutes: number) => {
      for (let ms = 0; ms < minutes * minuteMs; ms += 30_000) {
        await clock.advance(30_000);
        await turn(provider);
      }
    };
    try {
      await enqueue(0, 20);
      await turn(provider);
      expect(fake.ledger.accepted).toHaveLength(3);
      for (const hour of ['first', 'second', 'third']) {
        const before = fake.ledger.submissions().length;
        await pass(60);
        const tries = fake.ledger.submissions().length - before;
        expect(tries, `in the ${hour} hour`).toBeLessThanOrEqual(5);
        expect(tries, `in the ${hour} hour`).toBeGreaterThan(0);
      }
      expect((await rows()).filter(({ attempts }) => attempts > 0)).toHaveLength(3);

      fake.limits.monthlyQuota = null;
      await pass(17);
      expect((await rows()).filter(({ status, attempts }) => status !== 'sent' || attempts !== 1)).toEqual(
        [],
      );
      expect(fake.ledger.accepted).toHaveLength(20);
    } finally {
      await fake.close();
      await provider.close?.();
    }
  });
});
