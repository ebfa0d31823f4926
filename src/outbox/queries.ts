import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { DeliveryEventRow, DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { addressKey, parseAddress } from '../domain/address.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Status } from '../domain/status.ts';
import { isUuid } from '../std/ids.ts';
import { statusList } from './rows.ts';

/** Reading the outbox: never locks, never changes. */
export interface OutboxQueries {
  counts(): Promise<{ source: string; status: Status; count: number }[]>;
  /** Newest first. The next page starts below the last `seq` of this one. */
  search(filter: DeliveryFilter): Promise<DeliveryRow[]>;
  /** By number, UUID, or the provider's message id. */
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
  /** What waits although its last moment has passed. */
  tooLate(now: number, limit: number): Promise<DeliveryRow[]>;
  /** The oldest moment at which a waiting row was due, or null: how far behind we are. */
  oldestDueAt(source: string): Promise<number | null>;
}

type OverdueStatus = 'claimed' | 'sending' | 'reconciling';

export interface DeliveryFilter {
  status?: readonly Status[];
  source?: string;
  occasion?: string;
  recipient?: string;
  address?: string;
  below?: number;
  limit: number;
}

export function createQueries(db: Database): OutboxQueries {
  return {
    async counts() {
      const rows = await db.read
        .selectFrom('deliveries')
        .select((eb) => ['source', 'status', eb.fn.countAll().as('count')])
        .groupBy(['source', 'status'])
        .orderBy('source')
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },

    search({ status, source, occasion, recipient, address, below, limit }) {
      let query = db.read.selectFrom('deliveries').selectAll().orderBy('seq', 'desc').limit(limit);
      if (status?.length === 0) return Promise.resolve([]);
      if (status) query = query.where('status', 'in', status);
      // SQLite uses a partial index only if its condition stands in the query, word for word.
      if (status?.every((each) => attention.includes(each))) {
        query = query.where(sql<boolean>`status IN (${statusList(attention)})`);
      }
      if (source !== undefined) query = query.where('source', '=', source);
      if (occasion !== undefined) query = query.where('occasion', '=', occasion);
      if (recipient !== undefined) query = query.where('recipient', '=', recipient);
      if (address !== undefined) query = query.where('to_email', 'in', spellings(address));
      if (below !== undefined) query = query.where('seq', '<', below);
      return query.execute();
    },

    async find(reference) {
      const query = db.read.selectFrom('deliveries').selectAll();
      if (/^\d{1,15}$/.test(reference)) return query.where('seq', '=', Number(reference)).executeTakeFirst();
      if (isUuid(reference)) {
        const byId = await query.where('id', '=', reference).executeTakeFirst();
        if (byId) return byId;
      }
      const current = await query.where('provider_message_id', '=', reference).executeTakeFirst();
      if (current) return current;
      const earlier = await db.read
        .selectFrom('delivery_mails')
        .select('delivery_seq')
        .where('provider_message_id', '=', reference)
        .executeTakeFirst();
      return earlier && query.where('seq', '=', earlier.delivery_seq).executeTakeFirst();
    },

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
      return db.read
        .selectFrom('deliveries')
        .selectAll()
        .where(sql<boolean>`status IN (${statusList(list)})`)
        .where('due_at', '<=', now)
        .where('locked_by', isHeld ? 'is not' : 'is', null)
        .orderBy('due_at')
        .orderBy('seq')
        .limit(limit)
        .execute();
    },

    tooLate(now, limit) {
      // As the index `deliveries_expiring` has it, word for word.
      return db.read
        .selectFrom('deliveries')
        .selectAll()
        .where(sql<boolean>`expires_at IS NOT NULL AND status IN (${statusList(statusesBefore('claimed'))})`)
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .orderBy('seq')
        .limit(limit)
        .execute();
    },

    async oldestDueAt(source) {
      const row = await db.read
        .selectFrom('deliveries')
        .select((eb) => eb.fn.min('due_at').as('due_at'))
        .where(sql<boolean>`status IN (${statusList(statusesBefore('claimed'))})`)
        .where('source', '=', source)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },
  };
}

/** The operator's work lists, as the index `deliveries_attention` has them. */
const attention: readonly Status[] = ['needs_review', 'failed_permanent'];

/** Addresses are stored as they are written to; people look for them in lower case. */
function spellings(address: string): string[] {
  const parsed = parseAddress(address);
  return parsed.ok ? [...new Set([parsed.address as string, addressKey(parsed.address)])] : [address];
}
