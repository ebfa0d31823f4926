import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EvidenceEvent } from '../../src/domain/evidence.ts';
import { mailboxUnknown } from '../../src/domain/outcome.ts';
import type { Notification } from '../../src/sources/newsletters/notifications/notification.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, createNotificationsWorld, dayMs, type NotificationsWorld } from './notifications-world.ts';

onBothDatabases('what comes back through a mail', (dialect) => {
  let world: NotificationsWorld;
  let newsletter: Notification;
  let other: Notification;
  beforeEach(async () => {
    world = await createNotificationsWorld(dialect);
    newsletter = await world.subscribe();
    other = await world.subscribe({ entityCui: '22' });
  });
  afterEach(() => world.close());

  /** A period that has been sent to it; answers its number. */
  async function sent(notification: Notification, period: string): Promise<number> {
    const seq = await world.tell(notification, period);
    await world.send();
    expect(await world.statusOf(seq)).toBe('sent');
    return seq;
  }
  const hear = (seq: number, event: EvidenceEvent) =>
    world.outbox.record([{ seq, event, round: 1, at: world.clock.now(), actor: 'webhook' }]);

  test.each([
    ['002-P7-13 a permanent bounce', 'bounced_for_good', 'bounced'],
    ['002-P7-17 a complaint', 'complained', 'complained'],
    ["002-P7-17 the provider's own suppression", 'provider_suppressed', 'complained'],
  ] as const)('%s deactivates the notification that it came through', async (_, event, because) => {
    const seq = await sent(newsletter, '2025-12');
    await hear(seq, event);
    expect([await world.standing(newsletter.id), await world.standing(other.id)]).toEqual([
      because,
      'active',
    ]);
    expect(await world.row(newsletter.id)).toMatchObject({ inactive_at: world.clock.now() });
    // No future sends.
    const next = await world.tell(newsletter, '2026-01');
    await world.send();
    expect(await world.statusOf(next)).not.toBe('sent');
    expect(world.provider.ledger).toHaveLength(1);
  });

  test('a mailbox that the server says is not there, too', async () => {
    world.provider.answer(() => ({
      kind: 'refused_for_good',
      error: { code: mailboxUnknown, message: 'no such user' },
    }));
    await world.tell(newsletter, '2025-12');
    await world.send();
    expect(await world.standing(newsletter.id)).toBe('bounced');
  });

  test.each([
    ['bounced_for_now', 'failed_transient'],
    ['confirmed', 'delivered'],
    ['provider_failed', 'failed_permanent'],
  ] as const)('%s ends no wish', async (event, status) => {
    const seq = await sent(newsletter, '2025-12');
    await world.outbox.record([
      {
        seq,
        event,
        round: 1,
        at: world.clock.now(),
        actor: 'webhook',
        roundsMax: 2,
        dueAt: world.clock.now(),
      },
    ]);
    expect([await world.statusOf(seq), await world.standing(newsletter.id)]).toEqual([status, 'active']);
  });

  test('a complaint outweighs a bounce, in either order and in one batch', async () => {
    const seqs = [await sent(newsletter, '2025-11'), await sent(newsletter, '2025-12')] as const;
    const report = (seq: number, event: EvidenceEvent) => ({
      ...{ seq, event, round: 1, at: world.clock.now(), actor: 'webhook' },
    });
    await hear(seqs[0], 'bounced_for_good');
    await hear(seqs[1], 'complained');
    expect(await world.standing(newsletter.id)).toBe('complained');
    const others = [await sent(await world.subscribe({ userId: 'user_bo' }), '2025-11')];
    const bo = await world.subscribe({ userId: 'user_bo' });
    others.push(await sent(bo, '2025-12'));
    await world.outbox.record([
      report(others[0] ?? 0, 'complained'),
      report(others[1] ?? 0, 'bounced_for_good'),
    ]);
    expect(await world.standing(bo.id)).toBe('complained');
  });

  test('what its user has ended stays ended by them', async () => {
    const seq = await sent(newsletter, '2025-12');
    await world.notifications.update(ana, newsletter.id, { isActive: false });
    await hear(seq, 'bounced_for_good');
    expect(await world.standing(newsletter.id)).toBe('by_user');
  });

  test('after it has ended so, its user may want it again', async () => {
    await hear(await sent(newsletter, '2025-12'), 'bounced_for_good');
    await world.clock.advance(dayMs);
    expect((await world.subscribe()).isActive).toBe(true);
    expect(await world.standing(newsletter.id)).toBe('active');
  });

  describe('the last look', () => {
    const look = (...recipients: string[]) =>
      world.db.transaction(async (tx) =>
        Object.fromEntries(await world.notifications.recheckRows(tx, recipients)),
      );

    test('says of each how it stands, and of one that nobody knows nothing', async () => {
      const bo = await world.subscribe({ userId: 'user_bo' });
      await world.notifications.remove(ana, other.id);
      await world.notifications.optOut('user_bo');
      const names = [newsletter, other, bo].map(({ userId, id }) => `${userId}:${id}`);
      const foreign = `user_bo:${newsletter.id}`;
      expect(await look(...names, foreign, 'user_x:none')).toEqual({
        [names[0] ?? '']: { isActive: true, isDeleted: false, inactiveBecause: null, isOptedOut: false },
        [names[1] ?? '']: { isActive: false, isDeleted: true, inactiveBecause: 'deleted', isOptedOut: false },
        [names[2] ?? '']: {
          isActive: false,
          isDeleted: false,
          inactiveBecause: 'global_opt_out',
          isOptedOut: true,
        },
      });
      expect(await look()).toEqual({});
    });
  });
});
