import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import { resumeDeliveries } from '../../../outbox/stop.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { newsletterSource } from '../notification-type.ts';
import { recipientOf, wisherOf } from '../recipient.ts';
import { letGo, planAgain } from '../runs/let-go.ts';
import { liftOptOut } from './activating.ts';
import type { Notifications } from './notifications.ts';
import { byLinkOf, optOutIn } from './opting-out.ts';
import { activeCells, actor, inactiveCells, lockUser, recipientsOf } from './rows.ts';

/**
 * The link in a mail. It ends exactly the notification whose mail it stood in, and undo brings back exactly that; whoever stops
 * everything through it leaves all of them at once, and undo brings back what that had ended. Consent has stopped, or brought back, the
 * deliveries of the link's own notification before. Only rows that change are locked, because consent holds its own already.
 */
interface LeavingParts {
  db: Database;
  clock: Clock;
  log: Log;
}

export function createLeaving(parts: LeavingParts): Pick<Notifications, 'left' | 'returned'> {
  const { db, clock, log } = parts;

  async function returnOne(tx: Tx, recipient: string): Promise<void> {
    const { userId, notificationId: id } = wisherOf(recipient);
    const optOut = await tx
      .selectFrom('notification_opt_outs')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    const isOwn = optOut?.via === byLinkOf(id);
    if (isOwn) {
      await lockUser(tx, db.dialect, userId);
      await liftOptOut(tx, userId);
      await bringBackAll(tx, userId, optOut.opted_out_at);
    }
    // Whoever left this one long ago, and everything just now, takes back only the second.
    if (await hasLeftStill(tx, recipient)) return;
    // They may have left everything by another way since: that holds.
    const now = clock.now();
    const cells =
      optOut && !isOwn ? inactiveCells('global_opt_out', now) : { ...activeCells, updated_at: now };
    await tx
      .updateTable('notifications')
      .set(cells)
      .where('id', '=', id)
      .where('inactive_because', '=', 'unsubscribed')
      .execute();
  }

  /** What ended when they stopped everything, and not what an earlier time had ended. */
  async function bringBackAll(tx: Tx, userId: string, since: number): Promise<void> {
    const back = await tx
      .updateTable('notifications')
      .set({ ...activeCells, updated_at: clock.now() })
      .where('user_id', '=', userId)
      .where('inactive_because', '=', 'global_opt_out')
      .where('inactive_at', '>=', since)
      .returning('id')
      .execute();
    const recipients = back.map(({ id }) => recipientOf({ userId, notificationId: id }));
    const whose = { source: newsletterSource, recipients };
    const detail = { reason: 'they took back that they want nothing' };
    await resumeDeliveries(tx, { whose, since, actor, detail }, clock.now(), { dialect: db.dialect, log });
  }

  return {
    async left(recipients, tx, extent = 'these mails') {
      const ids = recipients.map((recipient) => ({ id: wisherOf(recipient).notificationId }));
      const now = clock.now();
      // Also of who has left everything: when they take that back, this one stays ended.
      await sql`
        UPDATE notifications SET is_active = 0, inactive_because = 'unsubscribed', inactive_at = coalesce(inactive_at, ${now}),
          updated_at = ${now}
        WHERE id IN (SELECT id FROM ${rowsOf(db.dialect, { id: 'text' }, ids)})
          AND (is_active = 1 OR inactive_because = 'global_opt_out')
      `.execute(tx);
      if (extent !== 'everything') return;
      for (const recipient of recipients) {
        const { userId, notificationId: id } = wisherOf(recipient);
        await lockUser(tx, db.dialect, userId);
        await optOutIn(tx, parts, userId, byLinkOf(id));
      }
    },

    async returned(recipients, tx) {
      for (const recipient of recipients) {
        await returnOne(tx, recipient);
        const back = await recipientsOf(tx, wisherOf(recipient).userId);
        await planAgain(tx, back, { db, now: clock.now() });
        await letGo(tx, back, { db, log, now: clock.now(), actor });
      }
    },
  };
}

async function hasLeftStill(tx: Tx, recipient: string): Promise<boolean> {
  const row = await tx
    .selectFrom('unsubscribe_tokens')
    .select('unsubscribed_at')
    .where('recipient', '=', recipient)
    .where('source', '=', newsletterSource)
    .executeTakeFirst();
  return row !== undefined && row.unsubscribed_at !== null;
}
