import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import type { DeliveryState } from '../domain/transition.ts';
import { isAmong } from './claim.ts';
import { lockDeliveries } from './rows.ts';

/** An accepted mail of whose fate no word has come. */
export interface Unconfirmed {
  seq: number;
  id: string;
  traceId: string | null;
  source: string;
  round: number;
  account: string | null;
  messageId: string | null;
  /** When this round's mail left, or nearly so. */
  leftAt: number;
}

export interface UnconfirmedOrder {
  limit: number;
  /** Nobody else asks about them for so long; who dies with the question leaves them to the next after that. */
  holdMs: number;
}

/** A mail server gives up after two to five days; what has not been heard of after three is not worth a question a day. */
const askedForMs = 3 * 86_400_000;
/** The last look may come a little late, and is still a look. */
const lateMs = 3_600_000;
/** No two looks closer than this, whatever the clocks say. */
const againMinMs = 60_000;

/**
 * In one statement, so that two processes never ask about the same mail at once. Of all accounts: those that this process
 * cannot ask about move on as well, and do not stand in front of the others for ever.
 */
export async function takeUnconfirmed(
  tx: Tx,
  dialect: DialectName,
  { limit, holdMs }: UnconfirmedOrder,
  now: number,
): Promise<Unconfirmed[]> {
  // The first line is the condition of the index `deliveries_unconfirmed`, word for word.
  const due = sql`
    SELECT seq FROM deliveries WHERE status = 'sent' AND due_at IS NOT NULL
      AND due_at <= ${now} ORDER BY due_at, seq LIMIT ${limit}`;
  const { rows } = await sql<DeliveryRow>`
    UPDATE deliveries SET due_at = ${now + holdMs}
    WHERE ${isAmong(dialect, due)}
    RETURNING *
  `.execute(tx);
  return rows.map((row) => ({
    ...{ seq: row.seq, id: row.id, traceId: row.trace_id },
    ...{ source: row.source, round: row.round, account: row.account },
    ...{
      messageId: row.provider_message_id,
      leftAt: leftAtOf({ lastAttemptAt: row.last_attempt_at, sentAt: row.sent_at }, now),
    },
  }));
}

/**
 * A database that went back in time has lost the attempt, and was told later that the mail is there: the last attempt that it knows of may
 * be days older. What is said to have been accepted in time to come was told by a clock that has been set back since, and tells nothing.
 */
function leftAtOf(
  { lastAttemptAt, sentAt }: Pick<DeliveryState, 'lastAttemptAt' | 'sentAt'>,
  now: number,
): number {
  const attemptAt = lastAttemptAt ?? sentAt ?? now;
  return sentAt !== null && sentAt <= now ? Math.max(attemptAt, sentAt) : attemptAt;
}

/** As long again as it has been since the mail left: after 6 hours, 12, a day, two, and a last time after three. */
export async function lookAgainLater(
  tx: Tx,
  dialect: DialectName,
  seqs: readonly number[],
  now: number,
): Promise<void> {
  if (seqs.length === 0) return;
  const rows = await lockDeliveries(tx, dialect, seqs);
  const next = rows
    .filter(({ state }) => state.status === 'sent' && state.dueAt !== null)
    .map(({ seq, state }) => ({ seq, due_at: nextLookAt(leftAtOf(state, now), now) }));
  const input = rowsOf(dialect, { seq: 'number', due_at: 'number' }, next);
  await sql`
    UPDATE deliveries SET due_at = input.due_at FROM ${input} WHERE deliveries.seq = input.seq
  `.execute(tx);
}

/**
 * Nobody may have been able to ask for weeks: a pause, an outage, another provider. What is learnt then is written down, but
 * it is too late for a new mail.
 */
export function isOldNews({ leftAt }: Pick<Unconfirmed, 'leftAt'>, now: number): boolean {
  return now > leftAt + askedForMs + lateMs;
}

function nextLookAt(leftAt: number, now: number): number | null {
  const lastAt = leftAt + askedForMs;
  return now >= lastAt ? null : Math.min(lastAt, now + Math.max(againMinMs, now - leftAt));
}
