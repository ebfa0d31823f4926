import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notification } from '../../src/sources/newsletters/notifications/notification.ts';
import { onBothDatabases } from '../support/world.ts';
import {
  ana,
  createNotificationsWorld,
  dayMs,
  heldUntil,
  type NotificationsWorld,
} from './notifications-world.ts';

onBothDatabases('leaving', (dialect) => {
  let world: NotificationsWorld;
  let [first, second, third]: Notification[] = [];
  let seqs: number[];
  beforeEach(async () => {
    world = await createNotificationsWorld(dialect);
    [first, second, third] = [
      await world.subscribe(),
      await world.subscribe({ entityCui: '22' }),
      await world.subscribe({ entityCui: '33' }),
    ];
    seqs = [];
    for (const one of mine()) seqs.push(await world.tell(one, '2025-12'));
  });
  afterEach(() => world.close());

  const mine = () => [first, second, third] as [Notification, Notification, Notification];
  const standings = () => Promise.all(mine().map(({ id }) => world.standing(id)));
  const statuses = () => Promise.all(seqs.map((seq) => world.statusOf(seq)));
  const stopped = 'skipped_unsubscribed';
  const out = 'global_opt_out';

  describe('everything', () => {
    test('ends all of it at once, and what waits with it; nobody else is touched', async () => {
      const bo = await world.subscribe({ userId: 'user_bo' });
      const foreign = await world.tell(bo, '2025-12');
      const held = await world.tell(mine()[0], '2025-11', { dueAt: heldUntil });
      expect(await world.notifications.optOut(ana)).toEqual({
        ...{ at: world.clock.now(), via: 'account', deactivated: 3, stopped: 4 },
      });
      expect(await standings()).toEqual([out, out, out]);
      expect([...(await statuses()), await world.statusOf(held)]).toEqual([
        stopped,
        stopped,
        stopped,
        stopped,
      ]);
      expect([await world.standing(bo.id), await world.statusOf(foreign)]).toEqual(['active', 'pending']);
      const { events } = await world.queries.story(seqs[0] ?? 0);
      expect(events).toMatchObject([{ event: 'unsubscribed', actor: 'the recipient', status: stopped }]);
    });

    test('twice is once; the first moment stays', async () => {
      const { at } = await world.notifications.optOut(ana);
      await world.clock.advance(1000);
      expect(await world.notifications.optOut(ana)).toEqual({
        at,
        via: 'account',
        deactivated: 0,
        stopped: 0,
      });
    });

    test('keeps the reason of what had ended before', async () => {
      await world.notifications.update(ana, mine()[1].id, { isActive: false });
      await world.notifications.optOut(ana);
      expect(await standings()).toEqual([out, 'by_user', out]);
    });

    test('also where there is nothing: nothing comes of it later either', async () => {
      expect(await world.notifications.optOut('user_new')).toMatchObject({ deactivated: 0, stopped: 0 });
      expect(await world.notifications.optOutOf('user_new')).toMatchObject({ via: 'account' });
    });

    test('in many batches: a thousand deliveries of one person', async () => {
      const intents = Array.from({ length: 1_200 }, (_, number) => ({
        ...{ source: 'newsletters', recipient: `${ana}:${mine()[0].id}`, lane: 'bulk' as const },
        occasion: `${1900 + Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`,
      }));
      await world.outbox.enqueue(intents);
      expect((await world.notifications.optOut(ana)).stopped).toBe(1_203);
      expect(await world.statusesOf()).toEqual({ [stopped]: 1_203 });
    });

    test('is taken back by asking for one: that one is on, and no other', async () => {
      await world.notifications.optOut(ana);
      await world.clock.advance(1000);
      await world.notifications.update(ana, mine()[1].id, { isActive: true });
      expect(await world.notifications.optOutOf(ana)).toBeNull();
      expect(await standings()).toEqual([out, 'active', out]);
      expect(await statuses()).toEqual([stopped, 'pending', stopped]);
      await world.send();
      expect(world.provider.ledger).toHaveLength(1);
    });

    test('is taken back by subscribing, to something new or to something that there was', async () => {
      await world.notifications.optOut(ana);
      const fresh = await world.subscribe({ entityCui: '44' });
      expect(await world.notifications.optOutOf(ana)).toBeNull();
      expect(await standings()).toEqual([out, out, out]);
      expect(await world.standing(fresh.id)).toBe('active');
      await world.notifications.optOut(ana);
      const { kind } = await world.notifications.subscribe({
        ...{ userId: ana, type: 'newsletter_entity_monthly', entityCui: '33' },
      });
      expect(kind).toBe('reactivated');
      expect([await standings(), await world.standing(fresh.id)]).toEqual([[out, out, 'active'], out]);
    });

    test('can be taken back by itself: then nothing is on, until it is asked for', async () => {
      await world.notifications.optOut(ana);
      expect(await world.notifications.optIn(ana)).toBe(true);
      expect(await world.notifications.optIn(ana)).toBe(false);
      expect(await standings()).toEqual([out, out, out]);
    });

    test('what comes to wait afterwards is stopped at the gate', async () => {
      await world.notifications.optOut(ana);
      const late = await world.tell(mine()[0], '2026-01');
      await world.send();
      expect([await world.statusOf(late), world.provider.ledger]).toEqual([stopped, []]);
    });
  });

  describe('by the link in a mail', () => {
    test('ends exactly the one that it came through, and undo brings back that one', async () => {
      const token = await world.linkIn(mine()[1]);
      await world.consent.unsubscribe.stop(token, 'one-click');
      expect(await standings()).toEqual(['active', 'unsubscribed', 'active']);
      expect(await statuses()).toEqual(['pending', stopped, 'pending']);
      await world.consent.unsubscribe.undo(token);
      expect(await standings()).toEqual(['active', 'active', 'active']);
      expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    });

    test('undo brings back nothing that was ended for another reason', async () => {
      const token = await world.linkIn(mine()[0]);
      await world.notifications.update(ana, mine()[0].id, { isActive: false });
      await world.consent.unsubscribe.stop(token, 'page');
      expect((await standings())[0]).toBe('by_user');
      await world.consent.unsubscribe.undo(token);
      expect((await standings())[0]).toBe('by_user');
    });

    test('undo does not bring back who has left everything since', async () => {
      const token = await world.linkIn(mine()[0]);
      await world.consent.unsubscribe.stop(token, 'page');
      await world.notifications.optOut(ana);
      await world.consent.unsubscribe.undo(token);
      expect(await standings()).toEqual([out, out, out]);
      await world.send();
      expect(world.provider.ledger).toEqual([]);
    });

    test('whoever asks for it again gets it again, within the day with what was stopped', async () => {
      await world.consent.unsubscribe.stop(await world.linkIn(mine()[0]), 'one-click');
      await world.subscribe();
      expect((await standings())[0]).toBe('active');
      await world.send();
      expect(world.provider.ledger).toHaveLength(3);
    });

    test('and after weeks, too: the link has been used, and counts no more', async () => {
      const token = await world.linkIn(mine()[0]);
      await world.consent.unsubscribe.stop(token, 'one-click');
      await world.clock.advance(30 * dayMs);
      await world.notifications.update(ana, mine()[0].id, { isActive: true });
      expect((await statuses())[0]).toBe(stopped);
      const next = await world.tell(mine()[0], '2026-01');
      await world.send();
      expect(await world.statusOf(next)).toBe('sent');
      // It is good for leaving once more.
      await world.consent.unsubscribe.stop(token, 'one-click');
      expect((await standings())[0]).toBe('unsubscribed');
    });

    test('also where the notification had not heard that they left: who asks again is mailed again', async () => {
      await world.consent.unsubscribe.stop(await world.linkIn(mine()[0]), 'one-click');
      // As after a bookkeeping that failed.
      await world.db.write
        .updateTable('notifications')
        .set({ is_active: 1, inactive_because: null, inactive_at: null })
        .where('id', '=', mine()[0].id)
        .execute();
      await world.subscribe();
      expect((await statuses())[0]).toBe('pending');
      expect(await world.consent.unsubscribe.leftBy(`${ana}:${mine()[0].id}`)).toEqual([]);
    });

    test('a link of one that nobody knows any more breaks nothing', async () => {
      await world.db.transaction(async (tx) => {
        await world.notifications.left(['user_x:none'], tx, 'everything');
        await world.notifications.returned(['user_x:none'], tx);
      });
      expect(await standings()).toEqual(['active', 'active', 'active']);
      expect(await world.notifications.optOutOf('user_x')).toBeNull();
    });
  });

  describe('by stopping everything through the link', () => {
    let token: string;
    beforeEach(async () => {
      // One has gone out before, so that the address is known.
      await world.tell(mine()[0], '2025-11', { dueAt: 0 });
      await world.db.write
        .updateTable('deliveries')
        .set({ due_at: heldUntil })
        .where('occasion', '=', '2025-12')
        .execute();
      await world.send();
      token = await world.linkIn(mine()[0]);
    });

    test('all of it ends, also what has no address yet', async () => {
      await world.consent.unsubscribe.stopEverything(token);
      expect(await standings()).toEqual(['unsubscribed', out, out]);
      expect(await statuses()).toEqual([stopped, stopped, stopped]);
      expect(await world.notifications.optOutOf(ana)).toEqual({ at: world.clock.now(), via: 'link' });
    });

    test('undo brings back all that it had ended, and only that', async () => {
      await world.notifications.optOut(ana);
      await world.clock.advance(1000);
      await world.notifications.update(ana, mine()[0].id, { isActive: true });
      await world.notifications.update(ana, mine()[1].id, { isActive: true });
      await world.clock.advance(1000);
      await world.consent.unsubscribe.stopEverything(token);
      await world.notifications.update(ana, mine()[2].id, { locale: 'en' });
      await world.consent.unsubscribe.undo(token);
      expect(await standings()).toEqual(['active', 'active', out]);
      expect(await statuses()).toEqual(['pending', 'pending', stopped]);
      expect(await world.notifications.optOutOf(ana)).toBeNull();
    });

    test("undo through another mail's link brings back that one's wish and not everything", async () => {
      const other = await world.linkIn(mine()[1]);
      await world.consent.unsubscribe.stop(other, 'page');
      await world.consent.unsubscribe.stopEverything(token);
      await world.consent.unsubscribe.undo(other);
      expect(await standings()).toEqual(['unsubscribed', out, out]);
      expect(await world.notifications.optOutOf(ana)).toMatchObject({ via: 'link' });
    });

    test('seed 790: undo does not bring back one whose own link was used since', async () => {
      await world.consent.unsubscribe.stopEverything(token);
      const other = await world.linkIn(mine()[1]);
      await world.consent.unsubscribe.stop(other, 'one-click');
      await world.consent.unsubscribe.undo(token);
      expect(await standings()).toEqual(['active', 'unsubscribed', 'active']);
      await world.consent.unsubscribe.undo(other);
      expect(await standings()).toEqual(['active', 'active', 'active']);
      expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    });

    test('who had left this one long ago takes back only the rest', async () => {
      await world.consent.unsubscribe.stop(token, 'page');
      await world.clock.advance(3 * dayMs);
      await world.consent.unsubscribe.stopEverything(token);
      await world.consent.unsubscribe.undo(token);
      expect(await standings()).toEqual(['unsubscribed', 'active', 'active']);
    });

    test('asking for one thing again, weeks later: mail goes to them again, and of nothing else', async () => {
      await world.consent.unsubscribe.stopEverything(token);
      await world.clock.advance(30 * dayMs);
      await world.notifications.update(ana, mine()[2].id, { isActive: true });
      expect(await standings()).toEqual(['unsubscribed', out, 'active']);
      const periods = await Promise.all(mine().map((one) => world.tell(one, '2026-01')));
      await world.send();
      expect(await Promise.all(periods.map((seq) => world.statusOf(seq)))).toEqual([
        stopped,
        stopped,
        'sent',
      ]);
      const [line] = await world.consent.suppressions.list({ limit: 1 });
      expect(line).toMatchObject({ scope: '*', except_for: '["newsletters"]' });
    });
  });
});
