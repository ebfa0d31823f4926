import type { Database, Tx } from '../../../db/database.ts';
import { stopDeliveries } from '../../../outbox/stop.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { newsletterSource } from '../notification-type.ts';
import { liftOptOut } from './activating.ts';
import { requireUserId } from './notification.ts';
import type { Notifications, OptOut } from './notifications.ts';
import { actor, inactiveCells, lockUser, recipientsOf } from './rows.ts';

/** Leaving everything, and that it was so. */
interface OptingOutParts {
  db: Database;
  clock: Clock;
  log: Log;
}

/** What stands in `via`; through whose link it was decides who may take it back. */
const byAccount = 'account';
export const byLinkOf = (notificationId: string) => `link ${notificationId}`;

export function createOptingOut(parts: OptingOutParts): Pick<Notifications, 'optOutOf' | 'optOut' | 'optIn'> {
  const { db, log } = parts;
  return {
    async optOutOf(userId) {
      const row = await db.read
        .selectFrom('notification_opt_outs')
        .selectAll()
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row ? shownOptOut(row) : null;
    },

    async optOut(userId) {
      const out = await db.transaction(async (tx) => {
        await lockUser(tx, db.dialect, requireUserId(userId));
        return optOutIn(tx, parts, userId, byAccount);
      });
      const { deactivated, stopped } = out;
      log.info('newsletters.opted_out', { deactivated, stopped });
      return out;
    },

    async optIn(userId) {
      const isBack = await db.transaction(async (tx) => {
        await lockUser(tx, db.dialect, userId);
        return liftOptOut(tx, userId);
      });
      if (isBack) log.info('newsletters.opted_in');
      return isBack;
    },
  };
}

/** Once more is not wrong: something may have come to wait while this person was leaving. The first word and its way stay. */
export async function optOutIn(tx: Tx, { db, clock, log }: OptingOutParts, userId: string, via: string) {
  const now = clock.now();
  const recipients = await recipientsOf(tx, userId);
  // Deliveries before the wishes, as everybody locks them.
  const stopped = await stopDeliveries(
    tx,
    {
      ...{ whose: { source: newsletterSource, recipients }, event: 'unsubscribed', actor },
      detail: {
        via: via === byAccount ? 'account' : 'page',
        reason: 'they want no newsletters and alerts at all',
      },
    },
    now,
    { dialect: db.dialect, log },
  );
  await tx
    .insertInto('notification_opt_outs')
    .values({ user_id: userId, opted_out_at: now, via })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set(inactiveCells('global_opt_out', now))
    .where('user_id', '=', userId)
    .where('is_active', '=', 1)
    .executeTakeFirst();
  const row = await tx
    .selectFrom('notification_opt_outs')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { ...shownOptOut(row), deactivated: Number(numUpdatedRows), stopped };
}

const shownOptOut = ({ opted_out_at, via }: { opted_out_at: number; via: string }): OptOut => ({
  at: opted_out_at,
  via: via === byAccount ? 'account' : 'link',
});
