import type { Consent } from '../../src/consent/consent.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { DeliveryRow } from '../../src/db/schema.ts';
import { raiseMark } from '../../src/db/time-mark.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createHeal } from '../../src/dispatch/heal.ts';
import { createPace, type Pace } from '../../src/dispatch/pace.ts';
import { createPauses, type Pauses } from '../../src/dispatch/pauses.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep } from '../../src/dispatch/sweep.ts';
import type { Intent } from '../../src/domain/delivery.ts';
import { parseSender, type Sender } from '../../src/domain/message.ts';
import { leaseMs } from '../../src/domain/policy.ts';
import type { Status } from '../../src/domain/status.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries } from '../../src/outbox/queries.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { createManualClock, type ManualClock, systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { consentOf } from '../support/consent.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { emptyDatabase, intentNumber } from '../support/world.ts';
import { type EventWords, eventBody, signed } from '../webhooks/signed.ts';
import { type BackUp, backUp } from './back-up.ts';
import { minuteMs } from './times.ts';

/**
 * One process of the engine, its parts put together as `src/engine.ts` does it, on a database that can be away or go back in
 * time and a clock that passes days in a moment.
 */
export interface EngineWorld {
  readonly clock: ManualClock;
  readonly log: RecordingLog;
  /** Those of the process that runs now. */
  readonly outbox: Outbox;
  readonly consent: Consent;
  readonly pauses: Pauses;
  readonly webhooks: Webhooks;
  /** While it is, every statement fails. */
  isDatabaseAway: boolean;
  enqueue(...intents: Intent[]): Promise<number[]>;
  /** So long passes, and everybody works: the loops of the runner, one after the other. */
  live(ms: number, everyMs?: number): Promise<void>;
  /** Another process in place of this one, perhaps with other templates or another account. */
  restart(more?: { source?: Source; provider?: Provider }): Promise<void>;
  /** One turn of sending by a process that dies before it can write down what came of it; another is there in its place. */
  sendAndDie(): Promise<void>;
  /** Of the machine and of the database; the provider keeps its own time. The runner notices, and so does it here. */
  setClockBack(ms: number): Promise<void>;
  backUp(): Promise<void>;
  /** The database is what it was at the back-up, and the process is another. */
  restore(more?: { source?: Source; provider?: Provider }): Promise<void>;
  tell(id: string, words: EventWords): Promise<unknown>;
  find(seq: number): Promise<DeliveryRow>;
  statuses(): Promise<Partial<Record<Status, number>>>;
  story(seq: number): Promise<string[]>;
  /** How often the log says each of these. */
  told(...events: string[]): number[];
  close(): Promise<void>;
}

const from = parseSender('Tidings <noreply@example.org>') as { sender: Sender };
const worker = 'worker-1';

export async function createEngineWorld(
  dialect: DialectName,
  providerOf: (clock: ManualClock) => Provider,
): Promise<EngineWorld> {
  const { url, drop } = await emptyDatabase(dialect);
  const trueClock = createManualClock();
  let behindMs = 0;
  const clock: ManualClock = { ...trueClock, now: () => trueClock.now() - behindMs };
  const log = createRecordingLog();
  const open = () => openDatabase(url, { clock: systemClock, log });
  let db = await open();
  await migrate(db, { clock: systemClock, ids: systemIds });
  let isAway = false;
  let copy: BackUp | undefined;
  let parts: { source: Source; provider: Provider } = {
    source: plainSource,
    provider: providerOf(trueClock),
  };
  let engine = await start();

  async function start() {
    const base = breaking(db, () => isAway);
    const { source } = parts;
    const provider = createReliable(parts.provider, { clock, random: createSeededRandom(1) });
    const consent = consentOf({ db: base, clock, log });
    const outbox = createOutbox({
      ...{ db: base, clock, log, namespace: await readNamespace(db), healAfterMs: null },
      listeners: { consent: consent.learn, source: () => source.changed },
    });
    const queries = createQueries(base);
    const pace = createPace({ db: base, provider, clock, log });
    const common = { outbox, queries, sources: [source], consent, provider, pace, clock, log, worker };
    const dispatchOn = (onOutbox: Outbox, onPace: Pace) =>
      createDispatch({
        ...{ ...common, outbox: onOutbox, pace: onPace },
        ...{ from: from.sender, environment: 'test', random: createSeededRandom(2) },
      });
    const keeping = { retentionMs: 90 * 24 * 60 * minuteMs, doubtAfterMs: 60 * minuteMs };
    const policyOf = () => source.policy;
    return {
      ...{ consent, outbox, queries, pace, dispatchOn, pauses: createPauses(base, clock) },
      dispatch: dispatchOn(outbox, pace),
      sweep: createSweep({ ...common, keepers: [provider, consent.suppressions], ...keeping }),
      reconcile: createReconcile({ ...common, leaseOf: () => leaseMs(source.policy, provider.guarantees) }),
      heal: createHeal({ ...common, policyOf }),
      webhooks: webhooksOf({ db: base, clock, log, outbox }),
    };
  }

  /** As the loops of the runner: what is thrown is logged, and the next turn comes. */
  async function turn(): Promise<void> {
    const { sweep, reconcile, dispatch, heal, webhooks } = engine;
    const { signal } = new AbortController();
    const works: (() => Promise<number>)[] = [
      () => sweep.runOnce().then(() => 0),
      () => reconcile.runOnce(signal),
      async () => (await dispatch.runOnce(signal)).handled,
      () => heal.runOnce(signal),
      () => webhooks.linkWaiting(),
    ];
    for (const work of works) {
      const again = () =>
        passing(work()).catch((error: unknown) => {
          log.error('loop.failed', { error });
          return 0;
        });
      while ((await again()) > 0);
    }
  }

  /** The clock stands while a database works, and goes on for code that sleeps. */
  async function passing<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    while (!isDone) {
      await new Promise(setImmediate);
      const ms = isDone ? undefined : clock.nextWakeMs();
      if (ms !== undefined) await clock.advance(ms);
    }
    return done;
  }

  return {
    clock,
    log,
    get outbox() {
      return engine.outbox;
    },
    get consent() {
      return engine.consent;
    },
    get pauses() {
      return engine.pauses;
    },
    get webhooks() {
      return engine.webhooks;
    },
    get isDatabaseAway() {
      return isAway;
    },
    set isDatabaseAway(away) {
      isAway = away;
    },
    async enqueue(...intents) {
      return (await engine.outbox.enqueue(intents)).map(({ seq }) => seq);
    },
    async live(ms, everyMs = minuteMs) {
      const until = clock.now() + ms;
      for (;;) {
        await turn();
        const leftMs = until - clock.now();
        if (leftMs <= 0) return;
        await clock.advance(Math.min(everyMs, leftMs));
      }
    },
    async restart(more = {}) {
      parts = { ...parts, ...more };
      engine = await start();
    },
    async setClockBack(ms) {
      const from = clock.now();
      await raiseMark(db, from);
      behindMs += ms;
      await engine.outbox.setBack({ from, to: clock.now() });
    },
    async sendAndDie() {
      const never = () => new Promise<never>(() => {});
      let isOver = () => {};
      const over = new Promise<void>((resolve) => {
        isOver = resolve;
      });
      // By then all of the batch have left, and what was heard of them is about to be written down.
      const observe = () => {
        isOver();
        return never();
      };
      const { outbox, pace, dispatchOn } = engine;
      const dying = dispatchOn({ ...outbox, record: never }, { ...pace, observe });
      void dying.runOnce(new AbortController().signal);
      await passing(over);
      engine = await start();
    },
    async backUp() {
      await copy?.drop();
      copy = await backUp(url, db);
      db = await open();
      engine = await start();
    },
    async restore(more = {}) {
      parts = { ...parts, ...more };
      await db.close();
      await copy?.restore();
      db = await open();
      engine = await start();
    },
    tell: (id, words) =>
      engine.webhooks.receive(signed(id, eventBody({ at: clock.now(), ...words }), { at: clock.now() })),
    async find(seq) {
      const row = await engine.queries.find(String(seq));
      if (!row) throw new Error(`there is no delivery ${seq}`);
      return row;
    },
    statuses: async () =>
      Object.fromEntries((await engine.queries.counts()).map(({ status, count }) => [status, count])),
    async story(seq) {
      const { events } = await engine.queries.story(seq);
      return events.map(({ event, status }) => `${event} → ${status}`);
    },
    told: (...events) => events.map((event) => log.lines.filter((line) => line.event === event).length),
    async close() {
      await db.close();
      await copy?.drop();
      await drop();
    },
  };
}

/** A database that answers no statement while it is away; what has begun before may end. */
function breaking(db: Database, isAway: () => boolean): Database {
  const refuse = () => {
    if (isAway()) throw new Error('the database is away');
  };
  const plugin = {
    transformQuery: <T>({ node }: { node: T }) => {
      refuse();
      return node;
    },
    transformResult: async <T>({ result }: { result: T }) => result,
  };
  return {
    ...db,
    read: db.read.withPlugin(plugin),
    write: db.write.withPlugin(plugin),
    transaction: async (work) => {
      refuse();
      return db.transaction(work);
    },
  };
}

/** Intents `first` to `last`, to people who have never been written to. */
export function intents(first: number, last: number, more: Partial<Intent> = {}): Intent[] {
  return Array.from({ length: last - first + 1 }, (_, index) => intentNumber(first + index, more));
}
