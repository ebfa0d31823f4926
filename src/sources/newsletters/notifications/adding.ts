import type { Tx } from '../../../db/database.ts';
import { Refusal } from '../../../std/refusal.ts';
import { userIdPattern } from '../users/user-directory.ts';
import { type ActivatingParts, requireRoom } from './activating.ts';
import { requireKnownSeries } from './alert-config.ts';
import { cellsOf, readWish, requireLocale, requireUserId } from './notification.ts';
import type { Added, Notifications, SubscribeOrder } from './notifications.ts';
import { activeCells, lockUser } from './rows.ts';
import { byHash } from './subscribing.ts';

/**
 * What an operator's list asks for on behalf of others. It is not their own word: whoever has ended a wish, or left everything, stays
 * away, and what is there stays as its user has it. So the same list can come again and again.
 */
export function createAdding(parts: ActivatingParts): Pick<Notifications, 'add'> {
  const { db, clock, ids, limits, log } = parts;

  async function addOne(tx: Tx, order: SubscribeOrder): Promise<Added> {
    const { userId } = order;
    const wish = readWish(order);
    requireKnownSeries(wish.config, parts.filterProblem);
    const locale = order.locale === undefined ? null : requireLocale(order.locale);
    const cells = cellsOf(requireUserId(userId), wish);
    const known = await byHash(tx, cells.hash);
    if (known) return { kind: known.is_active === 1 ? 'existing' : 'left' };
    if (await hasLeftAll(tx, userId)) return { kind: 'left' };
    await requireRoom(tx, limits, userId, true);
    const now = clock.now();
    await tx
      .insertInto('notifications')
      .values({
        ...{ id: ids.uuid(), user_id: userId, ...cells, locale, ...activeCells },
        ...{ created_at: now, updated_at: now },
      })
      // An import takes no user's lock, and may have been quicker.
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
    return { kind: 'created' };
  }

  return {
    async add(orders) {
      // In one order for everybody, so that two lists never wait for each other in a circle.
      const users = [...new Set(orders.map(({ userId }) => userId))]
        .filter((id) => userIdPattern.test(id))
        .sort();
      const answers = await db.transaction(async (tx) => {
        for (const userId of users) await lockUser(tx, db.dialect, userId);
        const added: Added[] = [];
        // One that is refused keeps no other back.
        for (const order of orders) added.push(await addOne(tx, order).catch(refused));
        return added;
      });
      const count = answers.filter(({ kind }) => kind === 'created').length;
      if (count > 0) log.info('newsletters.added', { count });
      return answers;
    },
  };
}

async function hasLeftAll(tx: Tx, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('notification_opt_outs')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

function refused(error: unknown): Added {
  if (!(error instanceof Refusal)) throw error;
  return { kind: 'refused', problem: error.message };
}
