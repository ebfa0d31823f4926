import type { Selectable } from 'kysely';
import type { DialectName } from '../../src/db/dialect.ts';
import type { NewslettersSchema } from '../../src/db/newsletters-schema.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep } from '../../src/dispatch/sweep.ts';
import type { Sender } from '../../src/domain/message.ts';
import { leaseMs } from '../../src/domain/policy.ts';
import type { Status } from '../../src/domain/status.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { newsletterPolicy } from '../../src/sources/newsletters/mail/newsletter-source.ts';
import type { TriggerRequest } from '../../src/sources/newsletters/runs/run-order.ts';
import type { TriggerResponse } from '../../src/sources/newsletters/runs/runs.ts';
import type { Source } from '../../src/sources/source.ts';
import { type Log, silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { type CivicWorld, createCivicWorld, monthly } from '../newsletters/civic-world.ts';
import { signal } from '../support/dispatch-world.ts';
import { type ResendByClock, resendByClock } from '../support/resend-by-clock.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { advanceUntil } from '../support/world.ts';
import type { EventWords } from '../webhooks/signed.ts';
import { tellSigned } from '../webhooks/told.ts';

/** The civic platform with spec 002's own table to read, workers to be had one by one, and webhooks that come back. */
export interface CivicContract extends CivicWorld {
  webhooks: Webhooks;
  trigger(more?: Partial<TriggerRequest>): Promise<TriggerResponse>;
  /** So many follow an entity each; the run is collected and composed, and nothing is sent. */
  composed(count?: number): Promise<DeliveryRecord[]>;
  /** `notification_deliveries`, by delivery key. */
  records(): Promise<DeliveryRecord[]>;
  /** Of a world in which there is but one. */
  record(): Promise<DeliveryRecord>;
  /** One turn of a worker; answers how long it is asked to wait. */
  turn(more?: Worker): Promise<number>;
  /** Hands its mails over and dies before it can write anything down. */
  sendAndDie(): Promise<void>;
  /** The sweep, and then whoever settles doubts; answers how many the sweep has recovered. */
  sweep(log?: Log): Promise<number>;
  reconcile(provider?: Provider): Promise<void>;
  tell(id: string, words: EventWords): Promise<void>;
  /** A Resend behind a real socket, by the clock of this world, and a client of it. */
  resend: ResendByClock;
}

export type DeliveryRecord = Selectable<NewslettersSchema['notification_deliveries']>;

export interface Worker {
  name?: string;
  provider?: Provider;
  log?: Log;
  outbox?: Outbox;
  source?: Source;
}

export const by = { by: 'a test' };
export const from = 'Budgets <budgets@example.org>' as Sender;
export const environment = 'test';

export async function createCivicContract(dialect: DialectName): Promise<CivicContract> {
  const world = await createCivicWorld(dialect);
  const { db, clock, outbox, queries, consent, newsletters } = world;
  const { source, runs } = newsletters;
  const webhooks = webhooksOf({ db, clock, outbox }, { environment, policyOf: () => newsletterPolicy });
  const closers: (() => unknown)[] = [];
  const sources = [source];
  const paceOf = (provider: Provider, log: Log) => createPace({ db, provider, clock, log });

  const records = async () =>
    db.read.selectFrom('notification_deliveries').selectAll().orderBy('delivery_key').execute();
  const trigger: CivicContract['trigger'] = (more = {}) =>
    runs.trigger({ notificationType: monthly, ...more }, by);
  const dispatchOf = ({ name = 'worker-1', provider = world.provider, log = silentLog, ...more }: Worker) =>
    createDispatch({
      ...{ outbox: more.outbox ?? outbox, consent, provider, clock, log, worker: name },
      sources: [more.source ?? source],
      ...{ pace: paceOf(provider, log), random: createSeededRandom(1), from, environment },
    });

  return {
    ...world,
    ...{ webhooks, trigger, records },
    async composed(count = 1) {
      await world.followAll(count);
      await trigger();
      while ((await runs.runOnce()) === 'again') {}
      return records();
    },
    async record() {
      const [only, ...others] = await records();
      if (!only || others.length > 0) throw new Error(`one record was expected: ${others.length}`);
      return only;
    },
    async turn(more = {}) {
      return (await advanceUntil(clock, dispatchOf(more).runOnce(signal()))).waitMs;
    },
    async sendAndDie() {
      const before = world.provider.ledger.length;
      const dead: Outbox = { ...outbox, record: () => new Promise(() => {}) };
      void dispatchOf({ outbox: dead }).runOnce(signal());
      for (let turn = 0; turn < 2_000 && world.provider.ledger.length === before; turn++)
        await new Promise((resolve) => setTimeout(resolve, 2));
    },
    async sweep(log = silentLog) {
      const keepers = [world.provider, consent.suppressions];
      const parts = { outbox, queries, keepers, clock, log, retentionMs: 90 * 86_400_000 };
      return (await createSweep({ ...parts, doubtAfterMs: 3_600_000 }).runOnce()).recovered;
    },
    async reconcile(provider = world.provider) {
      const settling = createReconcile({
        ...{ outbox, queries, provider, sources, consent, clock, log: silentLog, worker: 'reconciler' },
        ...{
          pace: paceOf(provider, silentLog),
          leaseOf: () => leaseMs(newsletterPolicy, provider.guarantees),
        },
      });
      await advanceUntil(clock, settling.runOnce(signal()));
    },
    tell: (id, words) => tellSigned({ webhooks, clock }, id, words),
    resend: resendByClock({ clock, closers }),
    async close() {
      for (const close of closers) await close();
      await world.close();
    },
  };
}

/** What a mail carries for the provider to filter by, as webhooks bring it back. */
export const tagsOf = ({ id }: Pick<DeliveryRecord, 'id'>, round = 1) => ({
  ...{ delivery_id: id, round: String(round), env: environment },
});

/** All deliveries in that status, due and as the checks of the table want it: as somebody would who writes into it by hand. */
export async function setStatus({ db }: Pick<CivicContract, 'db'>, status: Status): Promise<void> {
  const isHeld = status === 'claimed' || status === 'sending';
  const isInDoubt = ['sending', 'reconciling', 'needs_review'].includes(status);
  await db.write
    .updateTable('deliveries')
    .set({
      ...{ status, due_at: 1, sent_at: 1, locked_by: isHeld ? 'somebody' : null },
      first_possible_accept_at: isInDoubt ? 1 : null,
    })
    .execute();
}
