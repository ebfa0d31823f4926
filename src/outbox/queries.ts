import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { DeliveryEventRow, DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { lanes } from '../domain/delivery.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Status } from '../domain/status.ts';
import { lapsesUntilSuspect } from './claim.ts';
import { type DeliveryCount, readCounts } from './counts.ts';
import { countDue, type DueWork } from './due.ts';
import { findDelivery } from './find.ts';
import { readPageOfPerson } from './person.ts';
import { isInHand, statusList } from './rows.ts';
import type { DeliveryPage } from './search.ts';

/** Reading the outbox: never locks, never changes. */
export interface OutboxQueries {
  counts(): Promise<DeliveryCount[]>;
  /**
   * Newest first. It looks at a bounded number of rows, so that it answers at once; a page may therefore be short although
   * more follows, and `next` says where.
   */
  page(filter: DeliveryFilter): Promise<DeliveryPage>;
  /** As many as asked for, if there are as many: page after page. The next starts below the last `seq` of this one. */
  search(filter: DeliveryFilter): Promise<DeliveryRow[]>;
  /** By number, UUID, the provider's message id, or key (`source:occasion:recipient`). */
  find(reference: string): Promise<DeliveryRow | undefined>;
  /** The story, oldest first, and the mails of all rounds. */
  story(seq: number): Promise<{ events: DeliveryEventRow[]; mails: DeliveryMailRow[] }>;
  /** What is in doubt, or held by a worker whose time is over: the reconciliation's and the sweep's work lists. */
  overdue(
    statuses: readonly OverdueStatus[],
    isHeld: boolean,
    now: number,
    limit: number,
  ): Promise<DeliveryRow[]>;
  /** How many of these are held, by whom, and until when at the latest; by the worker's name. */
  held(statuses: readonly OverdueStatus[]): Promise<HeldBy[]>;
  /**
   * What is said to be sent although nothing proves it, oldest first: bounded by the rows that it looks at, because most
   * that were imported have the provider's id and are passed over. `next` says where to go on.
   */
  unproven(
    sentBefore: number,
    after: Unproven | null,
    limit: number,
  ): Promise<{ rows: DeliveryRow[]; next: Unproven | null }>;
  /** The oldest moment at which a waiting row was due, or null: how far behind we are. */
  oldestDueAt(source: string): Promise<number | null>;
  /** What waits and is due, by source and lane. */
  dueCounts(sources: readonly string[], now: number): Promise<(DueWork & { count: number })[]>;
}

/** A place in the list of what is said to be sent. */
export type Unproven = { sentAt: number; seq: number };

export interface HeldBy {
  worker: string;
  count: number;
  until: number;
}

type OverdueStatus = 'claimed' | 'sending' | 'reconciling';

/** All that is given must match. Addresses are compared in lower case, everything else as it is written. */
export interface DeliveryFilter {
  status?: readonly Status[];
  source?: string;
  occasion?: string;
  occasionPrefix?: string;
  recipient?: string;
  recipientPrefix?: string;
  address?: string;
  addressPrefix?: string;
  /** Beside `address`: the same person as sources know them, for what has not been written to an address yet. */
  alsoTo?: readonly { source: string; recipients: readonly string[] }[];
  /** The code of the last error. */
  errorCode?: string;
  /** From this moment on. */
  createdAfter?: number;
  /** Until this moment, and not at it. */
  createdBefore?: number;
  /** Only lower numbers: the next page. */
  below?: number;
  limit: number;
}

export function createQueries(db: Database): OutboxQueries {
  return {
    counts: () => readCounts(db),
    dueCounts: (sources, now) => countDue(db, sources, now),
    page: (filter) => readPageOfPerson(db, filter),

    async search(filter) {
      const rows: DeliveryRow[] = [];
      let below = filter.below;
      do {
        const wanted = {
          ...filter,
          limit: filter.limit - rows.length,
          ...(below !== undefined && { below }),
        };
        const page = await readPageOfPerson(db, wanted);
        rows.push(...page.rows);
        below = page.next ?? 0;
      } while (rows.length < filter.limit && below > 0);
      return rows;
    },

    find: (reference) => findDelivery(db, reference),

    async story(seq) {
      const events = await db.read
        .selectFrom('delivery_events')
        .selectAll()
        .where('delivery_seq', '=', seq)
        .orderBy('event_seq')
        .execute();
      const mails = await db.read
        .selectFrom('delivery_mails')
        .selectAll()
        .where('delivery_seq', '=', seq)
        .orderBy('round')
        .execute();
      return { events, mails };
    },

    overdue(list, isHeld, now, limit) {
      // The index's own condition, word for word; the narrower one is hidden, or SQLite would go by the status instead.
      return db.read
        .selectFrom('deliveries')
        .selectAll()
        .where(sql<boolean>`${isInHand}`)
        .where(sql<boolean>`status || '' IN (${statusList(list)})`)
        .where('due_at', '<=', now)
        .where('locked_by', isHeld ? 'is not' : 'is', null)
        .orderBy('due_at')
        .orderBy('seq')
        .limit(limit)
        .execute();
    },

    async held(list) {
      const { rows } = await sql<HeldBy>`
        SELECT locked_by AS worker, count(*) AS count, max(due_at) AS until FROM deliveries
        WHERE ${isInHand} AND status || '' IN (${statusList(list)}) AND locked_by IS NOT NULL
        GROUP BY locked_by ORDER BY locked_by
      `.execute(db.read);
      return rows.map(({ worker, count, until }) => ({ worker, count: Number(count), until: Number(until) }));
    },

    async unproven(sentBefore, after, limit) {
      const { sentAt, seq } = after ?? { sentAt: -1, seq: 0 };
      const rows = await db.read
        .selectFrom('deliveries')
        .selectAll()
        .where(sql<boolean>`status = 'sent' AND evidence = 0`)
        .where(sql<boolean>`(sent_at, seq) > (${sentAt}, ${seq})`)
        .where('sent_at', '<=', sentBefore)
        .orderBy('sent_at')
        .orderBy('seq')
        .limit(limit)
        .execute();
      const last = rows.at(-1);
      const isMore = rows.length === limit && last && last.sent_at !== null;
      return {
        rows: rows.filter(({ provider_message_id }) => provider_message_id === null),
        next: isMore ? { sentAt: last.sent_at as number, seq: last.seq } : null,
      };
    },

    async oldestDueAt(source) {
      // One look at the head of each list that the claim takes from, in the claim's own words.
      const waits = sql`source = ${source} AND status IN (${statusList(statusesBefore('claimed'))})`;
      const suspects = sql.lit(lapsesUntilSuspect);
      const heads = [
        sql`SELECT min(due_at) AS due_at FROM deliveries WHERE ${waits} AND lapses >= ${suspects}`,
        ...lanes.map(
          (lane) => sql`SELECT min(due_at) AS due_at FROM deliveries
            WHERE ${waits} AND lapses < ${suspects} AND lane = ${sql.lit(lane)}`,
        ),
      ];
      const { rows } = await sql<{ due_at: number | null }>`
        SELECT min(due_at) AS due_at FROM (${sql.join(heads, sql` UNION ALL `)}) AS heads
      `.execute(db.read);
      return rows[0]?.due_at ?? null;
    },
  };
}
