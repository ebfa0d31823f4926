import type { Tx } from '../../../db/database.ts';
import type { NotificationRow } from '../../../db/newsletters-schema.ts';
import { type ActivatingParts, activateIn, requireRoom, welcome } from './activating.ts';
import { requireKnownSeries } from './alert-config.ts';
import { cellsOf, notificationOf, readWish, requireLocale, requireUserId } from './notification.ts';
import type { Notifications, Subscribed } from './notifications.ts';
import { activeCells, lockUser } from './rows.ts';

/** A wish comes into being, or is found again by what it asks for. One transaction, one at a time for each user. */
export function createSubscribing(parts: ActivatingParts): Pick<Notifications, 'subscribe'> {
  const { db, clock, ids, log, limits } = parts;

  /** Answers false where somebody else was quicker: an import takes no user's lock. */
  async function create(
    tx: Tx,
    userId: string,
    cells: ReturnType<typeof cellsOf>,
    locale: string | null,
  ): Promise<boolean> {
    const id = ids.uuid();
    const now = clock.now();
    await requireRoom(tx, limits, userId, true);
    await welcome(tx, parts, { id, user_id: userId });
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('notifications')
      .values({ id, user_id: userId, ...cells, locale, ...activeCells, created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Who asks once more in another language wants it in that one. */
  async function askAgain(tx: Tx, row: NotificationRow, locale: string | undefined): Promise<void> {
    if (row.is_active === 1) await welcome(tx, parts, row);
    else {
      await requireRoom(tx, limits, row.user_id, false);
      await activateIn(tx, parts, row);
    }
    if (locale === undefined || locale === row.locale) return;
    await tx
      .updateTable('notifications')
      .set({ locale, updated_at: clock.now() })
      .where('id', '=', row.id)
      .execute();
  }

  return {
    async subscribe(order) {
      const userId = requireUserId(order.userId);
      const wish = readWish(order);
      requireKnownSeries(wish.config, parts.filterProblem);
      const cells = cellsOf(userId, wish);
      const locale = order.locale === undefined ? undefined : requireLocale(order.locale);
      const made = await db.transaction(async (tx): Promise<Subscribed> => {
        await lockUser(tx, db.dialect, userId);
        const known = await byHash(tx, cells.hash);
        const isNew = !known && (await create(tx, userId, cells, locale ?? null));
        if (known) await askAgain(tx, known, locale);
        const row = await byHash(tx, cells.hash);
        if (!row) throw new Error('notifications: a wish was neither made nor found');
        const kind = isNew ? 'created' : known?.is_active === 0 ? 'reactivated' : 'existing';
        return { kind, notification: notificationOf(row) };
      });
      // After the commit: a transaction may be tried again, or come to nothing.
      const { id: notificationId, type } = made.notification;
      if (made.kind !== 'existing')
        log.info('newsletters.subscribed', { notificationId, type, kind: made.kind });
      return made;
    },
  };
}

export function byHash(tx: Tx, hash: string): Promise<NotificationRow | undefined> {
  return tx.selectFrom('notifications').selectAll().where('hash', '=', hash).executeTakeFirst();
}
