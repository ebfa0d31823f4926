import type { Tx } from '../../../db/database.ts';
import type { NotificationRow } from '../../../db/newsletters-schema.ts';
import { resumeDeliveries } from '../../../outbox/stop.ts';
import { Refusal } from '../../../std/refusal.ts';
import { letGo, planAgain } from '../runs/let-go.ts';
import { ownerOf } from './notification.ts';
import type { NotificationLimits, NotificationsParts } from './notifications.ts';
import { activeCells, actor, lockRow, ownersOf, recipientsOf } from './rows.ts';

/**
 * Somebody asks by themselves for one thing: that one is on again, whatever had stopped it, and they are no longer out of everything.
 * Nothing else comes back with it. What was stopped within a day waits again, as after an undo; what is older has been told too late.
 */
export interface ActivatingParts extends Omit<NotificationsParts, 'limits'> {
  limits: NotificationLimits;
}

const dayMs = 24 * 3_600_000;

/** Under the lock of the user, and with room for one more. */
export async function activateIn(
  tx: Tx,
  parts: ActivatingParts,
  row: Pick<NotificationRow, 'id' | 'user_id'>,
): Promise<void> {
  const { db, clock, log } = parts;
  const now = clock.now();
  const owner = await welcome(tx, parts, row);
  // Before the deliveries: whoever leaves one out because of this row holds it, so that what it stopped is there to be found.
  const before = await lockRow(tx, db.dialect, row.id);
  await tx
    .updateTable('notifications')
    .set({ ...activeCells, updated_at: now })
    .where('id', '=', row.id)
    .execute();
  if (before?.inactive_at != null) {
    const since = Math.max(before.inactive_at, now - dayMs);
    const detail = { reason: 'they want it again' };
    await resumeDeliveries(tx, { whose: owner, since, actor, detail }, now, { dialect: db.dialect, log });
  }
  const recipients = await recipientsOf(tx, row.user_id);
  await planAgain(tx, recipients, { db, now });
  await letGo(tx, recipients, { db, log, now, actor });
}

/** Whoever asks for something has said that they want mail, also where the notification itself had never heard that they did not. */
export async function welcome(
  tx: Tx,
  { unsubscribe }: ActivatingParts,
  { id, user_id: userId }: Pick<NotificationRow, 'id' | 'user_id'>,
): Promise<ReturnType<typeof ownerOf>> {
  const owner = ownerOf({ userId, id });
  await unsubscribe.comeBack([owner], ownersOf(await recipientsOf(tx, userId)), tx);
  await liftOptOut(tx, userId);
  return owner;
}

export async function liftOptOut(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('notification_opt_outs')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Under the lock of the user. */
export async function requireRoom(
  tx: Tx,
  { activeMax, everMax }: NotificationLimits,
  userId: string,
  isNew: boolean,
): Promise<void> {
  const { active, ever } = await tx
    .selectFrom('notifications')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number | string>('is_active'), eb.lit(0)).as('active'),
      eb.fn.countAll<number | string>().as('ever'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (Number(active) >= activeMax) {
    throw new Refusal(
      'too_many_notifications',
      `There are ${activeMax} active notifications already, as many as one user may have; end one first.`,
    );
  }
  if (isNew && Number(ever) >= everMax) {
    throw new Refusal(
      'too_many_notifications',
      `There have been ${everMax} different notifications, as many as one user may ever have; change one that is there.`,
    );
  }
}
