import { afterEach, beforeEach, expect, it } from 'vitest';
import { openForeign } from '../../src/db/foreign.ts';
import { importOld } from '../../src/sources/newsletters/notifications/import/import-old.ts';
import {
  createOldSystem,
  insert,
  type OldShape,
  type OldSystem,
  oldDelivery,
  oldNotification,
} from '../newsletters/notifications-old-system.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract } from './civic-contract-world.ts';

/**
 * Spec 002, phase 1: rows that were there before. To give every old row the status `pending`, as the migration's default would, is
 * to mail all history again (8.15): an old table is taken over as it is, and what was sent is sent.
 */
onBothDatabases('002 phase 1: rows that were there before', (dialect) => {
  let world: CivicContract;
  let old: OldSystem | undefined;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(async () => {
    await world.close();
    await old?.drop();
    old = undefined;
  });

  const sentAt = '2025-11-03T08:00:00.000Z';

  /** Ana and Bo were told of October 2025; Cy was never told. */
  async function takeOver(shape: OldShape, more: Record<string, unknown> = {}): Promise<void> {
    old = await createOldSystem(dialect, shape, 'BIGINT');
    const people = ['ana', 'bo', 'cy'].map((name, place) => oldNotification(place + 1, { user_id: name }));
    const told = ['ana', 'bo'].map((name, place) =>
      oldDelivery(place + 1, place + 1, { user_id: name, ...more }),
    );
    await old.run(insert('Notifications', people), insert('NotificationDeliveries', told));
    await takeAgain();
  }

  async function takeAgain(): Promise<void> {
    const from = await openForeign(old?.url ?? '');
    const { db, outbox, clock, consent } = world;
    await importOld(from, { db, outbox, clock, suppressions: consent.suppressions, by: 'a test' }).finally(
      from.close,
    );
  }

  /** Everything that could mail them: workers, the sweep, a run of that period, and a forced one. */
  async function mailedTo(): Promise<string[]> {
    await world.settle();
    await world.sweep();
    await world.trigger({ periodKey: '2025-10' });
    await world.trigger({ periodKey: '2025-10', force: true });
    await world.settle();
    await world.clock.advance(86_400_000);
    await world.settle();
    return world.provider.ledger.map(({ mail }) => mail.to).sort();
  }
  const wereSent = { status: 'sent', attempt_count: 1, sent_at: sentAt };

  it("002-P1-02 `status` is added with `DEFAULT 'pending'`", async () => {
    // As the default has left them: pending, never attempted, and sent all the same.
    await takeOver('after', { status: 'pending', attempt_count: 0 });
    expect(await world.records()).toMatchObject([wereSent, wereSent]);
    expect(await mailedTo()).toEqual(['cy@example.org']);
    // What is new does begin so.
    await world.follow(9);
    await world.trigger({ periodKey: '2025-09', force: true });
    world.budget.broken.add('4305857');
    await world.newsletters.runs.runOnce();
    const fresh = (await world.records()).filter(({ period_key }) => period_key === '2025-09');
    expect(new Set(fresh.map(({ status }) => status))).toEqual(new Set(['pending']));
  });

  it("002-P1-03 Existing rows are backfilled: `status='sent'`, `attempt_count=1`", async () => {
    await takeOver('before');
    expect(await world.records()).toMatchObject([
      { ...wereSent, delivery_key: 'ana:1:2025-10', user_id: 'ana', notification_id: '1' },
      { ...wereSent, delivery_key: 'bo:2:2025-10', user_id: 'bo', notification_id: '2' },
    ]);
    expect(await mailedTo()).toEqual(['cy@example.org']);
  });

  it.each(['before', 'half', 'after'] as const)(
    '002-C-10 Rows that are there already come over as told: %s it',
    async (shape) => {
      await takeOver(shape, shape === 'after' ? { status: 'sent', attempt_count: 1 } : {});
      const once = await world.records();
      expect(once).toMatchObject([wereSent, wereSent]);
      await takeAgain();
      expect(await world.records()).toEqual(once);
      expect(await mailedTo()).toEqual(['cy@example.org']);
    },
  );
});
