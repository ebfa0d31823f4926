import { createTokens } from '../../src/consent/token.ts';
import type { SubscribeOrder } from '../../src/sources/newsletters/notifications/notifications.ts';
import type { Chance } from '../chance.ts';
import type { SimulatedProcess } from '../process.ts';
import { linkSecrets } from '../world.ts';
import { isHeld, isWaiting, partsOf, short } from './reading.ts';
import type { CivicScene } from './run-civic.ts';
import { cuis, threshold, unit } from './town.ts';

/** Citizens, in their account and by the links in their mails: whoever changes their mind does so through any process, and waits for no answer. */

const tokens = createTokens(linkSecrets, 'unsubscribe');

const wishes = {
  ...{
    off: 4,
    on: 4,
    remove: 3,
    again: 4,
    subscribe: 3,
    opt_out: 3,
    opt_in: 1.5,
    link: 5,
    everything: 2,
    undo: 4,
  },
};
type Wish = keyof typeof wishes;
/** Of who is about to be told, and does not want it now. */
const seconds = { off: 3, remove: 2, opt_out: 3, link: 4, everything: 1 } satisfies Partial<
  Record<Wish, number>
>;

export async function changeWishes(
  scene: CivicScene,
  process: SimulatedProcess,
  isSecondThought = false,
): Promise<void> {
  const { world } = scene;
  const { chance, clock, story, watch, mayStrike, tally } = world;
  const all = [...(world.beside.civic?.tables.wishes.values() ?? [])];
  const critical = watch.rows.filter((row) => isWaiting(row) || row.status === 'claimed');
  const isCritical = critical.length > 0 && (isSecondThought || chance.isTrue(0.6));
  const row = isCritical ? chance.one(critical) : undefined;
  const one = all.find(({ id }) => id === partsOf(row?.recipient ?? '').wishId) ?? chance.one(all);
  const wish: Wish = isSecondThought ? chance.weighted(seconds) : chance.weighted(wishes);
  if (row && isHeld(row) && !mayStrike('somebody changes their mind while a mail to them is held back'))
    return;
  if (row?.status === 'claimed')
    tally.fault('somebody changes their mind while a newsletter to them is claimed');
  if (wish === 'opt_out' && !mayStrike('somebody wants no newsletters at all')) return;
  if (wish === 'again' && !mayStrike('somebody asks again for what they had deleted')) return;
  story.tell(`${one.user_id} asks ${process.name}: ${wish}, of wish ${short(one.id)}`);
  void say(scene, process, one, wish).catch(() => {});
  await clock.advance(0);
}

type WishRow = {
  id: string;
  user_id: string;
  notification_type: string;
  entity_cui: string | null;
  config: string | null;
};

export async function say(
  scene: CivicScene,
  process: SimulatedProcess,
  one: WishRow,
  wish: Wish | 'subscribe_same',
): Promise<unknown> {
  const { chance } = scene.world;
  const notifications = process.civic?.newsletters.notifications;
  const { user_id: userId, id } = one;
  switch (wish) {
    case 'off':
      return notifications?.update(userId, id, { isActive: false });
    case 'on':
      return notifications?.update(userId, id, { isActive: true });
    case 'remove':
      return notifications?.remove(userId, id);
    case 'again':
      await notifications?.remove(userId, id);
      return notifications?.subscribe(sameAs(one));
    case 'subscribe_same':
      return notifications?.subscribe(sameAs(one));
    case 'subscribe':
      return notifications?.subscribe(chance.isTrue(0.5) ? sameAs(one) : orderFor(chance, userId));
    case 'opt_out':
      return notifications?.optOut(userId);
    case 'opt_in':
      return notifications?.optIn(userId);
    case 'link':
    case 'everything':
    case 'undo':
      return byLink(process, await linkOf(scene, one), wish);
  }
}

/** As it stands in their last mail. */
async function linkOf({ world: { db } }: CivicScene, { user_id, id }: WishRow): Promise<string | undefined> {
  const row = await db.read
    .selectFrom('unsubscribe_tokens')
    .select('token_id')
    .where('source', '=', 'newsletters')
    .where('recipient', '=', `${user_id}:${id}`)
    .executeTakeFirst();
  return row?.token_id;
}

async function byLink(
  { consent }: SimulatedProcess,
  tokenId: string | undefined,
  wish: 'link' | 'everything' | 'undo',
) {
  if (tokenId === undefined) return;
  const token = tokens.of(tokenId);
  if (wish === 'link') return consent.unsubscribe.stop(token, 'one-click');
  if (wish === 'everything') return consent.unsubscribe.stopEverything(token);
  return consent.unsubscribe.undo(token);
}

function sameAs({ user_id, notification_type, entity_cui, config }: WishRow): SubscribeOrder {
  return {
    ...{ userId: user_id, type: notification_type },
    ...(entity_cui !== null && { entityCui: entity_cui }),
    ...(config !== null && { config: JSON.parse(config) }),
  };
}

const kinds = { monthly: 8, quarterly: 1.5, series: 2, dataset: 1.5 };

export function orderFor(chance: Chance, userId: string): SubscribeOrder {
  const kind = chance.weighted(kinds);
  const locale = chance.one([undefined, 'en', 'ro']);
  const entityCui = chance.one(cuis);
  if (kind === 'monthly') return { userId, type: 'newsletter_entity_monthly', entityCui, locale };
  if (kind === 'quarterly') return { userId, type: 'newsletter_entity_quarterly', entityCui, locale };
  const conditions = chance.isTrue(0.7) ? [{ operator: 'gt', threshold, unit }] : [];
  return kind === 'series'
    ? {
        userId,
        type: 'alert_series_analytics',
        config: { conditions, filter: { seriesId: 'heating' } },
        locale,
      }
    : {
        userId,
        type: 'alert_series_static',
        config: { conditions, datasetId: chance.one(['yearly', 'monthly']) },
        locale,
      };
}
