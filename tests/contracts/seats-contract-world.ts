import type { Insertable, Selectable } from 'kysely';
import type { DialectName } from '../../src/db/dialect.ts';
import type { SeatsSchema, SectionStatus } from '../../src/db/seats-schema.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Parcel, Provider } from '../../src/providers/provider.ts';
import { buildMailJob, type MailJob } from '../../src/sources/course-seats/mail/mail-job.ts';
import { readJobRows } from '../../src/sources/course-seats/mail/seat-rows.ts';
import { seatPolicy } from '../../src/sources/course-seats/mail/seat-source.ts';
import type { Draft, Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { createEventsWorld, type EventsWorld } from '../seats/events-world.ts';
import { seatSourceOf } from '../seats/mail-world.ts';
import { consentOf } from '../support/consent.ts';
import { leaseMs, signal } from '../support/dispatch-world.ts';

/**
 * The campus with everything between a poller's sighting and the provider, and spec 000's queue to read. Each opening is of a
 * section of its own with a watcher of its own, so that many tests may share one world.
 */
export interface ContractWorld extends EventsWorld {
  source: Source;
  /** A section that was this before, and that nobody watches. */
  newSection(status?: SectionStatus): Promise<{ index: string; sectionId: number }>;
  /** A section opens, as a poller sees it, and is fanned out to its only watcher. */
  opened(more?: Partial<Insertable<SeatsSchema['subscriptions']>>): Promise<Opened>;
  /** A row of the queue as the specification has it, with its error read. */
  row(seq: number): Promise<QueueRow>;
  /** `pending mailbox_busy 1`: its status, its error's code, its attempts. */
  words(seq: number): Promise<string>;
  job(seq: number): Promise<MailJob>;
  /** One turn of a worker. */
  turn(more?: { source?: Source; provider?: Provider }): Promise<void>;
  /** The source, which drafts the mail of this row differently. */
  drafting(of: { seq: number }, change: (draft: Drafted) => Partial<Drafted>): Source;
  /** What the provider says from now on; without a word, that it has accepted. */
  says(outcome?: Outcome): void;
  /** What was handed to the provider for this subscription. */
  parcelsOf(of: { subscriptionId: number }): Parcel[];
  /** Who looks after what was left behind: the sweep, and whoever settles doubts. */
  lookAfter(): Promise<void>;
}

export interface Opened {
  seq: number;
  openEventId: number;
  subscriptionId: number;
  index: string;
  sectionId: number;
}

export type QueueRow = Omit<Selectable<SeatsSchema['open_event_notifications']>, 'error'> & {
  error: Record<string, unknown> | null;
};

type Drafted = Extract<Draft, { kind: 'draft' }>;

export const links = { manageUrl: 'https://seats.example.org/manage/abc' };

/** A refusal that may pass, for `waitMs` where it says how long. */
export const busy = (retryAfterMs?: number): Outcome => ({
  ...{ kind: 'refused_for_now', error: { code: 'mailbox_busy', provider: 'fake', message: 'come again' } },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

export async function createContractWorld(dialect: DialectName): Promise<ContractWorld> {
  const world = await createEventsWorld(dialect);
  const { db, clock, outbox, provider, queries } = world;
  const source = seatSourceOf(world);
  world.keepBooks(source);
  let sections = 0;

  const newSection: ContractWorld['newSection'] = async (status = 'Closed') => {
    sections += 1;
    const index = String(10_000 + sections);
    return { index, sectionId: await world.addSection(index, { last_known_section_status: status }) };
  };
  const row: ContractWorld['row'] = async (seq) => {
    const found = await db.read
      .selectFrom('open_event_notifications')
      .selectAll()
      .where('notification_id', '=', seq)
      .executeTakeFirstOrThrow();
    return { ...found, error: found.error === null ? null : JSON.parse(found.error) };
  };
  return {
    ...{ ...world, source, newSection, row },
    async opened(more = {}) {
      const { index, sectionId } = await newSection();
      const watched = { index_number: index, section_id: sectionId };
      const subscriptionId = await world.addSubscription({ ...watched, ...more });
      await world.opens(index);
      while ((await world.fanOut.runOnce()) > 0) {}
      const found = await db.read
        .selectFrom('open_event_notifications')
        .select(['notification_id', 'open_event_id'])
        .where('subscription_id', '=', subscriptionId)
        .executeTakeFirstOrThrow();
      const { notification_id: seq, open_event_id: openEventId } = found;
      return { seq, openEventId, subscriptionId, index, sectionId };
    },
    async words(seq) {
      const { fanout_status, error, fanout_attempts } = await row(seq);
      return [fanout_status, error?.code, fanout_attempts].filter((part) => part !== undefined).join(' ');
    },
    async job(seq) {
      const found = (await readJobRows(db, [seq])).get(seq);
      if (!found) throw new Error(`no row ${seq} in the queue`);
      const email = found.contact_value ?? '';
      return buildMailJob(found, { email, locale: 'en', policy: seatPolicy, links, variables: {} });
    },
    async turn(more = {}) {
      await world.dispatch({ outbox, source, ...more }).runOnce(signal());
    },
    drafting: ({ seq }, change) => ({
      ...source,
      async draft(batch) {
        const drafts = new Map(await source.draft(batch));
        const draft = drafts.get(seq);
        if (draft?.kind === 'draft') drafts.set(seq, { ...draft, ...change(draft) });
        return drafts;
      },
    }),
    says(outcome) {
      provider.answer(({ key }) => outcome ?? { kind: 'accepted', messageId: `id-${key}` });
    },
    parcelsOf: ({ subscriptionId }) =>
      provider.ledger.filter(({ mail }) => mail.tags.subscription_id === String(subscriptionId)),
    async lookAfter() {
      await world.sweep().runOnce();
      const pace = createPace({ db, provider, clock, log: silentLog });
      const parts = { outbox, queries, provider, pace, clock, sources: [source], log: silentLog };
      const settling = { worker: 'reconciler', leaseOf: () => leaseMs, consent: consentOf(world) };
      await createReconcile({ ...parts, ...settling }).runOnce(signal());
    },
  };
}
