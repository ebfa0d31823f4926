import { sql } from 'kysely';
import type { Database, Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { seqsInBlocks } from '../db/in-blocks.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Recorded, Report } from '../outbox/record.ts';

/**
 * What providers told us: the statements on `webhook_events`, and the questions about deliveries that a webhook asks. What
 * to do with an event is decided elsewhere (`webhook.ts`), which sees only this.
 */
export interface WebhookLog {
  /**
   * All of it or nothing, in the caller's transaction where there is one. `work` may run more than once: it must do nothing but use its
   * page.
   */
  together<T>(work: (page: WebhookPage) => Promise<T>, tx?: Tx): Promise<T>;
  /** Events that found no delivery and are due to be tried again. */
  waiting(now: number, limit: number): Promise<WaitingEvent[]>;
  /** Forgets what was said, not that it was; answers of how many events. */
  blank(before: number, limit: number): Promise<number>;
}

export interface WebhookPage {
  /** Once by the provider's id of it. Undefined where it is here already: then it is counted as a repeat. */
  keep(event: NewEvent): Promise<number | undefined>;
  /** Only one of those who try at the same time gets it; it is due again at `dueAt`. */
  take(event: WaitingEvent, now: number, dueAt: number): Promise<boolean>;
  deliveryById(id: string): Promise<KnownDelivery | undefined>;
  deliveryByMessageId(messageId: string): Promise<KnownDelivery | undefined>;
  record(report: Report): Promise<Recorded | undefined>;
  mark(eventSeq: number, done: Processed): Promise<void>;
}

interface NewEvent {
  provider: string;
  id: string;
  type: string;
  messageId: string | null;
  happenedAt: number | null;
  receivedAt: number;
  dueAt: number;
  payload: string;
}

export interface WaitingEvent {
  eventSeq: number;
  provider: string;
  receivedAt: number;
  tries: number;
  payload: string;
}

interface Processed {
  deliverySeq: number | null;
  outcome: string;
  at: number;
  /** It is about nobody's mail of ours: what it says is not kept. */
  isStrangers: boolean;
}

export interface KnownDelivery {
  seq: number;
  id: string;
  source: string;
  traceId: string | null;
  createdAt: number;
  /** The last that has begun; 0 before the first. */
  round: number;
  /** The provider's ids of its mails by round, as far as they are known. */
  messageIds: ReadonlyMap<number, string>;
}

export function createWebhookLog({ db, outbox }: { db: Database; outbox: Outbox }): WebhookLog {
  return {
    together: (work, given) =>
      given
        ? work(pageOf(given, db.dialect, outbox))
        : db.transaction((tx) => work(pageOf(tx, db.dialect, outbox))),

    async waiting(now, limit) {
      const rows = await db.read
        .selectFrom('webhook_events')
        .select(['event_seq', 'provider', 'received_at', 'tries', 'payload'])
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('event_seq')
        .limit(limit)
        .execute();
      return rows.map(({ event_seq, received_at, payload, ...row }) => ({
        ...{ ...row, eventSeq: event_seq, receivedAt: received_at, payload: payload ?? '' },
      }));
    },

    blank: (before, limit) =>
      db.transaction(async (tx) => {
        // In the words of its index; what waits is still read. By their numbers and in two steps: in one, PostgreSQL reads the
        // whole table for a batch of this size.
        const { rows } = await sql<{ event_seq: number }>`
          SELECT event_seq FROM webhook_events
          WHERE payload IS NOT NULL AND received_at < ${before} AND due_at IS NULL
          ORDER BY received_at LIMIT ${limit} ${db.dialect === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``}
        `.execute(tx);
        if (rows.length === 0) return 0;
        const { numUpdatedRows } = await tx
          .updateTable('webhook_events')
          .set({ payload: null })
          .where(
            'event_seq',
            'in',
            rows.map(({ event_seq }) => event_seq),
          )
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }),
  };
}

function pageOf(tx: Tx, dialect: DialectName, outbox: Outbox): WebhookPage {
  async function known(seq: number | undefined): Promise<KnownDelivery | undefined> {
    if (seq === undefined) return undefined;
    const row = await tx
      .selectFrom('deliveries')
      .select(deliveryColumns)
      .where('seq', '=', seq)
      .executeTakeFirst();
    return row && withMessageIds(row, tx);
  }

  return {
    async keep({ provider, id, type, messageId, happenedAt, receivedAt, dueAt, payload }) {
      // First of all: of two that come at once, one waits here for the other's commit and then finds it done.
      const { event_seq, repeats } = await tx
        .insertInto('webhook_events')
        .values({
          ...{ provider, provider_event_id: id, type, provider_message_id: messageId },
          ...{ happened_at: happenedAt, received_at: receivedAt, due_at: dueAt, payload },
        })
        .onConflict((conflict) =>
          conflict
            .columns(['provider', 'provider_event_id'])
            .doUpdateSet((eb) => ({ repeats: eb('webhook_events.repeats', '+', 1) })),
        )
        .returning(['event_seq', 'repeats'])
        .executeTakeFirstOrThrow();
      return repeats === 0 ? event_seq : undefined;
    },

    async take({ eventSeq, tries }, now, dueAt) {
      const { numUpdatedRows } = await tx
        .updateTable('webhook_events')
        .set({ tries: tries + 1, due_at: dueAt })
        .where('event_seq', '=', eventSeq)
        .where('due_at', '<=', now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async deliveryById(id) {
      return known((await seqsInBlocks(tx, dialect, 'id', [id])).get(id));
    },

    async deliveryByMessageId(messageId) {
      const latest = (await seqsInBlocks(tx, dialect, 'provider_message_id', [messageId])).get(messageId);
      if (latest !== undefined) return known(latest);
      const earlier = await tx
        .selectFrom('delivery_mails')
        .select('delivery_seq')
        .where('provider_message_id', '=', messageId)
        .executeTakeFirst();
      return known(earlier?.delivery_seq);
    },

    async record(report) {
      const [answer] = await outbox.record([report], tx);
      return answer;
    },

    async mark(eventSeq, { deliverySeq, outcome, at, isStrangers }) {
      await tx
        .updateTable('webhook_events')
        .set({
          ...{ delivery_seq: deliverySeq, outcome, processed_at: at, due_at: null },
          ...(isStrangers && { payload: null }),
        })
        .where('event_seq', '=', eventSeq)
        .execute();
    },
  };
}

const deliveryColumns = [
  ...(['seq', 'id', 'source', 'trace_id', 'created_at', 'round', 'provider_message_id'] as const),
] as const;

interface FoundRow {
  seq: number;
  id: string;
  source: string;
  trace_id: string | null;
  created_at: number;
  round: number;
  provider_message_id: string | null;
}

/** The row has the id of its latest round, each earlier round's mail has its own. */
async function withMessageIds(row: FoundRow, tx: Tx): Promise<KnownDelivery> {
  const { seq, id, source, trace_id: traceId, created_at: createdAt, round } = row;
  const { provider_message_id: latest } = row;
  const messageIds = new Map<number, string>();
  if (round > 1) {
    const mails = await tx
      .selectFrom('delivery_mails')
      .select(['round', 'provider_message_id'])
      .where('delivery_seq', '=', seq)
      .where('round', '<', round)
      .execute();
    for (const mail of mails) {
      if (mail.provider_message_id !== null) messageIds.set(mail.round, mail.provider_message_id);
    }
  }
  if (latest !== null) messageIds.set(Math.max(round, 1), latest);
  return { seq, id, source, traceId, createdAt, round, messageIds };
}
