import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import type { DeliveryMailRow } from '../db/schema.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import { type Claimed, claimedOf, mailsOf, takeInHand } from './claim.ts';
import { isInHand, statusList } from './rows.ts';

/** A delivery of which a mail may exist, held until `leaseEndsAt` by whoever settles it. */
export interface Doubted extends Claimed {
  account: string | null;
  providerMessageId: string | null;
  /** Its bytes exist since then. A database that went back in time may know of no attempt that is so old. */
  mayExistSince: number;
  resubmitUntil: number | null;
  lastAttemptAt: number;
  /** It was said to be sent, and nothing proves that it ever left. */
  isUnproven: boolean;
}

export interface TakeUpOrder {
  worker: string;
  limit: number;
  leaseMs: number;
  /** An operator goes through all of them once, by number; `isEarly` takes what is not due yet, if nobody holds it. */
  walk?: { above: number; isEarly: boolean };
}

/** As the claim takes waiting rows, this takes doubtful ones: each to one process at a time, none waits for another. */
export async function takeUpDeliveries(
  tx: Tx,
  dialect: DialectName,
  order: TakeUpOrder,
  now: number,
): Promise<Doubted[]> {
  const leaseEndsAt = now + order.leaseMs;
  const { walk } = order;
  const isTime = walk?.isEarly
    ? sql`due_at >= 0 AND (due_at <= ${now} OR locked_by IS NULL)`
    : sql`due_at <= ${now}`;
  // The first condition is the index's own, word for word: SQLite asks for that. By the bare number it would read the table.
  const due = sql`
    SELECT seq FROM deliveries
    WHERE ${isInHand} AND status IN (${statusList(statusesBefore('taken_up'))})
      AND ${isTime} ${walk ? sql`AND seq + 0 > ${walk.above} ORDER BY seq + 0` : sql`ORDER BY due_at, seq`}
    LIMIT ${order.limit}`;
  const rows = await takeInHand(tx, dialect, { due, worker: order.worker, leaseEndsAt, now });
  if (rows.length === 0) return [];
  const mails = await mailsOf(
    tx,
    dialect,
    rows.map(({ seq, round }) => ({ seq, round })),
  );
  return rows.map((row) => ({
    ...claimedOf(row, row.round, leaseEndsAt, mails.get(row.seq) ?? []),
    mayExistSince: Math.min(row.first_possible_accept_at ?? now, frozenAt(mails.get(row.seq)) ?? now),
    account: row.account,
    providerMessageId: row.provider_message_id,
    resubmitUntil: row.resubmit_until,
    lastAttemptAt: row.last_attempt_at ?? row.first_possible_accept_at ?? now,
    isUnproven: row.evidence === 0,
  }));
}

const frozenAt = (mails: readonly DeliveryMailRow[] = []) => mails.find(({ round }) => round > 0)?.frozen_at;
