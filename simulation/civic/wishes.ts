import type { NotificationRow } from '../../src/db/newsletters-schema.ts';
import type { Violate } from '../promises.ts';
import type { Change } from './civic-watch.ts';
import { partsOf, short } from './reading.ts';

/** Whose wish ends, and why: leaving, coming back and bounces change the one that they are about, and no other. */
export interface WishWatch {
  look(change: Change): void;
}

export function createWishWatch({ violate }: { violate: Violate }): WishWatch {
  const recipientOf = ({ user_id, id }: NotificationRow) => `${user_id}:${id}`;
  const say = (wish: NotificationRow, what: string) =>
    violate('wishes are their own', `wish ${short(wish.id)} of ${wish.user_id} ${what}`);

  function checkEnded(wish: NotificationRow, { after, rows }: Change): void {
    const link = after.links.get(recipientOf(wish));
    switch (wish.inactive_because) {
      case 'unsubscribed':
        if (link?.unsubscribed_at == null) say(wish, 'is unsubscribed, and nobody has used its link');
        return;
      case 'global_opt_out':
        if (!after.optOuts.has(wish.user_id)) say(wish, 'is off with all others, and nobody wanted that');
        return;
      case 'bounced':
      case 'complained': {
        const mine = rows.filter(({ recipient }) => recipient === recipientOf(wish));
        if (!mine.some(({ evidence }) => evidence >= 1_000_000))
          say(wish, `is ${wish.inactive_because}, and no mail of it was`);
        return;
      }
    }
  }

  function checkActive(wish: NotificationRow, { after }: Change): void {
    if (after.optOuts.has(wish.user_id)) say(wish, 'is active, and its user wants nothing at all');
    if (after.links.get(recipientOf(wish))?.unsubscribed_at != null)
      say(wish, 'is active, and its link was used');
  }

  return {
    look(change) {
      const { before, after, facts } = change;
      const meanings = new Map<string, string>();
      for (const wish of after.wishes.values()) {
        const was = before.wishes.get(wish.id);
        if (wish.is_active === 1) checkActive(wish, change);
        else if (was !== wish && was?.inactive_because !== wish.inactive_because) checkEnded(wish, change);
        const meaning = `${wish.user_id} ${wish.notification_type} ${wish.entity_cui} ${wish.config}`;
        if (meanings.has(meaning)) say(wish, 'is there twice');
        meanings.set(meaning, wish.id);
      }
      for (const id of before.wishes.keys())
        if (!after.wishes.has(id)) violate('wishes are their own', `wish ${short(id)} is gone`);
      for (const { kind, delivery } of facts) {
        if (kind !== 'suppressed' || delivery.source !== 'newsletters') continue;
        const wish = after.wishes.get(partsOf(delivery.recipient).wishId);
        if (wish?.is_active === 1)
          say(wish, `goes on, and #${delivery.seq} bounced for good or was complained about`);
      }
    },
  };
}
