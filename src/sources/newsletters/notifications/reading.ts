import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { DeliveryRow } from '../../../db/schema.ts';
import { isUuid } from '../../../std/ids.ts';
import { Refusal } from '../../../std/refusal.ts';
import { newsletterSource } from '../notification-type.ts';
import { recipientOf, wisherOf } from '../recipient.ts';
import { newsletterWords } from '../words.ts';
import { notificationOf, requireCui } from './notification.ts';
import type { Notifications, OwnDelivery, Page } from './notifications.ts';
import { recipientsOf, requireOwn } from './rows.ts';

/** Reading what is one's own: never locks, never changes. */
type Reading = Pick<Notifications, 'all' | 'list' | 'ofEntity' | 'find' | 'deliveries' | 'recipientsOf'>;

export function createReading(db: Database): Reading {
  const mine = (userId: string) =>
    db.read
      .selectFrom('notifications')
      .selectAll()
      .where('user_id', '=', userId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');

  return {
    async list(userId, { limit, after }) {
      const last = after === undefined ? undefined : await lastOf(userId, after);
      let rows = mine(userId).limit(limit + 1);
      if (last) rows = rows.where(sql<boolean>`(created_at, id) < (${last.created_at}, ${last.id})`);
      return pageOf((await rows.execute()).map(notificationOf), limit);
    },

    async all({ userId, entityCui, type, limit, after }) {
      let rows = db.read
        .selectFrom('notifications')
        .selectAll()
        .where('deleted_at', 'is', null)
        .orderBy('id')
        .limit(limit + 1);
      if (userId !== undefined) rows = rows.where('user_id', '=', userId);
      if (entityCui !== undefined) rows = rows.where('entity_cui', '=', requireCui(entityCui));
      if (type !== undefined) rows = rows.where('notification_type', '=', type);
      if (after !== undefined) rows = rows.where('id', '>', after);
      return pageOf((await rows.execute()).map(notificationOf), limit);
    },

    async ofEntity(userId, cui) {
      const rows = await mine(userId).where('entity_cui', '=', requireCui(cui)).execute();
      return rows.map(notificationOf);
    },

    find: async (userId, id) => notificationOf(await requireOwn(db.read, userId, id)),

    async deliveries(userId, { limit, after }) {
      const names = (await recipientsOf(db.read, userId)).map((recipient) => ({ recipient }));
      // By the recipient, which has an index. The source is hidden from SQLite, which would read all of its deliveries.
      const own = sql`recipient IN (SELECT recipient FROM ${rowsOf(db.dialect, { recipient: 'text' }, names)})
        AND source || '' = ${newsletterSource}`;
      const below = after === undefined ? Number.MAX_SAFE_INTEGER : await seqOf(own, after);
      const { rows } = await sql<DeliveryRow>`
        SELECT * FROM deliveries WHERE ${own} AND seq < ${below} ORDER BY seq DESC LIMIT ${limit + 1}
      `.execute(db.read);
      return pageOf(rows.map(deliveryOf), limit);
    },

    async recipientsOf(userIds, limit) {
      const users = userIds.map((user_id) => ({ user_id }));
      const { rows } = await sql<{ user_id: string; id: string }>`
        SELECT user_id, id FROM notifications
        WHERE user_id IN (SELECT user_id FROM ${rowsOf(db.dialect, { user_id: 'text' }, users)})
        ORDER BY created_at DESC, id DESC LIMIT ${limit}
      `.execute(db.read);
      return rows.map(({ user_id, id }) => recipientOf({ userId: user_id, notificationId: id }));
    },
  };

  /** Also of one that was deleted since: a page goes on where it was. */
  async function lastOf(userId: string, id: string) {
    const row = await db.read
      .selectFrom('notifications')
      .select(['id', 'created_at'])
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row ?? refuseAfter();
  }

  async function seqOf(own: RawBuilder<unknown>, id: string): Promise<number> {
    if (!isUuid(id)) return refuseAfter();
    const { rows } = await sql<{ seq: number }>`
      SELECT seq FROM deliveries WHERE id = ${id} AND ${own}
    `.execute(db.read);
    return rows[0]?.seq ?? refuseAfter();
  }
}

function refuseAfter(): never {
  throw new Refusal('invalid_page', 'after must be the id that next gave; leave it out for the first page.');
}

/** One more than asked for says whether there are more. */
function pageOf<Row extends { id: string }>(rows: Row[], limit: number): Page<Row> {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null };
}

/** As the view `notification_deliveries` has it, which has no index for a page of one user's. */
function deliveryOf(row: DeliveryRow): OwnDelivery {
  const { notificationId } = wisherOf(row.recipient);
  return {
    ...{ id: row.id, notificationId, periodKey: row.occasion },
    ...{ deliveryKey: `${row.recipient}:${row.occasion}`, status: newsletterWords(row) },
    ...{ toEmail: row.to_email, attemptCount: row.claims === 0 ? row.attempts : row.claims },
    lastAttemptAt: momentOf(row.status === 'claimed' ? row.locked_at : row.last_attempt_at),
    ...{ sentAt: momentOf(row.sent_at), createdAt: new Date(row.created_at).toISOString() },
  };
}

const momentOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
