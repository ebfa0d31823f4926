import type { Tx } from '../../../db/database.ts';
import type { InactiveBecause, NotificationRow } from '../../../db/newsletters-schema.ts';
import { stopDeliveries } from '../../../outbox/stop.ts';
import { Refusal } from '../../../std/refusal.ts';
import { isNewsletter } from '../notification-type.ts';
import { type ActivatingParts, activateIn, requireRoom, welcome } from './activating.ts';
import { type FilterProblem, readAlertConfig, requireKnownSeries } from './alert-config.ts';
import { cellsOf, notificationOf, ownerOf, requireLocale } from './notification.ts';
import type { Change, Notifications } from './notifications.ts';
import { actor, inactiveCells, lockUser, requireOwn } from './rows.ts';
import { byHash } from './subscribing.ts';

/** What somebody does with one of their notifications. Each is one transaction, one at a time for each user. */
export function createChanging(parts: ActivatingParts): Pick<Notifications, 'update' | 'remove'> {
  const { db, clock, log, limits } = parts;

  /** What waits ends with it: a row that somebody holds is passed over, and they look at this one before they send. */
  async function end(tx: Tx, row: NotificationRow, because: InactiveBecause): Promise<void> {
    const now = clock.now();
    const whose = ownerOf({ userId: row.user_id, id: row.id });
    const order = { whose, event: 'unsubscribed', actor, detail: { via: 'account' } } as const;
    await stopDeliveries(tx, order, now, { dialect: db.dialect, log });
    await tx
      .updateTable('notifications')
      .set({
        ...inactiveCells(because, row.inactive_at ?? now),
        ...{ updated_at: now, deleted_at: because === 'deleted' ? now : null },
      })
      .where('id', '=', row.id)
      .execute();
  }

  async function setActive(tx: Tx, row: NotificationRow, isActive: boolean): Promise<boolean> {
    if (isActive === (row.is_active === 1)) {
      if (isActive) await welcome(tx, parts, row);
      return false;
    }
    if (!isActive) {
      await end(tx, row, 'by_user');
      return true;
    }
    await requireRoom(tx, limits, row.user_id, false);
    await activateIn(tx, parts, row);
    return true;
  }

  return {
    async update(userId, id, change) {
      const read = readChange(change);
      const changed = await db.transaction(async (tx) => {
        await lockUser(tx, db.dialect, userId);
        const row = await requireOwn(tx, userId, id);
        const cells = { ...read.cells, ...(await configCells(tx, row, change.config, parts.filterProblem)) };
        const isNew = Object.entries(cells).some(([name, value]) => row[name as keyof typeof row] !== value);
        if (isNew) {
          await tx
            .updateTable('notifications')
            .set({ ...cells, updated_at: clock.now() })
            .where('id', '=', id)
            .execute();
        }
        const isTurned = read.isActive !== undefined && (await setActive(tx, row, read.isActive));
        const after = await requireOwn(tx, userId, id);
        const kind = isNew || isTurned ? ('changed' as const) : ('unchanged' as const);
        return { kind, notification: notificationOf(after) };
      });
      const { isActive } = changed.notification;
      if (changed.kind === 'changed') log.info('newsletters.changed', { notificationId: id, isActive });
      return changed;
    },

    async remove(userId, id) {
      await db.transaction(async (tx) => {
        await lockUser(tx, db.dialect, userId);
        await end(tx, await requireOwn(tx, userId, id), 'deleted');
      });
      log.info('newsletters.removed', { notificationId: id });
    },
  };
}

function readChange({ isActive, locale, config }: Change) {
  if (isActive === undefined && locale === undefined && config === undefined)
    throw new Refusal('nothing_to_change', 'Say what to change: isActive, locale or config.');
  const cells = locale === undefined ? {} : { locale: locale === null ? null : requireLocale(locale) };
  return { isActive, cells };
}

/** Another wish is another hash; one that its user has already is not had twice. */
async function configCells(
  tx: Tx,
  row: NotificationRow,
  config: unknown,
  filterProblem: FilterProblem | undefined,
) {
  if (config === undefined) return {};
  const { type } = notificationOf(row);
  if (isNewsletter(type))
    throw new Refusal('invalid_config', 'A newsletter has no config; subscribe to another entity instead.');
  const wish = { type, entityCui: null, config: readAlertConfig(type, config) };
  requireKnownSeries(wish.config, filterProblem);
  const { config: json, dataset_id, hash } = cellsOf(row.user_id, wish);
  const same = await byHash(tx, hash);
  if (!same || same.id === row.id) return { config: json, dataset_id, hash };
  throw new Refusal(
    'notification_conflict',
    same.deleted_at === null
      ? 'There is another notification for exactly this; use that one, which details.id names.'
      : 'There was another notification for exactly this, which was deleted; subscribe to it again instead.',
    { id: same.id },
  );
}
