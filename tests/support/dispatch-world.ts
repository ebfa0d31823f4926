import type { DialectName } from '../../src/db/dialect.ts';
import { createDispatch, type Dispatch } from '../../src/dispatch/dispatch.ts';
import { createHeal, type Heal } from '../../src/dispatch/heal.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile, type Reconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep, type Sweep } from '../../src/dispatch/sweep.ts';
import { parseSender, type Sender } from '../../src/domain/message.ts';
import type { Status } from '../../src/domain/status.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import type { Clock } from '../../src/std/clock.ts';
import type { Company } from '../../src/std/company.ts';
import { type Log, silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { consentOf, suppressionOf } from './consent.ts';
import { createFakeProvider, type FakeProvider } from './fake-provider.ts';
import { createWorld, intentNumber, type World } from './world.ts';

/** A world with a provider that does as the test says, and the three that work between it and the outbox. */
export interface DispatchWorld extends World {
  provider: FakeProvider;
  dispatch(more?: {
    outbox?: Outbox;
    provider?: Provider;
    source?: Source;
    log?: Log;
    clock?: Clock;
    company?: Company;
    worker?: string;
  }): Dispatch;
  sweep(log?: Log): Sweep;
  reconcile(from?: Provider, source?: Source, log?: Log): Reconcile;
  heal(from?: Provider, log?: Log): Heal;
  /** One intent a number, each by itself; answers their numbers in the outbox. */
  enqueue(...numbers: number[]): Promise<number[]>;
  find(seq: number | undefined): ReturnType<World['queries']['find']>;
  statusesOf(): Promise<Partial<Record<Status, number>>>;
  /** A worker that sends and dies before it can write anything down. */
  sendAndDie(): Promise<void>;
  suppress(address: string): Promise<void>;
}

export const leaseMs = 120_000;
export const someError = { code: 'some_code', message: 'why' };
export const signal = () => new AbortController().signal;

const from = parseSender('Tidings <noreply@example.org>') as { sender: Sender };

export async function createDispatchWorld(
  dialect: DialectName,
  more: { healAfterMs?: number } = {},
): Promise<DispatchWorld> {
  const world = await createWorld(dialect, more);
  const provider = createFakeProvider();
  const { db, clock, outbox, queries } = world;
  const consent = consentOf(world);
  const paceOf = (provider: Provider, log: Log) => createPace({ db, provider, clock, log });

  const dispatch: DispatchWorld['dispatch'] = (more = {}) => {
    const log = more.log ?? silentLog;
    return createDispatch({
      outbox: more.outbox ?? outbox,
      sources: [more.source ?? plainSource],
      consent,
      provider: more.provider ?? provider,
      clock: more.clock ?? clock,
      pace: paceOf(more.provider ?? provider, log),
      random: createSeededRandom(1),
      log,
      worker: more.worker ?? 'worker-1',
      from: from.sender,
      environment: 'test',
      ...(more.company && { company: more.company }),
    });
  };

  return {
    ...world,
    provider,
    dispatch,
    sweep: (log = silentLog) =>
      createSweep({
        ...{ outbox, queries, keepers: [provider, consent.suppressions], clock, log },
        ...{ retentionMs: 90 * 86_400_000, doubtAfterMs: 3_600_000 },
      }),
    reconcile: (from = provider, source = plainSource, log = silentLog) =>
      createReconcile({
        outbox,
        queries,
        provider: from,
        sources: [source],
        consent,
        pace: paceOf(from, log),
        clock,
        log,
        worker: 'reconciler',
        leaseOf: () => leaseMs,
      }),
    heal: (from = provider, log = silentLog) =>
      createHeal({
        ...{ outbox, provider: from, sources: [plainSource], pace: paceOf(from, log), clock, log },
        policyOf: () => plainSource.policy,
      }),
    async enqueue(...numbers) {
      const seqs = [];
      for (const number of numbers) seqs.push((await outbox.enqueue([intentNumber(number)]))[0]?.seq ?? 0);
      return seqs;
    },
    find: (seq) => queries.find(String(seq)),
    statusesOf: async () =>
      Object.fromEntries((await queries.counts()).map(({ status, count }) => [status, count])),
    async sendAndDie() {
      const before = provider.ledger.length;
      const dead: Outbox = { ...outbox, record: () => new Promise(() => {}) };
      void dispatch({ outbox: dead }).runOnce(signal());
      while (provider.ledger.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    suppress: (address_key) =>
      db.transaction(async (tx) => {
        await tx.insertInto('suppressions').values(suppressionOf(address_key)).execute();
      }),
  };
}
