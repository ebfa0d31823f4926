import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/db/dialect.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { hasPostgres, onBothDatabases } from '../support/world.ts';
import { createImportWorld, type ImportWorld, sentAt } from './notifications-import-world.ts';
import { insert, oldDelivery, oldNotification } from './notifications-old-system.ts';
import { dayMs, sourceName } from './notifications-world.ts';

/** What the older system has sent, or has not: nobody is told again. */
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const others: DialectName[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

onBothDatabases('an older system', (dialect) => {
  let world: ImportWorld;
  beforeEach(async () => {
    world = await createImportWorld(dialect);
  });
  afterEach(() => world.close());

  const shown = () =>
    world.db.read.selectFrom('notification_deliveries').selectAll().orderBy('notification_id').execute();

  describe.each(others)('on %s', (from) => {
    test('002-P1-03 002-C-10 rows from before are sent, once each, when they were, and nobody is told again', async () => {
      await world.have('before', 'BIGINT', from);
      await world.old.run(
        insert('Notifications', [oldNotification(7), oldNotification(8, { user_id: 'user_bo' })]),
        insert('NotificationDeliveries', [
          oldDelivery(1, 7),
          oldDelivery(2, 7, { period_key: '2025-09' }),
          oldDelivery(3, 8, { user_id: 'user_bo', sent_at: null, email_batch_id: 'b1' }),
        ]),
      );
      const result = await world.take();
      expect(result).toMatchObject({
        notifications: { read: 2, taken: 2, known: 0, bad: 0, active: 2 },
        deliveries: { read: 3, taken: 3, known: 0, bad: 0, ends: { sent: 3 }, suppressed: 0 },
        ...{ problems: [], isWhole: true },
      });
      expect(await world.deliveries()).toMatchObject([
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
      expect(await world.trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await world.trigger('2025-11')).toEqual({ fresh: 2, sent: 2 });
    });

    test('002-P1-02 8.15 the default of the migration says nothing: what is pending and was sent is sent', async () => {
      await world.have('after', 'UUID'.replace('UUID', from === 'postgres' ? 'UUID' : 'TEXT'), from);
      await world.old.run(
        insert('Notifications', [oldNotification(uuid(7))]),
        insert('NotificationDeliveries', [
          oldDelivery(uuid(1), uuid(7), { status: 'pending' }),
          oldDelivery(uuid(2), uuid(7), { status: 'pending', period_key: '2025-09', sent_at: null }),
        ]),
      );
      expect((await world.take()).deliveries.ends).toEqual({ sent: 1, unsent: 1 });
      expect(await world.trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
      expect(await world.trigger('2025-09')).toEqual({ fresh: 0, sent: 0 });
      // The older system's own id stays, so that what is told of its mails is told of them.
      expect((await world.deliveries()).map(({ id }) => id).sort()).toEqual([uuid(1), uuid(2)]);
    });

    test('002-P1-04 half-way through the migration: without a status it was sent', async () => {
      await world.have('half', 'BIGINT', from);
      await world.old.run(
        insert('Notifications', [oldNotification(7)]),
        insert('NotificationDeliveries', [oldDelivery(1, 7, { status: null, attempt_count: null })]),
      );
      expect((await world.take()).deliveries.ends).toEqual({ sent: 1 });
      expect(await world.deliveries()).toMatchObject([
        { status: 'sent', attempts: 1, evidence: 5, round: 1 },
      ]);
    });
  });

  test('every end of spec 002 is one here, and none of them is ever sent', async () => {
    await world.have('after');
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
    await world.old.run(
      insert(
        'Notifications',
        ends.map((_, index) => oldNotification(index + 1, { entity_cui: String(100 + index) })),
      ),
      insert(
        'NotificationDeliveries',
        ends.map(([status, more], index) => oldDelivery(index + 1, index + 1, { status, ...full, ...more })),
      ),
    );
    const result = await world.take();
    const rows = new Map((await world.deliveries()).map((row) => [row.recipient, row]));
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
    expect(new Map((await world.deliveries()).map((row) => [row.recipient, row]))).toEqual(rows);
    expect(await world.queries.counts()).toEqual(
      expect.arrayContaining([{ source: sourceName, status: 'sent', count: 2 }]),
    );
  });

  test('8.15 a delivery whose status nobody knows is not told again either, and is said', async () => {
    await world.have('after');
    const full = { resend_email_id: null, attempt_count: 0, last_attempt_at: null, sent_at: null };
    await world.old.run(
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
    expect((await world.take()).deliveries).toMatchObject({
      ...{ taken: 3, bad: 0, ends: { in_doubt: 1, sent: 2 }, unknownStatuses: { queued: 1, opened: 1 } },
    });
    const rows = await world.deliveries();
    expect(rows.map(({ status }) => status)).toEqual(['needs_review', 'sent', 'sent']);
    expect(JSON.parse(rows[0]?.last_error ?? '')).toEqual({
      code: 'imported_in_doubt',
      message:
        'The older system called it "queued", which is no status that is known here: it may have been sent.',
    });
    expect(await world.trigger('2025-10')).toEqual({ fresh: 0, sent: 0 });
  });

  test('what the provider tells later of its mails is heard', async () => {
    await world.have('after');
    await world.old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7, { status: 'sent', resend_email_id: 'm-1' })]),
    );
    await world.take();
    const [row] = await world.deliveries();
    await world.outbox.record([
      { seq: row?.seq ?? 0, event: 'complained', round: 1, at: 1, messageId: 'm-1', actor: 'webhook' },
    ]);
    expect([(await world.deliveries())[0]?.status, await world.standing('7')]).toEqual([
      'suppressed',
      'complained',
    ]);
  });

  test('its story says whose word it is', async () => {
    await world.have('before');
    await world.old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7)]),
    );
    await world.take();
    const { events } = await world.queries.story((await world.deliveries())[0]?.seq ?? 0);
    expect(events).toMatchObject([{ event: 'accepted', actor: 'import', status: 'sent', round: 1 }]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({ evidence: 'import', happenedAt: sentAt });
  });

  test('an address that came with it is forgotten when retention says', async () => {
    await world.have('after');
    await world.old.run(
      insert('Notifications', [oldNotification(7)]),
      insert('NotificationDeliveries', [oldDelivery(1, 7, { status: 'sent', to_email: 'a@example.org' })]),
    );
    await world.take();
    await world.clock.advance(100 * dayMs);
    await world.sweep().runOnce();
    expect(await world.deliveries()).toMatchObject([{ status: 'sent', to_email: null }]);
  });
});
