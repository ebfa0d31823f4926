import type { Selectable } from 'kysely';
import { expect } from 'vitest';
import { type Consent, createConsent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { ReviewsSchema } from '../../src/db/reviews-schema.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep } from '../../src/dispatch/sweep.ts';
import type { Sender } from '../../src/domain/message.ts';
import { leaseMs } from '../../src/domain/policy.ts';
import type { Status } from '../../src/domain/status.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { type CodeReviews, createCodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import type { SubmitRequest } from '../../src/sources/code-reviews/jobs/submission.ts';
import type { SubmitAnswer } from '../../src/sources/code-reviews/jobs/submit.ts';
import { reviewPolicy } from '../../src/sources/code-reviews/mail/review-source.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { signal } from '../support/dispatch-world.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { migratedDatabase } from '../support/own-database.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { type ResendByClock, resendByClock } from '../support/resend-by-clock.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { advanceUntil } from '../support/world.ts';
import type { EventWords } from '../webhooks/signed.ts';
import { tellSigned } from '../webhooks/told.ts';

/** A review bot and its reviewers on the real source, with workers to be had one turn at a time and webhooks that come back. */
export interface ReviewWorld {
  url: string;
  db: Database;
  clock: ManualClock;
  outbox: Outbox;
  queries: OutboxQueries;
  consent: Consent;
  reviews: CodeReviews;
  provider: FakeProvider;
  webhooks: Webhooks;
  log: RecordingLog;
  /** Version 3 of CL-17 to Ana, unless it says otherwise. */
  submit(more?: Partial<SubmitRequest>): Promise<SubmitAnswer>;
  /** Submits, and sends all of it; answers the job, which has succeeded. */
  succeed(more?: Partial<SubmitRequest>): Promise<SubmitAnswer['job']>;
  state(jobId: string): Promise<string>;
  /** `review_deliveries`, by version and recipient. */
  rows(): Promise<DeliveryLogRow[]>;
  /** Of a world in which there is but one. */
  row(): Promise<DeliveryLogRow>;
  /** One turn of a worker. */
  turn(more?: { provider?: Provider; outbox?: Outbox }): Promise<void>;
  /** Hands its mails over and dies before it can write anything down. */
  sendAndDie(provider?: Provider, ledger?: () => number): Promise<void>;
  sweep(): Promise<void>;
  reconcile(provider?: Provider): Promise<void>;
  tell(id: string, words: EventWords): Promise<void>;
  /** A Resend behind a real socket, by the clock of this world, and a client of it. */
  resend: ResendByClock;
  /** The events of a delivery's story, in order. */
  storyOf(seq: number): Promise<string[]>;
  statusOf(seq: number): Promise<Status | undefined>;
  close(): Promise<void>;
}

export type DeliveryLogRow = Selectable<ReviewsSchema['review_deliveries']>;

export const ana = 'ana@example.org';
export const bob = 'bob@example.org';
/** Of what `submit` asks for by itself: the next version, which is to be told after the last. */
export const asRerun = { idempotency_key: 'key-2', review_version: 4, rerun: true };
export const to = (...emails: string[]) => emails.map((email) => ({ email }));
export const submitter = { by: 'a bot', traceId: 'trace-1' };
export const hourMs = 3_600_000;

export const request = (more: Partial<SubmitRequest> = {}): SubmitRequest => ({
  ...{ idempotency_key: 'key-1', changelist_id: 'CL-17', review_version: 3 },
  ...{ recipients: to(ana), title: 'Cache the parsed policy', summary: 'Two findings.' },
  url: 'https://review.example.org/CL-17',
  findings: [
    { severity: 'major', message: 'The lock is not released', file: 'src/cache.ts', line: 12 },
    { severity: 'info', message: 'A name could be shorter' },
  ],
  ...more,
});

export async function createReviewWorld(dialect: DialectName): Promise<ReviewWorld> {
  const { url, drop, db } = await migratedDatabase(dialect);
  const clock = createManualClock();
  const log = createRecordingLog();
  const namespace = await readNamespace(db);
  const consent = createConsent({
    ...{ db, clock, ids: systemIds, log, secrets: [tokenSecret], baseUrl: () => baseUrl },
  });
  const outbox = createOutbox({
    ...{ db, clock, log, namespace },
    listeners: { consent: consent.learn, source: () => undefined },
  });
  const queries = createQueries(db);
  const reviews = createCodeReviews({
    ...{ db, outbox, queries, clock, log, ids: systemIds, against: consent.against },
    onSubmitted: () => {},
  });
  const provider = createFakeProvider();
  const webhooks = webhooksOf({ db, clock, outbox }, { environment: 'test', policyOf: () => reviewPolicy });
  const closers: (() => unknown)[] = [];
  const paceOf = (provider: Provider) => createPace({ db, provider, clock, log });
  const dispatchOf = (more: { provider?: Provider; outbox?: Outbox }) => {
    const by = more.provider ?? provider;
    return createDispatch({
      ...{ outbox: more.outbox ?? outbox, sources: [reviews.source], consent, provider: by, clock, log },
      ...{ pace: paceOf(by), random: createSeededRandom(1), worker: 'worker-1' },
      ...{ from: 'Reviews <reviews@example.org>' as Sender, environment: 'test' },
    });
  };
  const rows = () =>
    db.read
      .selectFrom('review_deliveries')
      .selectAll()
      .orderBy('review_version')
      .orderBy('recipient')
      .execute();
  const submit: ReviewWorld['submit'] = (more) => reviews.submit(request(more), submitter);
  const state = async (jobId: string) => (await reviews.get(jobId)).state;
  const turn: ReviewWorld['turn'] = async (more = {}) => {
    await advanceUntil(clock, dispatchOf(more).runOnce(signal()));
  };

  return {
    ...{ url, db, clock, outbox, queries, consent, reviews, provider, webhooks, log, rows },
    ...{ submit, turn, state },
    async succeed(more = {}) {
      const { job } = await submit(more);
      await turn();
      expect(await state(job.row.job_id)).toBe('succeeded');
      return job;
    },
    async row() {
      const [only, ...others] = await rows();
      if (!only || others.length > 0) throw new Error(`one row was expected: ${others.length + 1}`);
      return only;
    },
    async sendAndDie(from = provider, ledger = () => provider.ledger.length) {
      const before = ledger();
      const dead: Outbox = { ...outbox, record: () => new Promise(() => {}) };
      void dispatchOf({ outbox: dead, provider: from }).runOnce(signal());
      for (let wait = 0; wait < 5_000 && ledger() === before; wait++)
        await new Promise((resolve) => setTimeout(resolve, 2));
    },
    async sweep() {
      const keepers = [provider, consent.suppressions, reviews];
      const parts = { outbox, queries, keepers, clock, log, retentionMs: 90 * 24 * hourMs };
      await createSweep({ ...parts, doubtAfterMs: hourMs }).runOnce();
    },
    async reconcile(from = provider) {
      const settling = createReconcile({
        ...{ outbox, queries, provider: from, sources: [reviews.source], consent, clock, log },
        ...{ pace: paceOf(from), worker: 'reconciler' },
        leaseOf: () => leaseMs(reviewPolicy, from.guarantees),
      });
      await advanceUntil(clock, settling.runOnce(signal()));
    },
    tell: (id, words) => tellSigned({ webhooks, clock }, id, words),
    resend: resendByClock({ clock, closers }),
    storyOf: async (seq) => (await queries.story(seq)).events.map(({ event }) => event),
    statusOf: async (seq) => (await queries.find(String(seq)))?.status,
    async close() {
      for (const close of closers) await close();
      await db.close();
      await drop();
    },
  };
}

/** What a mail carries for the provider to filter by, as webhooks bring it back. */
export const tagsOf = ({ delivery_id }: Pick<DeliveryLogRow, 'delivery_id'>, round = 1) => ({
  ...{ delivery_id, round: String(round), env: 'test' },
});
