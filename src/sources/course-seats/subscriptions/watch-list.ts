import { sql } from 'kysely';
import type { Tokens } from '../../../consent/token.ts';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Subscriptions, Watch } from './subscriptions.ts';
import { showWatches } from './watch.ts';

/**
 * Watches as an operator sees them: of a person or of a section, newest first, those that ended included. People are found by
 * the hash of their address, also when the address itself is gone. Never with the link, which is its owner's.
 */
export interface ListedWatch extends Omit<Watch, 'token'> {
  /** Null when its owner has left and the day to take that back is over. */
  address: string | null;
  /** When and how it ended, and an operator's reason. */
  ended: { at: number; how: string; because: string | null } | null;
}

export type WatchesOf = { address: Address } | { termId: string; indexNumber: string };

export interface WatchListParts {
  db: Database;
  clock: Clock;
  tokens: Tokens;
  contactHash: (address: Address) => string;
}

type WatchList = Pick<Subscriptions, 'list' | 'recipientsAt'>;

export function createWatchList({ db, clock, tokens, contactHash }: WatchListParts): WatchList {
  return {
    async list(whose, limit) {
      const rows =
        'address' in whose
          ? await ofContact(db, contactHash(whose.address), limit)
          : await ofSection(db, whose, limit);
      const shown = await showWatches(db, tokens, rows, clock.now());
      const ends = await readEnds(db, rows);
      return shown.map(({ token: _, ...watch }, index) => {
        const { left_at: at = null, contact_value: address = null } = rows[index] ?? {};
        const words = ends.get(watch.subscriptionId);
        const ended = watch.status === 'unsubscribed' && at !== null ? { at, ...endOf(words) } : null;
        return { ...watch, address, ended };
      });
    },
    async recipientsAt(address, limit) {
      const rows = await ofContact(db, contactHash(address), limit);
      return rows.map(({ subscription_id }) => String(subscription_id));
    },
  };
}

async function ofContact(db: Database, contactHash: string, limit: number): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    SELECT * FROM subscriptions WHERE contact_hash = ${contactHash} ORDER BY subscription_id DESC LIMIT ${limit}
  `.execute(db.read);
  return rows;
}

/** In the words of the two indexes that hold them. */
async function ofSection(
  db: Database,
  { termId, indexNumber }: { termId: string; indexNumber: string },
  limit: number,
): Promise<SubscriptionRow[]> {
  const where = sql`term_id = ${termId} AND index_number = ${indexNumber}`;
  const { rows } = await sql<SubscriptionRow>`
    SELECT * FROM subscriptions WHERE ${where} AND status IN ('active', 'pending')
    UNION ALL SELECT * FROM subscriptions WHERE ${where} AND status IN ('paused', 'suppressed', 'unsubscribed')
    ORDER BY subscription_id DESC LIMIT ${limit}
  `.execute(db.read);
  return rows;
}

interface EndWords {
  via?: string;
  reason?: string;
  by?: string;
  because?: string;
}

async function readEnds(
  db: Database,
  rows: readonly SubscriptionRow[],
): Promise<ReadonlyMap<number, EndWords>> {
  const ended = rows.flatMap(({ subscription_id, status }) =>
    status === 'unsubscribed' ? [{ subscription_id }] : [],
  );
  if (ended.length === 0) return new Map();
  const input = rowsOf(db.dialect, { subscription_id: 'number' }, ended);
  const { rows: lines } = await sql<{ subscription_id: number; detail: string | null }>`
    SELECT input.subscription_id, (
      SELECT lines.detail FROM subscription_events AS lines
      WHERE lines.subscription_id = input.subscription_id AND lines.event_type IN ('unsubscribed', 'expired')
      ORDER BY lines.subscription_event_id DESC LIMIT 1
    ) AS detail FROM ${input}
  `.execute(db.read);
  return new Map(lines.map((line) => [line.subscription_id, JSON.parse(line.detail ?? '{}') as EndWords]));
}

/** `link in a mail`, `manage page`, `term over`, `operator ana`: as its line says. */
function endOf({ via, reason, by, because }: EndWords = {}) {
  return { how: by ?? via ?? reason ?? 'unknown', because: because ?? null };
}
