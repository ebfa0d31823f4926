import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { termEndsAt } from '../term.ts';
import { writeEvents } from './subscription-events.ts';
import { undoWithinMs } from './watch.ts';

/**
 * What ends by itself, a few at a time: watches of terms that are over, watches that nobody confirmed, watches of somebody who
 * stopped all mails and did not take it back; and the addresses of all who have left. Two processes that do it at once pass over
 * each other's rows.
 */
export interface HousekeepingParts {
  db: Database;
  clock: Clock;
  log: Log;
  verifiesAddresses: boolean;
  contactHash: (address: Address) => string;
}

const dayMs = 86_400_000;
const unconfirmedForMs = 7 * dayMs;
/** As long as the last verification mail is good for. */
const askedForMs = 2 * dayMs;
/** What ended earlier has been ended long since. */
const yearsBack = 3;

export function createHousekeeping(parts: HousekeepingParts): (limit: number) => Promise<number> {
  const { db, clock, log, verifiesAddresses } = parts;
  const skipLocked = db.dialect === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  /** Of the lines that stopped everything: up to here they are seen to. A new process begins anew, and finds nothing to do. */
  let seenTo = 0;

  async function endWhere(
    which: RawBuilder<unknown>,
    limit: number,
    ending: { event: 'expired' | 'unsubscribed'; detail: object; isBlank?: true },
  ): Promise<number> {
    const now = clock.now();
    return db.transaction(async (tx) => {
      const { rows } = await sql<Pick<SubscriptionRow, 'subscription_id' | 'last_known_section_status'>>`
        SELECT subscription_id, last_known_section_status FROM subscriptions WHERE ${which}
        ORDER BY subscription_id LIMIT ${limit} ${skipLocked}
      `.execute(tx);
      if (rows.length === 0) return 0;
      // Without a status from before: this is nothing that could be taken back.
      await sql`
        UPDATE subscriptions SET status = 'unsubscribed', left_at = ${now}, status_before_leaving = NULL, updated_at = ${now}
          ${ending.isBlank ? sql`, contact_value = NULL` : sql``}
        WHERE subscription_id IN (SELECT subscription_id FROM ${numbered(rows)})
      `.execute(tx);
      const lines = rows.map((row) => ({
        ...{ subscriptionId: row.subscription_id, sectionStatus: row.last_known_section_status },
        ...{ event: ending.event, detail: { ...ending.detail } },
      }));
      await writeEvents(tx, db.dialect, lines, now);
      return rows.length;
    });
  }

  const numbered = (rows: readonly Pick<SubscriptionRow, 'subscription_id'>[]) =>
    rowsOf(
      db.dialect,
      { subscription_id: 'number' },
      rows.map(({ subscription_id }) => ({ subscription_id })),
    );

  async function endOverTerms(limit: number): Promise<number> {
    const terms = termsOver(clock.now()).map((term_id) => ({ term_id }));
    const over = sql`term_id IN (SELECT term_id FROM ${rowsOf(db.dialect, { term_id: 'text' }, terms)})`;
    const ending = { event: 'expired', detail: { reason: 'term over' } } as const;
    // In the words of the two indexes that hold them.
    const watching = await endWhere(sql`status IN ('active', 'pending') AND ${over}`, limit, ending);
    if (watching === limit) return watching;
    const resting = sql`status IN ('paused', 'suppressed') AND ${over}`;
    return watching + (await endWhere(resting, limit - watching, ending));
  }

  async function endUnconfirmed(limit: number): Promise<number> {
    // Where nobody is asked, nobody has to answer.
    if (!verifiesAddresses) return 0;
    const now = clock.now();
    return endWhere(
      sql`status = 'pending' AND created_at < ${now - unconfirmedForMs} AND updated_at < ${now - askedForMs}`,
      limit,
      { event: 'expired', detail: { reason: 'never confirmed' } },
    );
  }

  /** Until the day to undo is over the gate stops their mails; then their watches end too. Not what they ask for later. */
  async function endStopped(limit: number): Promise<number> {
    const { rows: lines } = await sql<{ suppression_seq: number; address_key: string; created_at: number }>`
      SELECT suppression_seq, address_key, created_at FROM suppressions
      WHERE reason = 'unsubscribed' AND scope = '*' AND lifted_at IS NULL AND suppression_seq > ${seenTo}
        AND created_at < ${clock.now() - undoWithinMs} ORDER BY suppression_seq LIMIT ${limit}
    `.execute(db.read);
    const last = lines.at(-1);
    if (!last) return 0;
    const stopped = lines.map(({ address_key, created_at }) => ({
      ...{ contact_hash: parts.contactHash(address_key as Address), stopped_at: created_at },
    }));
    const columns = { contact_hash: 'text', stopped_at: 'number' } as const;
    const theirs = sql`subscription_id IN (
      SELECT watched.subscription_id FROM ${rowsOf(db.dialect, columns, stopped)} CROSS JOIN subscriptions AS watched
      WHERE watched.contact_hash = input.contact_hash AND watched.status <> 'unsubscribed'
        AND watched.created_at <= input.stopped_at
    )`;
    const ended = await endWhere(theirs, limit, {
      ...{ event: 'unsubscribed', detail: { via: 'all mails stopped' }, isBlank: true },
    });
    // What somebody held just now was passed over, and nobody would come back for it.
    const { rows: left } = await sql`SELECT 1 FROM subscriptions WHERE ${theirs} LIMIT 1`.execute(db.read);
    if (left.length > 0) return ended;
    seenTo = last.suppression_seq;
    return lines.length === limit ? limit : ended;
  }

  async function blank(limit: number): Promise<number> {
    const before = clock.now() - undoWithinMs;
    return db.transaction(async (tx: Tx) => {
      const { rows } = await sql<Pick<SubscriptionRow, 'subscription_id'>>`
        SELECT subscription_id FROM subscriptions
        WHERE left_at IS NOT NULL AND contact_value IS NOT NULL AND left_at < ${before} AND status = 'unsubscribed'
        ORDER BY left_at LIMIT ${limit} ${skipLocked}
      `.execute(tx);
      if (rows.length === 0) return 0;
      await sql`
        UPDATE subscriptions SET contact_value = NULL
        WHERE subscription_id IN (SELECT subscription_id FROM ${numbered(rows)})
      `.execute(tx);
      return rows.length;
    });
  }

  return async (limit) => {
    const counts = {
      overTerms: await endOverTerms(limit),
      unconfirmed: await endUnconfirmed(limit),
      stopped: await endStopped(limit),
      blanked: await blank(limit),
    };
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (total > 0) log.info('seats.watches_housekept', counts);
    return total;
  };
}

function termsOver(now: number): string[] {
  const year = new Date(now).getUTCFullYear();
  const years = Array.from({ length: yearsBack + 1 }, (_, back) => year - back);
  return years
    .flatMap((one) => ['0', '1', '7', '9'].map((season) => `${season}${one}`))
    .filter((termId) => (termEndsAt(termId) ?? Number.POSITIVE_INFINITY) <= now);
}
