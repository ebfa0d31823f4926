import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireAddress } from '../../src/domain/address.ts';
import { stopDeliveries } from '../../src/outbox/stop.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { createWatchWorld, dayMs, hourMs, told, type WatchWorld } from './watch-world.ts';

onBothDatabases('leaving', (dialect) => {
  let world: WatchWorld;
  let token: string;
  let subscriptionId: number;
  /** A mail about an opening that waits for them, until tomorrow. */
  let waiting: number;
  let dueAt: number;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    await world.believe('Closed');
    ({ token, subscriptionId } = await world.confirmed());
    dueAt = world.clock.now() + 12 * hourMs;
    waiting = await world.tell(await world.addOpenEvent(), subscriptionId, { dueAt });
  });
  afterEach(() => world.close());

  const status = async () => (await world.subscriptions.find(token))?.status;
  const lastEvent = async () => (await world.eventsOf(subscriptionId)).at(-1);
  const cancel = () => world.subscriptions.cancel(token);
  const undoCancel = () => world.subscriptions.undoCancel(token);

  describe('by the page of a watch', () => {
    test('what waits is stopped with it, and waits again as it did when they come back', async () => {
      expect(await cancel()).toMatchObject({
        kind: 'changed',
        watch: { status: 'unsubscribed', undoUntil: world.clock.now() + dayMs },
      });
      expect(await world.statusOf(waiting)).toBe('skipped_unsubscribed');
      expect(await lastEvent()).toBe('unsubscribed Closed');
      expect(told(await cancel())).toBe('unchanged');
      await world.clock.advance(hourMs);
      expect(await undoCancel()).toMatchObject({
        ...{ kind: 'changed', watch: { status: 'active', undoUntil: null } },
      });
      expect(await lastEvent()).toBe('undone Closed');
      expect(told(await undoCancel())).toBe('unchanged');
      expect(await world.queries.find(String(waiting))).toMatchObject({ status: 'pending', due_at: dueAt });
    });

    test('a mail that asks for a confirmation is stopped too', async () => {
      const bob = await world.watch({ email: 'bob@example.org' });
      await world.subscriptions.cancel(bob.token);
      expect(await world.mails()).toContain(
        `course-seats-verification ${bob.subscriptionId}-1 skipped_unsubscribed`,
      );
      await world.subscriptions.undoCancel(bob.token);
      expect((await world.subscriptions.find(bob.token))?.status).toBe('pending');
      expect(await world.mails()).toContain(`course-seats-verification ${bob.subscriptionId}-1 pending`);
    });

    test('who was paused comes back paused', async () => {
      await world.subscriptions.pause(token);
      await cancel();
      await undoCancel();
      expect(await status()).toBe('paused');
    });

    test('for a day, and not a millisecond longer; pressing once more does not prolong it', async () => {
      await cancel();
      await world.clock.advance(hourMs);
      await cancel();
      await world.clock.advance(23 * hourMs);
      expect((await world.subscriptions.find(token))?.undoUntil).toBe(world.clock.now());
      await world.clock.advance(1);
      expect((await world.subscriptions.find(token))?.undoUntil).toBeNull();
      expect(told(await undoCancel())).toBe('too_late');
      expect(await status()).toBe('unsubscribed');
      expect(await world.statusOf(waiting)).toBe('skipped_unsubscribed');
    });

    test('who watches it again meanwhile has that watch, and not two', async () => {
      await cancel();
      const again = await world.watch();
      expect(again.kind).toBe('created');
      expect(again.subscriptionId).not.toBe(subscriptionId);
      expect(told(await undoCancel())).toBe('already_watching');
      expect(await world.statusOf(waiting)).toBe('skipped_unsubscribed');
    });

    test('coming back counts like coming', async () => {
      const { create, undoCancel } = world.subscriptionsWith({ limits: { contactWatchesMax: 1 } });
      await cancel();
      await world.addSection('20001');
      const other = await create(world.order({ indexNumber: '20001' }));
      await world.subscriptions.confirm('token' in other ? other.token : '');
      expect(told(await undoCancel(token))).toBe('too_many_watches');
    });

    test('what was stopped before they left stays stopped', async () => {
      const earlier = await world.tell(await world.addOpenEvent(), subscriptionId, { dueAt });
      const seats = { source: 'course-seats', recipient: String(subscriptionId) };
      await world.db.transaction((tx) =>
        stopDeliveries(tx, { whose: seats, event: 'unsubscribed', actor: 'a test' }, world.clock.now(), {
          dialect,
          log: silentLog,
        }),
      );
      await world.clock.advance(1);
      await cancel();
      await undoCancel();
      expect(await world.statusOf(earlier)).toBe('skipped_unsubscribed');
    });
  });

  describe('by the link in a mail', () => {
    const link = () => world.linkIn(subscriptionId);

    test('the watch ends in the same transaction, once; taken back, it goes on', async () => {
      const { stop, undo } = world.consent.unsubscribe;
      await stop(await link(), 'one-click');
      expect(await status()).toBe('unsubscribed');
      const { left_at } = await world.subscription(subscriptionId);
      await world.clock.advance(hourMs);
      await stop(await link(), 'page');
      expect(await world.subscription(subscriptionId)).toMatchObject({
        ...{ left_at, status_before_leaving: 'active' },
      });
      expect((await world.eventsOf(subscriptionId)).filter((one) => /^unsub/.test(one))).toHaveLength(1);
      await undo(await link());
      expect(await status()).toBe('active');
      expect(await world.statusOf(waiting)).toBe('pending');
      await undo(await link());
      expect((await world.eventsOf(subscriptionId)).filter((one) => /^undone/.test(one))).toHaveLength(1);
    });

    test('that of a verification mail ends the watch as well', async () => {
      const bob = await world.watch({ email: 'bob@example.org' });
      const theirs = await world.linkIn(bob.subscriptionId, 'course-seats-verification');
      await world.consent.unsubscribe.stop(theirs, 'page');
      expect((await world.subscriptions.find(bob.token))?.status).toBe('unsubscribed');
      await world.consent.unsubscribe.undo(theirs);
      expect((await world.subscriptions.find(bob.token))?.status).toBe('pending');
    });

    test('taken back on the page of the watch, consent has it too: mails go again', async () => {
      await world.consent.unsubscribe.stop(await link(), 'page');
      expect(told(await undoCancel())).toBe('changed');
      expect(await status()).toBe('active');
      expect(await world.statusOf(waiting)).toBe('pending');
      expect(await world.consent.unsubscribe.leftBy(String(subscriptionId))).toEqual([]);
    });

    test('an operator who brings them back brings back the watch, and none of what was stopped', async () => {
      await world.consent.unsubscribe.stop(await link(), 'page');
      const owner = { source: 'course-seats', recipient: String(subscriptionId) };
      await world.consent.unsubscribe.reopen(owner, { by: 'an operator', because: 'they called' });
      expect(await status()).toBe('active');
      expect(await world.statusOf(waiting)).toBe('skipped_unsubscribed');
    });

    test('where another watch is in its place, it stays as it is, and consent does what it was asked', async () => {
      await world.consent.unsubscribe.stop(await link(), 'page');
      const again = await world.watch();
      await world.consent.unsubscribe.undo(await link());
      expect(await status()).toBe('unsubscribed');
      expect((await world.subscriptions.find(again.token))?.status).toBe('pending');
      expect(await world.consent.unsubscribe.leftBy(String(subscriptionId))).toEqual([]);
    });
  });

  describe('all mails at once', () => {
    const address = requireAddress('ana@example.org');
    let other: { token: string; subscriptionId: number };
    beforeEach(async () => {
      await world.addSection('20001');
      other = await world.confirmed({ indexNumber: '20001' });
      // As a mail that has been sent: whoever has its link has got one.
      await world.db.write
        .updateTable('deliveries')
        .set({ to_email: address })
        .where('seq', '=', waiting)
        .execute();
      const link = await world.linkIn(subscriptionId);
      await world.consent.unsubscribe.stopEverything(link);
      expect(await world.consent.suppressions.list({ address, limit: 9 })).toHaveLength(1);
    });
    const otherStatus = async () => (await world.subscriptions.find(other.token))?.status;

    test('this watch ends; the others are stopped by the address, and end when the day is over', async () => {
      expect(await status()).toBe('unsubscribed');
      expect(await otherStatus()).toBe('active');
      await world.clock.advance(dayMs);
      await world.subscriptions.housekeep(100);
      expect(await otherStatus()).toBe('active');
      await world.clock.advance(1);
      expect(await world.subscriptions.housekeep(100)).toBeGreaterThan(0);
      expect(await otherStatus()).toBe('unsubscribed');
      expect(await world.subscription(other.subscriptionId)).toMatchObject({ contact_value: null });
      expect((await world.eventsOf(other.subscriptionId)).at(-1)).toMatch(/^unsubscribed/);
    });

    test('taken back, all go on', async () => {
      await world.consent.unsubscribe.undo(await world.linkIn(subscriptionId));
      expect([await status(), await otherStatus()]).toEqual(['active', 'active']);
      await world.clock.advance(2 * dayMs);
      await world.subscriptions.housekeep(100);
      expect([await status(), await otherStatus()]).toEqual(['active', 'active']);
    });

    test('taken back on the page of the watch, the address is good again, too', async () => {
      expect(told(await undoCancel())).toBe('changed');
      expect(await world.consent.suppressions.list({ address, limit: 9 })).toEqual([]);
      expect(await world.statusOf(waiting)).toBe('pending');
    });

    test('what they ask for after that is theirs to confirm', async () => {
      await world.clock.advance(hourMs);
      await world.addSection('20002');
      const later = await world.watch({ indexNumber: '20002' });
      await world.clock.advance(2 * dayMs);
      await world.subscriptions.housekeep(100);
      expect((await world.subscriptions.find(later.token))?.status).toBe('pending');
    });
  });
});
