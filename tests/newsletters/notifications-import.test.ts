import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openForeign } from '../../src/db/foreign.ts';
import { onBothDatabases } from '../support/world.ts';
import { createImportWorld, type ImportWorld, sentAt } from './notifications-import-world.ts';
import { createOldSystem, insert, oldDelivery, oldNotification } from './notifications-old-system.ts';

/** What the older system's notifications and the links in its mails become, and what is no older system. */
onBothDatabases('an older system', (dialect) => {
  let world: ImportWorld;
  beforeEach(async () => {
    world = await createImportWorld(dialect);
  });
  afterEach(() => world.close());

  describe('its notifications', () => {
    test('are taken as they were, in all their kinds', async () => {
      await world.have('before');
      const config = {
        ...{ title: 'Mine', conditions: [{ operator: 'gt', threshold: 1234567890123.25, unit: 'RON' }] },
        ...{ filter: { year: 2025 }, seriesId: 'unknown to us' },
      };
      await world.old.run(
        insert('Notifications', [
          oldNotification(1, { config: {} }),
          oldNotification(2, { notification_type: 'alert_series_analytics', entity_cui: null, config }),
          oldNotification(3, {
            notification_type: 'alert_series_static',
            entity_cui: '1',
            config: { datasetId: 'a.b', conditions: [] },
          }),
          oldNotification(4, { entity_cui: '22', is_active: '0' }),
          oldNotification(5, { entity_cui: '33', is_active: '0' }),
        ]),
        insert('UnsubscribeTokens', [
          {
            token: 'token-of-notification-5',
            user_id: 'user_ana',
            notification_id: 5,
            created_at: null,
            expires_at: null,
            used_at: '2025-11-03 08:00:00+00',
          },
        ]),
      );
      expect((await world.take()).notifications).toEqual({ read: 5, taken: 5, known: 0, bad: 0, active: 3 });
      const { rows } = await world.notifications.list('user_ana', { limit: 9 });
      const byId = new Map(rows.map((row) => [row.id, row]));
      expect(byId.get('1')).toMatchObject({
        entityCui: '4305857',
        config: null,
        isActive: true,
        createdAt: sentAt,
      });
      expect(byId.get('2')?.config).toEqual({
        ...{ title: 'Mine', filter: { year: 2025 } },
        conditions: [{ operator: 'gt', threshold: '1234567890123.25', unit: 'RON' }],
      });
      expect(byId.get('3')).toMatchObject({ entityCui: null, config: { datasetId: 'a.b' } });
      expect([byId.get('4')?.inactiveBecause, byId.get('5')?.inactiveBecause]).toEqual([
        'by_user',
        'unsubscribed',
      ]);
      // They are found by what they ask for, as their own.
      expect((await world.subscribe()).id).toBe('1');
      expect((await world.subscribe({ entityCui: '33' })).isActive).toBe(true);
    });

    test('that cannot be taken are named, and keep no other back', async () => {
      await world.have('before');
      await world.old.run(
        insert('Notifications', [
          oldNotification(1, { notification_type: 'newsletter_daily' }),
          oldNotification(2, { user_id: 'a:b' }),
          oldNotification(3, { entity_cui: 'RO1' }),
          oldNotification(4, {
            notification_type: 'alert_series_analytics',
            config: { conditions: [{ operator: 'x' }] },
          }),
          oldNotification(5),
        ]),
        insert('NotificationDeliveries', [
          oldDelivery(1, 5, { period_key: 'soon' }),
          oldDelivery(2, 1),
          oldDelivery(3, 5),
        ]),
      );
      const result = await world.take();
      expect(result.notifications).toMatchObject({ taken: 1, bad: 4 });
      expect(result.deliveries).toMatchObject({ taken: 2, bad: 1 });
      expect(result.problems.map(({ table, id }) => `${table} ${id}`)).toEqual([
        ...['notifications 1', 'notifications 2', 'notifications 3', 'notifications 4', 'deliveries 1'],
      ]);
      expect(result.problems[0]?.problem).toContain('must be one of newsletter_entity_monthly');
    });

    test('of somebody who has left everything here stay off', async () => {
      await world.have('before');
      await world.old.run(insert('Notifications', [oldNotification(1)]));
      await world.notifications.optOut('user_ana');
      await world.take();
      expect(await world.standing('1')).toBe('global_opt_out');
    });

    test('that somebody has asked for here, too, are one: what the one was told, the other was', async () => {
      await world.have('before');
      const here = await world.subscribe();
      await world.old.run(
        insert('Notifications', [oldNotification(7), oldNotification(8, { hash: 'other' })]),
        insert('NotificationDeliveries', [oldDelivery(1, 7), oldDelivery(2, 8, { period_key: '2025-09' })]),
      );
      const result = await world.take();
      expect(result.notifications).toMatchObject({ taken: 0, known: 2 });
      expect((await world.deliveries()).map(({ recipient }) => recipient)).toEqual([
        `user_ana:${here.id}`,
        `user_ana:${here.id}`,
      ]);
      expect(await world.trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await world.trigger('2025-09')).toEqual({ fresh: 0, sent: 0 });
    });
  });

  describe('the links in its mails', () => {
    const token = 'b1d3c0de-1111-4222-8333-444455556666';
    beforeEach(async () => {
      await world.have('before');
      await world.old.run(
        insert('Notifications', [oldNotification(7), oldNotification(8, { entity_cui: '22' })]),
        insert('UnsubscribeTokens', [
          {
            token,
            user_id: 'user_ana',
            notification_id: 7,
            created_at: null,
            expires_at: '2025-01-01 00:00:00+00',
            used_at: null,
          },
        ]),
      );
    });

    test('still work, and can be taken back; nothing that opens them is kept', async () => {
      expect((await world.take()).links).toMatchObject({ read: 1, taken: 1 });
      await world.consent.unsubscribe.stop(token, 'one-click');
      expect([await world.standing('7'), await world.standing('8')]).toEqual(['unsubscribed', 'active']);
      await world.consent.unsubscribe.undo(token);
      expect(await world.standing('7')).toBe('active');
      expect(JSON.stringify(await world.tables())).not.toContain(token);
    });

    test('one that nobody gave out does nothing', async () => {
      await world.take();
      await world.consent.unsubscribe.stop(token.replace('b1', 'b2'), 'one-click');
      await world.consent.unsubscribe.stopEverything('x'.repeat(300));
      expect([await world.standing('7'), await world.standing('8')]).toEqual(['active', 'active']);
    });
  });

  describe('is told apart from what it is not', () => {
    test('another database', async () => {
      world.old = await createOldSystem(dialect, 'before', 'BIGINT');
      await world.old.run('DROP TABLE Notifications', 'DROP TABLE NotificationDeliveries');
      await expect(world.take()).rejects.toMatchObject({ code: 'nothing_to_import' });
      await world.old.run('CREATE TABLE Notifications (id TEXT)');
      await expect(world.take()).rejects.toThrow('has no user_id, notification_type');
    });

    test('one of our own', async () => {
      world.old = { url: world.url, run: async () => {}, drop: async () => {} };
      await expect(world.take()).rejects.toMatchObject({ code: 'own_database' });
    });

    test.each(['nonsense', 'sqlite:/nowhere/old.db', 'postgres://user:s3cret@127.0.0.1:1/old'])(
      '%s',
      async (url) => {
        world.old = { url, run: async () => {}, drop: async () => {} };
        const refusal = await world.take().catch((error) => error);
        expect(refusal.code).toMatch(/^(unknown_database|database_unreachable)$/);
        expect(refusal.message).not.toContain('s3cret');
      },
    );

    test('and is only read', async () => {
      await world.have('before');
      const from = await openForeign(world.old.url);
      await expect(from.query('DELETE FROM Notifications')).rejects.toThrow(/read-?only/i);
      await from.close();
    });
  });
});
