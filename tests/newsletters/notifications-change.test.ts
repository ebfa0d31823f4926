import { beforeEach, describe, expect, test } from 'vitest';
import type { Notification } from '../../src/sources/newsletters/notifications/notification.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { ana, createNotificationsWorld, dayMs, heldUntil } from './notifications-world.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const conditions = [{ operator: 'gt', threshold: '10', unit: 'RON' }];

onBothDatabases('one of my notifications', (dialect) => {
  const world = worldForEach(() => createNotificationsWorld(dialect));
  let newsletter: Notification;
  let alert: Notification;
  beforeEach(async () => {
    newsletter = await world.subscribe();
    alert = await world.subscribe({
      ...{ type: 'alert_series_analytics', entityCui: undefined },
      config: { conditions, filter: { year: 2025 } },
    });
    await world.clock.advance(1000);
  });

  describe('is changed', () => {
    test('on and off: off stops what waits at once, on brings back what was stopped within a day', async () => {
      const { notifications } = world;
      const [held, due] = [
        await world.tell(newsletter, '2025-11', { dueAt: heldUntil }),
        await world.tell(newsletter, '2025-12'),
      ];
      const other = await world.tell(alert, '2025-12');
      expect(await notifications.update(ana, newsletter.id, { isActive: false })).toEqual({
        kind: 'changed',
        notification: {
          ...newsletter,
          ...{ isActive: false, inactiveBecause: 'by_user', updatedAt: world.clock.now() },
        },
      });
      expect([await world.statusOf(held), await world.statusOf(due)]).toEqual([
        'skipped_unsubscribed',
        'skipped_unsubscribed',
      ]);
      expect(await world.statusOf(other)).toBe('pending');
      await world.clock.advance(dayMs - 1);
      const back = await notifications.update(ana, newsletter.id, { isActive: true });
      expect(back.notification).toMatchObject({ isActive: true, inactiveBecause: null });
      // One when it would have left; the other now, because no run holds it back any more.
      const dueAts = await Promise.all([held, due].map(async (seq) => (await world.find(seq))?.due_at));
      expect(dueAts).toEqual([world.clock.now(), Date.UTC(2026, 0, 1) + 1000]);
      const { events } = await world.queries.story(due);
      expect(events.map(({ event, actor }) => `${event} by ${actor}`)).toEqual([
        'unsubscribed by the recipient',
        'resumed by the recipient',
      ]);
    });

    test('what was stopped longer ago stays stopped', async () => {
      const seq = await world.tell(newsletter, '2025-12');
      await world.notifications.update(ana, newsletter.id, { isActive: false });
      await world.clock.advance(dayMs + 1);
      await world.notifications.update(ana, newsletter.id, { isActive: true });
      expect(await world.statusOf(seq)).toBe('skipped_unsubscribed');
    });

    test('in its language, and back to the one of the deployment', async () => {
      const { notifications } = world;
      expect((await notifications.update(ana, newsletter.id, { locale: 'en' })).notification.locale).toBe(
        'en',
      );
      expect((await notifications.update(ana, newsletter.id, { locale: 'en' })).kind).toBe('unchanged');
      expect(
        (await notifications.update(ana, newsletter.id, { locale: null })).notification.locale,
      ).toBeNull();
    });

    test('in what an alert watches, and is then found by that', async () => {
      const config = { title: 'Salaries', conditions, filter: { year: 2026 } };
      const { notification } = await world.notifications.update(ana, alert.id, { config });
      expect(notification.config).toEqual(config);
      const again = { type: 'alert_series_analytics', entityCui: undefined };
      expect((await world.subscribe({ ...again, config })).id).toBe(alert.id);
      const before = await world.subscribe({ ...again, config: alert.config });
      expect(before.id).not.toBe(alert.id);
    });

    test('but not into one that there is already: which that is, is said', async () => {
      const { notifications } = world;
      const config = { conditions, filter: { year: 2026 } };
      const other = await world.subscribe({ type: 'alert_series_analytics', entityCui: undefined, config });
      const into = () => notifications.update(ana, alert.id, { config, locale: 'en' });
      await expect(into()).rejects.toMatchObject({
        code: 'notification_conflict',
        details: { id: other.id },
      });
      await notifications.remove(ana, other.id);
      await expect(into()).rejects.toThrow('subscribe to it again instead');
      // Nothing of a change that is refused is kept.
      expect(await notifications.find(ana, alert.id)).toEqual(alert);
      expect((await notifications.update(ana, alert.id, { config: alert.config })).kind).toBe('unchanged');
    });

    test.each([
      [{}, 'nothing_to_change'],
      [{ locale: 'fr' }, 'invalid_locale'],
      [{ config: { conditions: [] } }, 'invalid_config'],
    ])('not so: %j', async (change, code) => {
      await expect(world.notifications.update(ana, newsletter.id, change)).rejects.toMatchObject({ code });
    });

    test('not past the room that there is', async () => {
      const few = world.notificationsWith({ activeMax: 2 });
      await few.update(ana, alert.id, { isActive: false });
      await few.subscribe({ userId: ana, type: 'newsletter_entity_monthly', entityCui: '22' });
      await expect(few.update(ana, alert.id, { isActive: true })).rejects.toMatchObject({
        code: 'too_many_notifications',
      });
    });
  });

  test('is deleted: it is gone for its user, what waits is stopped, and its row stays', async () => {
    const { notifications } = world;
    const seq = await world.tell(newsletter, '2025-12');
    await notifications.remove(ana, newsletter.id);
    expect(await world.statusOf(seq)).toBe('skipped_unsubscribed');
    expect(await world.row(newsletter.id)).toMatchObject({
      ...{ is_active: 0, inactive_because: 'deleted', deleted_at: world.clock.now() },
    });
    expect((await notifications.list(ana, { limit: 9 })).rows).toEqual([alert]);
    expect(await notifications.ofEntity(ana, '4305857')).toEqual([]);
    for (const work of [
      () => notifications.find(ana, newsletter.id),
      () => notifications.remove(ana, newsletter.id),
      () => notifications.update(ana, newsletter.id, { isActive: true }),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'notification_not_found' });
    // Its history is still theirs.
    expect((await notifications.deliveries(ana, { limit: 9 })).rows).toHaveLength(1);
  });

  test("is nobody else's", async () => {
    const { notifications } = world;
    for (const work of [
      () => notifications.find('user_bo', newsletter.id),
      () => notifications.remove('user_bo', newsletter.id),
      () => notifications.update('user_bo', newsletter.id, { isActive: false }),
      () => notifications.find(ana, unknownId),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'notification_not_found' });
    expect(await notifications.find(ana, newsletter.id)).toEqual(newsletter);
  });

  describe('is listed', () => {
    test('newest first, page by page, also where one of a page was deleted since', async () => {
      const { notifications } = world;
      const made = [];
      for (let number = 0; number < 5; number++) {
        // Two at the same moment.
        if (number % 2 === 0) await world.clock.advance(1000);
        made.push(await world.subscribe({ entityCui: String(30 + number) }));
      }
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const { rows, next } = await notifications.list(ana, { limit: 2, after });
        seen.push(...rows.map(({ id }) => id));
        after = next ?? undefined;
        if (seen.length === 2) await notifications.remove(ana, seen[1] ?? '');
      } while (after !== undefined);
      expect(seen).toHaveLength(7);
      expect(new Set(seen)).toEqual(new Set([...made, newsletter, alert].map(({ id }) => id)));
      const createdAts = await Promise.all(seen.map(async (id) => (await world.row(id)).created_at));
      expect(createdAts).toEqual(createdAts.toSorted((a, b) => b - a));
      await expect(notifications.list('user_bo', { limit: 2, after: newsletter.id })).rejects.toMatchObject({
        code: 'invalid_page',
      });
    });

    test('by its entity', async () => {
      const yearly = await world.subscribe({ type: 'newsletter_entity_yearly' });
      await world.subscribe({ entityCui: '22' });
      await world.subscribe({ userId: 'user_bo' });
      const found = await world.notifications.ofEntity(ana, '4305857');
      expect(found.map(({ id }) => id).sort()).toEqual([newsletter.id, yearly.id].sort());
      await expect(world.notifications.ofEntity(ana, 'x')).rejects.toMatchObject({ code: 'invalid_entity' });
    });

    test('for an operator, by its users', async () => {
      const recipients = await world.notifications.recipientsOf([ana, 'user_bo'], 9);
      expect(recipients.sort()).toEqual([`${ana}:${newsletter.id}`, `${ana}:${alert.id}`].sort());
    });
  });

  describe('has deliveries', () => {
    test("in the words of spec 002, mine and nobody else's, newest first, page by page", async () => {
      const { notifications, outbox } = world;
      const seqs = [];
      for (const period of ['2025-10', '2025-11', '2025-12']) seqs.push(await world.tell(newsletter, period));
      const bo = await world.subscribe({ userId: 'user_bo' });
      const foreign = await world.tell(bo, '2025-12');
      await world.tell(alert, '2025-12');
      await outbox.enqueue([
        { source: 'plain', occasion: 'x', recipient: `${ana}:${newsletter.id}`, lane: 'normal' },
      ]);
      const { rows, next } = await notifications.deliveries(ana, { limit: 3 });
      expect(rows.map(({ notificationId, periodKey }) => [notificationId, periodKey])).toEqual([
        [alert.id, '2025-12'],
        [newsletter.id, '2025-12'],
        [newsletter.id, '2025-11'],
      ]);
      const last = await notifications.deliveries(ana, { limit: 3, after: next ?? '' });
      expect(last).toEqual({
        rows: [
          {
            id: (await world.find(seqs[0]))?.id,
            ...{ notificationId: newsletter.id, periodKey: '2025-10', status: 'pending' },
            deliveryKey: `${ana}:${newsletter.id}:2025-10`,
            ...{ toEmail: null, attemptCount: 0, lastAttemptAt: null, sentAt: null },
            createdAt: '2026-01-01T00:00:01.000Z',
          },
        ],
        next: null,
      });
      for (const after of [(await world.find(foreign))?.id ?? '', unknownId, 'nonsense'])
        await expect(notifications.deliveries(ana, { limit: 3, after })).rejects.toMatchObject({
          code: 'invalid_page',
        });
    });

    test('which say what became of them', async () => {
      await world.tell(newsletter, '2025-12');
      await world.send();
      const { rows } = await world.notifications.deliveries(ana, { limit: 1 });
      const at = new Date(world.clock.now()).toISOString();
      expect(rows).toMatchObject([
        { status: 'sent', toEmail: 'user_ana@example.org', attemptCount: 1, sentAt: at, lastAttemptAt: at },
      ]);
    });

    test('and the view of spec 002 says the same', async () => {
      await world.tell(newsletter, '2025-11');
      await world.send();
      await world.tell(newsletter, '2025-12');
      const { rows } = await world.notifications.deliveries(ana, { limit: 2 });
      const inView = await world.db.read
        .selectFrom('notification_deliveries')
        .select(['id', 'notification_id', 'period_key', 'delivery_key', 'status', 'to_email'])
        .select(['attempt_count', 'last_attempt_at', 'sent_at', 'created_at'])
        .orderBy('period_key', 'desc')
        .execute();
      expect(rows).toEqual(
        inView.map((row) => ({
          ...{ id: row.id, notificationId: row.notification_id, periodKey: row.period_key },
          ...{ deliveryKey: row.delivery_key, status: row.status, toEmail: row.to_email },
          ...{ attemptCount: row.attempt_count, lastAttemptAt: row.last_attempt_at, sentAt: row.sent_at },
          createdAt: row.created_at,
        })),
      );
    });
  });
});
