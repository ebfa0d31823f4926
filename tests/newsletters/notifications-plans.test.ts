import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { requireAddress } from '../../src/domain/address.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import {
  createNotifications,
  type Notifications,
} from '../../src/sources/newsletters/notifications/notifications.ts';
import { readItemPage } from '../../src/sources/newsletters/runs/run-items.ts';
import { createLocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { createNotificationsWorld, type NotificationsWorld, sourceName } from './notifications-world.ts';

const many = 20_000;

onBothDatabases('what is asked of notifications is found by its keys', (dialect) => {
  let world: NotificationsWorld;
  let db: Database;
  let notifications: Notifications;
  let seen: Statement[] = [];
  beforeAll(async () => {
    world = await createNotificationsWorld(dialect);
    await addMany();
    db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    const { unsubscribe } = consentOf({ ...world, db });
    notifications = createNotifications({
      db,
      clock: world.clock,
      ids: systemIds,
      log: silentLog,
      unsubscribe,
    });
  });
  beforeEach(() => {
    seen = [];
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  const recipients = Array.from({ length: 100 }, (_, number) => `user_${number + 1}:n-${number + 1}`);
  const work: [string, () => Promise<unknown>][] = [
    ['the last look', () => db.transaction((tx) => notifications.recheckRows(tx, recipients.slice(0, 20)))],
    ['a list', () => notifications.list('user_7', { limit: 50 })],
    ['all of a user', () => notifications.all({ userId: 'user_7', limit: 50 })],
    ['all of a type', () => notifications.all({ type: 'alert_series_static', limit: 50, after: 'n' })],
    ['everybody', () => notifications.all({ limit: 50, after: 'n' })],
    ['an entity', () => notifications.ofEntity('user_7', '4305857')],
    ['deliveries', () => notifications.deliveries('user_7', { limit: 50 })],
    ['people', () => notifications.recipientsOf(['user_7', 'user_8'], 50)],
    ['leaving everything', () => notifications.optOut('user_7')],
    ['coming back', () => notifications.update('user_7', 'n-7', { isActive: true })],
    [
      'asking again',
      () => notifications.subscribe({ userId: 'user_8', type: 'newsletter_entity_monthly', entityCui: '22' }),
    ],
    ['ending one', () => notifications.remove('user_9', 'n-9')],
    [
      'the link',
      () => db.transaction((tx) => notifications.left(recipients.slice(20, 30), tx, 'everything')),
    ],
    ['and back', () => db.transaction((tx) => notifications.returned(recipients.slice(20, 30), tx))],
    [
      'what came back',
      () => db.transaction((tx) => notifications.changed(recipients.slice(40, 60).map(factOf), tx)),
    ],
    ['the list of a run', () => readItemPage(db, 'run-7', { after: 'n', limit: 50 })],
    ['who is in one state', () => readItemPage(db, 'run-7', { after: 'n', limit: 50, state: 'left_out' })],
    ['addresses', () => createLocalUsers({ db, clock: world.clock }).addressesOf(['user_1', 'user_2'])],
    [
      'who has an address',
      () =>
        createLocalUsers({ db, clock: world.clock }).usersAt?.(requireAddress('p7@example.org'), 9) ??
        Promise.resolve(),
    ],
  ];

  test.each(work)('%s', async (_, run) => {
    await run();
    const asked = seen.filter(
      ({ sql: text }) => /^\s*(SELECT|UPDATE|DELETE)/i.test(text) && /\bFROM|UPDATE\b/i.test(text),
    );
    expect(asked.length).toBeGreaterThan(0);
    for (const statement of asked) {
      const plan = (await planOf(world.db, statement)).join('\n');
      // Few people leave everything, and a table of a few rows is read as a whole.
      expect(plan, statement.sql).not.toMatch(
        /Seq Scan on (?!notification_opt_outs|unsubscribe_tokens|suppressions)/,
      );
      expect(plan, statement.sql).not.toMatch(/SCAN (?!json_each|input|items|SUBQUERY|CONSTANT)/);
    }
  });

  async function addMany(): Promise<void> {
    const numbers =
      dialect === 'sqlite'
        ? sql`(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${sql.lit(many)}) SELECT n FROM counted) AS numbers`
        : sql`generate_series(1, ${sql.lit(many)}) AS numbers(n)`;
    await sql`INSERT INTO notifications (id, user_id, notification_type, entity_cui, hash, is_active, created_at, updated_at)
      SELECT 'n-' || n, 'user_' || n, 'newsletter_entity_monthly', '4305857', 'h-' || n, 1, n, n FROM ${numbers}
    `.execute(world.db.write);
    await sql`INSERT INTO users (user_id, email, is_verified, updated_at)
      SELECT 'user_' || n, 'P' || n || '@example.org', 1, 1 FROM ${numbers}
    `.execute(world.db.write);
    await world.outbox.enqueue(
      Array.from({ length: many }, (_, at) => ({
        ...{
          source: sourceName,
          occasion: '2025-12',
          recipient: `user_${at + 1}:n-${at + 1}`,
          lane: 'bulk' as const,
        },
      })),
    );
    await sql`INSERT INTO delivery_events (delivery_seq, at, event, status, round, actor)
      SELECT n, n, 'deferred', 'pending', 0, 'w' FROM ${numbers}
    `.execute(world.db.write);
    await sql`INSERT INTO notification_runs (run_id, notification_type, period_key, status, eligible_count, created_by, created_at, updated_at, trace_id)
      SELECT 'run-' || n, 'newsletter_entity_monthly', '2025-12', 'finished', 10, 'a test', n, n, 't' FROM ${numbers} WHERE n <= ${sql.lit(many / 10)}
    `.execute(world.db.write);
    await sql`INSERT INTO notification_run_items (run_id, notification_id, place, user_id, period_key, state, delivery_seq)
      SELECT 'run-' || (1 + n % ${sql.lit(many / 10)}), 'n-' || n, n, 'user_' || n, '2025-12', 'composed', n FROM ${numbers}
    `.execute(world.db.write);
    if (dialect === 'postgres') await sql`ANALYZE`.execute(world.db.write);
  }
});

const factOf = (recipient: string, seq: number): Fact => ({
  ...{ kind: 'suppressed', event: 'bounced_for_good', at: 1 },
  delivery: { seq, id: '', source: sourceName, occasion: '2025-12', recipient, toEmail: null, traceId: null },
});
