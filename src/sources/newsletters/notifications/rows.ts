import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, forUpdate } from '../../../db/dialect.ts';
import type { InactiveBecause, NotificationRow } from '../../../db/newsletters-schema.ts';
import { Refusal } from '../../../std/refusal.ts';
import { newsletterSource } from '../notification-type.ts';
import { recipientOf } from '../recipient.ts';

/** Rows of `notifications`, as those who change them need them. */

/**
 * All that counts or adds to what somebody has asked for is done by one at a time, also for somebody who has asked for nothing yet,
 * so that there is no row to lock. The lock is the transaction's and ends with it: a pooler may stand between. SQLite's writer is alone.
 */
export async function lockUser(tx: Tx, dialect: DialectName, userId: string): Promise<void> {
  if (dialect !== 'postgres') return;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`newsletters ${userId}`}, 0))`.execute(tx);
}

export async function lockRow(
  tx: Tx,
  dialect: DialectName,
  id: string,
): Promise<NotificationRow | undefined> {
  const { rows } = await sql<NotificationRow>`
    SELECT * FROM notifications WHERE id = ${id} ${forUpdate(dialect)}
  `.execute(tx);
  return rows[0];
}

/** Somebody else's, or one that was deleted, is not found. */
export async function requireOwn(
  from: Tx | Database['read'],
  userId: string,
  id: string,
): Promise<NotificationRow> {
  const row = await from
    .selectFrom('notifications')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row) return row;
  throw new Refusal(
    'notification_not_found',
    'There is no such notification of this user; GET /api/v1/notifications lists them.',
  );
}

/** All that somebody ever asked for, as the outbox knows it. */
export async function recipientsOf(from: Tx | Database['read'], userId: string): Promise<string[]> {
  const rows = await from
    .selectFrom('notifications')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
  return rows.map(({ id }) => recipientOf({ userId, notificationId: id }));
}

export const ownersOf = (recipients: readonly string[]) =>
  recipients.map((recipient) => ({ source: newsletterSource, recipient }));

export const activeCells = {
  is_active: 1,
  inactive_because: null,
  inactive_at: null,
  deleted_at: null,
} as const;

export const inactiveCells = (because: InactiveBecause, now: number) =>
  ({ is_active: 0, inactive_because: because, inactive_at: now, updated_at: now }) as const;

/** Who did it, as a delivery's story tells it. */
export const actor = 'the recipient';
