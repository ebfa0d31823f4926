import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/db/dialect.ts';
import { openForeign } from '../../src/db/foreign.ts';
import {
  type Imported,
  type ImportParts,
  importOld,
} from '../../src/sources/newsletters/notifications/import/import-old.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { hasPostgres, onBothDatabases } from '../support/world.ts';
import {
  createOldSystem,
  insert,
  type OldShape,
  type OldSystem,
  oldDelivery,
  oldNotification,
} from './notifications-old-system.ts';
import {
  createNotificationsWorld,
  dayMs,
  type NotificationsWorld,
  sourceName,
} from './notifications-world.ts';

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const sentAt = Date.UTC(2025, 10, 3, 8);
const others: DialectName[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

onBothDatabases('an older system', (dialect) => {
  let world: NotificationsWorld;
  let old: OldSystem;
  beforeEach(async () => {
    world = await createNotificationsWorld(dialect);
  });
  afterEach(async () => {
    await world.close();
    await old.drop();
  });

  async function have(shape: OldShape, idType = 'BIGINT', of = dialect): Promise<void> {
    old = await createOldSystem(of, shape, idType);
  }
  async function take(more: Partial<ImportParts> = {}): Promise<Imported> {
    const from = await openForeign(old.url);
    const { db, clock, outbox } = world;
    const { suppressions } = world.consent;
    return importOld(from, { db, outbox, suppressions, clock, by: 'a test', ...more }).finally(from.close);
  }
  const deliveries = () =>
    world.db.read.selectFrom('deliveries').selectAll().orderBy('recipient').orderBy('occasion').execute();
  const shown = () =>
    world.db.read.selectFrom('notification_deliveries').selectAll().orderBy('notification_id').execute();
  const tables = async () => ({
    deliveries: await deliveries(),
    notifications: await world.db.read.selectFrom('notifications').selectAll().orderBy('id').execute(),
    events: await world.db.read.selectFrom('delivery_events').selectAll().orderBy('event_seq').execute(),
    links: await world.db.read
      .selectFrom('unsubscribe_links_taken_over')
      .selectAll()
      .orderBy('token_hash')
      .execute(),
    suppressions: await world.db.read.selectFrom('suppressions').selectAll().execute(),
    counts: await world.queries.counts(),
  });

  /** What a run does for a period: it asks for a delivery of everybody, and sends what is due. */
  async function trigger(period: string): Promise<{ fresh: number; sent: number }> {
    const rows = await world.db.read
      .selectFrom('notifications')
      .selectAll()
      .where('is_active', '=', 1)
      .execute();
    const made = await world.outbox.enqueue(
      rows.map((row) => ({
        ...{
          source: sourceName,
          occasion: period,
          recipient: `${row.user_id}:${row.id}`,
          lane: 'bulk' as const,
        },
      })),
    );
    const before = world.provider.ledger.length;
    await world.send();
    return { fresh: made.filter(({ isNew }) => isNew).length, sent: world.provider.ledger.length - before };
  }

  describe.each(others)('on %s', (from) => {
    test('002-P1-03 002-C-10 rows from before are sent, once each, when they were, and nobody is told again', async () => {
      await have('before', 'BIGINT', from);
      await old.run(
        insert('Notifications', [oldNotification(7), oldNotification(8, { user_id: 'user_bo' })]),
        insert('NotificationDeliveries', [
          oldDelivery(1, 7),
          oldDelivery(2, 7, { period_key: '2025-09' }),
          oldDelivery(3, 8, { user_id: 'user_bo', sent_at: null, email_batch_id: 'b1' }),
        ]),
      );
      const result = await take();
      expect(result).toMatchObject({
        notifications: { read: 2, taken: 2, known: 0, bad: 0, active: 2 },
        deliveries: { read: 3, taken: 3, known: 0, bad: 0, ends: { sent: 3 }, suppressed: 0 },
        ...{ problems: [], isWhole: true },
      });
      expect(await deliveries()).toMatchObject([
        {
          recipient: 'user_ana:7',
          occasion: '2025-09',
          status: 'sent',
          attempts: 1,
          sent_at: sentAt,
          due_at: null,
        },
        {
          recipient: 'user_ana:7',
          occasion: '2025-10',
          status: 'sent',
          attempts: 1,
          created_at: sentAt,
          lane: 'bulk',
        },
        { recipient: 'user_bo:8', occasion: '2025-10', status: 'sent', attempts: 1, sent_at: sentAt },
      ]);
      // 002-O-03: its key is the one that it had.
      expect((await shown()).map((row) => [row.delivery_key, row.status, row.attempt_count])).toEqual(
        expect.arrayContaining([['user_ana:7:2025-10', 'sent', 1]]),
      );
      expect(await trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await trigger('2025-11')).toEqual({ fresh: 2, sent: 2 });
    });

    test('002-P1-02 8.15 the default of the migration says nothing: what is pending and was sent is sent', async () => {
      await have('after', 'UUID'.replace('UUID', from === 'postgres' ? 'UUID' : 'TEXT'), from);
      await old.run(
        insert('Notifications', [oldNotification(uuid(7))]),
        insert('NotificationDeliveries', [
          oldDelivery(uuid(1), uuid(7), { status: 'pending' }),
          oldDelivery(uuid(2), uuid(7), { status: 'pending', period_key: '2025-09', sent_at: null }),
        ]),
      );
      expect((await take()).deliveries.ends).toEqual({ sent: 1, unsent: 1 });
      expect(await trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await trigger('2025-09')).toEqual({ fresh: 0, sent: 0 });
      // The older system's own id stays, so that what is told of its mails is told of them.
      expect((await deliveries()).map(({ id }) => id).sort()).toEqual([uuid(1), uuid(2)]);
    });

    test('002-P1-04 half-way through the migration: without a status it was sent', async () => {
      await have('half', 'BIGINT', from);
      await old.run(
        insert('Notifications', [oldNotification(7)]),
        insert('NotificationDeliveries', [oldDelivery(1, 7, { status: null, attempt_count: null })]),
      );
      expect((await take()).deliveries.ends).toEqual({ sent: 1 });
      expect(await deliveries()).toMatchObject([{ status: 'sent', attempts: 1, evidence: 5, round: 1 }]);
    });
  });

  test('every end of spec 002 is one here, and none of them is ever sent', async () => {
    await have('after');
    const ends: [string | null, Record<string, unknown>, string, string | null][] = [
      ['sent', { attempt_count: 2, resend_email_id: 'm-1', to_email: 'a@example.org' }, 'sent', null],
      ['delivered', {}, 'delivered', null],
      [
        'sending',
        { sent_at: null, last_attempt_at: '2025-11-03T08:00:00Z' },
        'needs_review',
        'imported_in_doubt',
      ],
      ['sending', { sent_at: null, resend_email_id: 'm-4' }, 'sent', null],
      ['pending', { sent_at: null, attempt_count: 1 }, 'needs_review', 'imported_in_doubt'],
      ['pending', { sent_at: null }, 'expired', 'imported_unsent'],
      [
        'failed_transient',
        { sent_at: null, last_error: 'bounced: MailboxFull' },
        'failed_permanent',
        'imported_unfinished',
      ],
      [
        'failed_permanent',
        { sent_at: null, last_error: 'invalid to' },
        'failed_permanent',
        'imported_failed',
      ],
      [
        'suppressed',
        { last_error: 'email.complained: spam', to_email: 'Bad@example.org' },
        'suppressed',
        'imported_suppressed',
      ],
      ['skipped_unsubscribed', { sent_at: null }, 'skipped_unsubscribed', null],
      ['skipped_no_email', { sent_at: null }, 'skipped_no_email', null],
    ];
    const full = {
      to_email: null,
      resend_email_id: null,
      last_error: null,
      attempt_count: 0,
      last_attempt_at: null,
    };
    await old.run(
      insert(
        'Notifications',
        ends.map((_, index) => oldNotification(index + 1, { entity_cui: String(100 + index) })),
      ),
      insert(
        'NotificationDeliveries',
        ends.map(([status, more], index) => oldDelivery(index + 1, index + 1, { status, ...full, ...more })),
      ),
    );
    const result = await take();
    const rows = new Map((await deliveries()).map((row) => [row.recipient, row]));
    const found = ends.map((_, index) => {
      const row = rows.get(`user_ana:${index + 1}`);
      return [row?.status, JSON.parse(row?.last_error ?? 'null')?.code ?? null];
    });
    expect(found).toEqual(ends.map(([, , status, code]) => [status, code]));
    expect(result.deliveries).toMatchObject({ taken: 11, suppressed: 1 });
    expect(rows.get('user_ana:1')).toMatchObject({
      attempts: 2,
      provider_message_id: 'm-1',
      to_email: 'a@example.org',
    });
    expect(rows.get('user_ana:3')).toMatchObject({ first_possible_accept_at: sentAt, sent_at: null });
    // An address that was given up on is on the list.
    expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([
      { address_key: 'bad@example.org', reason: 'imported', created_by: 'a test' },
    ]);
    // Days of sweeps later nothing has left, and nobody was alarmed.
    const log = createRecordingLog();
    const sweep = world.sweep(log);
    for (let hour = 0; hour < 30; hour++) {
      await sweep.runOnce();
      await world.send();
      await world.clock.advance(3_600_000);
    }
    expect(world.provider.ledger).toEqual([]);
    expect(log.errors()).toEqual([]);
    expect(new Map((await deliveries()).map((row) => [row.recipient, row]))).toEqual(rows);
    expect(await world.queries.counts()).toEqual(
      expect.arrayContaining([{ source: sourceName, status: 'sent', count: 2 }]),
    );
  });

  test('8.15 a delivery whose status nobody knows is not told again either, and is said', async () => {
    await have('after');
    const full = { resend_email_id: null, attempt_count: 0, last_attempt_at: null, sent_at: null };
    await old.run(
      insert(
        'Notifications',
        [1, 2, 3].map((id) => oldNotification(id, { entity_cui: String(10 + id) })),
      ),
      insert('NotificationDeliveries', [
        oldDelivery(1, 1, { status: 'queued', ...full }),
        oldDelivery(2, 2, { status: 'opened', ...full, sent_at: '2025-11-03 08:00:00+00' }),
        oldDelivery(3, 3, { status: ' SENT ', ...full }),
      ]),
    );
    expect((await take()).deliveries).toMatchObject({
      ...{ taken: 3, bad: 0, ends: { in_doubt: 1, sent: 2 }, unknownStatuses: { queued: 1, opened: 1 } },
    });
    const rows = await deliveries();
    expect(rows.map(({ status }) => status)).toEqual(['needs_review', 'sent', 'sent']);
    expect(JSON.parse(rows[0]?.last_error ?? '')).toEqual({
      code: 'imported_in_doubt',
      message:
        'The older system called it "queued", which is no status that is known here: it may have been sent.',
    });
    expect(await trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
  });

  test('what the provider tells later of its mails is heard', async () => {
    await have('after');
    await old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7, { status: 'sent', resend_email_id: 'm-1' })]),
    );
    await take();
    const [row] = await deliveries();
    await world.outbox.record([
      { seq: row?.seq ?? 0, event: 'complained', round: 1, at: 1, messageId: 'm-1', actor: 'webhook' },
    ]);
    expect([(await deliveries())[0]?.status, await world.standing('7')]).toEqual([
      'suppressed',
      'complained',
    ]);
  });

  test('its story says whose word it is', async () => {
    await have('before');
    await old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7)]),
    );
    await take();
    const { events } = await world.queries.story((await deliveries())[0]?.seq ?? 0);
    expect(events).toMatchObject([{ event: 'accepted', actor: 'import', status: 'sent', round: 1 }]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({ evidence: 'import', happenedAt: sentAt });
  });

  test('an address that came with it is forgotten when retention says', async () => {
    await have('after');
    await old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7, { status: 'sent', to_email: 'a@example.org' })]),
    );
    await take();
    await world.clock.advance(100 * dayMs);
    await world.sweep().runOnce();
    expect(await deliveries()).toMatchObject([{ status: 'sent', to_email: null }]);
  });

  describe('its notifications', () => {
    test('are taken as they were, in all their kinds', async () => {
      await have('before');
      const config = {
        ...{ title: 'Mine', conditions: [{ operator: 'gt', threshold: 1234567890123.25, unit: 'RON' }] },
        ...{ filter: { year: 2025 }, seriesId: 'unknown to us' },
      };
      await old.run(
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
      expect((await take()).notifications).toEqual({ read: 5, taken: 5, known: 0, bad: 0, active: 3 });
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
      await have('before');
      await old.run(
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
      const result = await take();
      expect(result.notifications).toMatchObject({ taken: 1, bad: 4 });
      expect(result.deliveries).toMatchObject({ taken: 2, bad: 1 });
      expect(result.problems.map(({ table, id }) => `${table} ${id}`)).toEqual([
        ...['notifications 1', 'notifications 2', 'notifications 3', 'notifications 4', 'deliveries 1'],
      ]);
      expect(result.problems[0]?.problem).toContain('must be one of newsletter_entity_monthly');
    });

    test('of somebody who has left everything here stay off', async () => {
      await have('before');
      await old.run(insert('Notifications', [oldNotification(1)]));
      await world.notifications.optOut('user_ana');
      await take();
      expect(await world.standing('1')).toBe('global_opt_out');
    });

    test('that somebody has asked for here, too, are one: what the one was told, the other was', async () => {
      await have('before');
      const here = await world.subscribe();
      await old.run(
        insert('Notifications', [oldNotification(7), oldNotification(8, { hash: 'other' })]),
        insert('NotificationDeliveries', [oldDelivery(1, 7), oldDelivery(2, 8, { period_key: '2025-09' })]),
      );
      const result = await take();
      expect(result.notifications).toMatchObject({ taken: 0, known: 2 });
      expect((await deliveries()).map(({ recipient }) => recipient)).toEqual([
        `user_ana:${here.id}`,
        `user_ana:${here.id}`,
      ]);
      expect(await trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await trigger('2025-09')).toEqual({ fresh: 0, sent: 0 });
    });
  });

  describe('the links in its mails', () => {
    const token = 'b1d3c0de-1111-4222-8333-444455556666';
    beforeEach(async () => {
      await have('before');
      await old.run(
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
      expect((await take()).links).toMatchObject({ read: 1, taken: 1 });
      await world.consent.unsubscribe.stop(token, 'one-click');
      expect([await world.standing('7'), await world.standing('8')]).toEqual(['unsubscribed', 'active']);
      await world.consent.unsubscribe.undo(token);
      expect(await world.standing('7')).toBe('active');
      expect(JSON.stringify(await tables())).not.toContain(token);
    });

    test('one that nobody gave out does nothing', async () => {
      await take();
      await world.consent.unsubscribe.stop(token.replace('b1', 'b2'), 'one-click');
      await world.consent.unsubscribe.stopEverything('x'.repeat(300));
      expect([await world.standing('7'), await world.standing('8')]).toEqual(['active', 'active']);
    });
  });

  describe('002-P1-10 again, and broken off', () => {
    const many = 1_100;
    beforeEach(async () => {
      await have('before');
      const ids = Array.from({ length: many }, (_, index) => index + 1);
      await old.run(
        insert(
          'Notifications',
          ids.map((id) => oldNotification(id, { user_id: `user_${id}` })),
        ),
        insert(
          'NotificationDeliveries',
          ids.map((id) => oldDelivery(id, id, { user_id: `user_${id}` })),
        ),
      );
    });

    test('once more changes nothing', async () => {
      expect(await take()).toMatchObject({
        notifications: { taken: many },
        deliveries: { taken: many, ends: { sent: many } },
      });
      const before = await tables();
      expect(await take()).toMatchObject({
        ...{ notifications: { taken: 0, known: many }, deliveries: { taken: 0, known: many, ends: {} } },
      });
      expect(await tables()).toEqual(before);
    });

    test('and what was changed here since stays as it is', async () => {
      await take();
      await world.notifications.remove('user_1', '1');
      await take();
      expect(await world.standing('1')).toBe('deleted');
    });

    test('broken off in the middle, it goes on the next time to the same end', async () => {
      const stop = new AbortController();
      const seen: string[] = [];
      const first = await take({
        signal: stop.signal,
        onProgress: ({ what, done, total }) => {
          seen.push(`${what} ${done}/${total}`);
          if (what === 'deliveries') stop.abort();
        },
      });
      expect([first.isWhole, first.deliveries.taken]).toEqual([false, 500]);
      expect(seen).toEqual([
        ...['notifications 500/1100', 'notifications 1000/1100', 'notifications 1100/1100'],
        'deliveries 500/1100',
      ]);
      expect(await take()).toMatchObject({ isWhole: true, deliveries: { taken: 600, known: 500 } });
      expect(await world.statusesOf()).toEqual({ sent: many });
    });

    test('two at once end as one', async () => {
      const [one, other] = await Promise.all([take(), take()]);
      expect((one?.deliveries.taken ?? 0) + (other?.deliveries.taken ?? 0)).toBe(many);
      expect(await world.statusesOf()).toEqual({ sent: many });
    });

    test('for show: nothing is changed, and what would come of it is said', async () => {
      const before = await tables();
      expect(await take({ isDryRun: true })).toMatchObject({
        ...{
          notifications: { taken: many, active: many },
          deliveries: { taken: many, ends: { sent: many } },
        },
      });
      expect(await tables()).toEqual(before);
    });
  });

  describe('is told apart from what it is not', () => {
    test('another database', async () => {
      old = await createOldSystem(dialect, 'before', 'BIGINT');
      await old.run('DROP TABLE Notifications', 'DROP TABLE NotificationDeliveries');
      await expect(take()).rejects.toMatchObject({ code: 'nothing_to_import' });
      await old.run('CREATE TABLE Notifications (id TEXT)');
      await expect(take()).rejects.toThrow('has no user_id, notification_type');
    });

    test('one of our own', async () => {
      old = { url: world.url, run: async () => {}, drop: async () => {} };
      await expect(take()).rejects.toMatchObject({ code: 'own_database' });
    });

    test.each(['nonsense', 'sqlite:/nowhere/old.db', 'postgres://user:s3cret@127.0.0.1:1/old'])(
      '%s',
      async (url) => {
        old = { url, run: async () => {}, drop: async () => {} };
        const refusal = await take().catch((error) => error);
        expect(refusal.code).toMatch(/^(unknown_database|database_unreachable)$/);
        expect(refusal.message).not.toContain('s3cret');
      },
    );

    test('and is only read', async () => {
      await have('before');
      const from = await openForeign(old.url);
      await expect(from.query('DELETE FROM Notifications')).rejects.toThrow(/read-?only/i);
      await from.close();
    });
  });
});
