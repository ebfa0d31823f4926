import { beforeEach, describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { createWatchWorld, dayMs, hourMs, told } from './watch-world.ts';

/** When mail is welcome, and how many of them. */
onBothDatabases('the owner of a link', (dialect) => {
  const world = worldForEach(() => createWatchWorld(dialect));
  beforeEach(async () => {
    await world.believe('Closed');
  });

  test('snoozes, and ends that', async () => {
    const { token, subscriptionId } = await world.confirmed();
    const until = world.clock.now() + dayMs;
    const { snooze, find } = world.subscriptions;
    expect(told(await snooze(token, until))).toBe('changed');
    expect(told(await snooze(token, until))).toBe('unchanged');
    expect((await find(token))?.preferences.snoozeUntil).toBe(until);
    for (const bad of [world.clock.now(), Number.NaN, 1.5, until + 400 * dayMs])
      expect(told(await snooze(token, bad))).toBe('invalid_snooze');
    expect(told(await snooze(token, null))).toBe('changed');
    expect((await find(token))?.preferences.snoozeUntil).toBeNull();
    expect((await world.eventsOf(subscriptionId)).slice(-2)).toEqual(['snoozed Closed', 'snoozed Closed']);
  });

  describe('while a mail waits for the hour', () => {
    const waitingFor = async (dueAt: number) => {
      const made = await world.confirmed();
      const seq = await world.tell(await world.addOpenEvent(), made.subscriptionId, { dueAt });
      return { ...made, seq };
    };
    const dueOf = async (seq: number) => (await world.queries.find(String(seq)))?.due_at;
    const now = () => world.clock.now();

    test('who ends a snooze, or shortens it, is told as soon as they want it', async () => {
      const { token, seq } = await waitingFor(now() + 7 * dayMs);
      await world.subscriptions.snooze(token, now() + 7 * dayMs);
      await world.subscriptions.snooze(token, now() + dayMs);
      expect(await dueOf(seq)).toBe(now() + dayMs);
      await world.clock.advance(hourMs);
      await world.subscriptions.snooze(token, null);
      expect(await dueOf(seq)).toBe(now());
      // Later is not sooner: the gate puts it off when it is due.
      await world.subscriptions.snooze(token, now() + dayMs);
      expect(await dueOf(seq)).toBe(now());
    });

    test('the same for hours; a snooze that still lasts holds', async () => {
      const { token, seq } = await waitingFor(now() + 7 * dayMs);
      await world.subscriptions.setWindow(token, { startMinutes: 7 * 60, endMinutes: 18 * 60 });
      // It is 19:00 at the campus.
      expect(await dueOf(seq)).toBe(now() + 12 * hourMs);
      await world.subscriptions.setWindow(token, null);
      expect(await dueOf(seq)).toBe(now());
    });

    test('what waits for something else is left where it is, and so are the mails of others', async () => {
      const { token, seq } = await waitingFor(now() + dayMs);
      const failed = JSON.stringify({ code: 'rate_limited', message: 'later' });
      await world.db.write
        .updateTable('deliveries')
        .set({ last_error: failed })
        .where('seq', '=', seq)
        .execute();
      const bob = await world.confirmed({ email: 'bob@example.org' });
      const other = await world.tell(await world.addOpenEvent(), bob.subscriptionId, {
        dueAt: now() + dayMs,
      });
      await world.subscriptions.snooze(token, now() + hourMs);
      expect([await dueOf(seq), await dueOf(other)]).toEqual([now() + dayMs, now() + dayMs]);
    });
  });

  test('says in which hours mail is welcome', async () => {
    const { token } = await world.confirmed();
    const { setWindow, find } = world.subscriptions;
    const night = { startMinutes: 1320, endMinutes: 420 };
    expect(told(await setWindow(token, night))).toBe('changed');
    expect(told(await setWindow(token, night))).toBe('unchanged');
    expect((await find(token))?.preferences.deliveryWindow).toEqual(night);
    for (const bad of [{ startMinutes: -1, endMinutes: 5 }, { startMinutes: 1, endMinutes: 1441 }, {}])
      expect(told(await setWindow(token, bad as typeof night))).toBe('invalid_window');
    expect(told(await setWindow(token, null))).toBe('changed');
    expect((await find(token))?.preferences.deliveryWindow).toBeNull();
  });

  describe('a greatest number of mails', () => {
    test('one that they have had already pauses the watch; going on begins a new count', async () => {
      const { token, subscriptionId } = await world.confirmed();
      await world.setCells(subscriptionId, { notifications_sent: 2 });
      const { setMaxNotifications, resume, find } = world.subscriptions;
      expect(told(await setMaxNotifications(token, 3))).toBe('changed');
      expect((await find(token))?.status).toBe('active');
      expect(told(await setMaxNotifications(token, 2))).toBe('changed');
      expect(await find(token)).toMatchObject({ status: 'paused', notificationsSent: 2 });
      await resume(token);
      expect(await find(token)).toMatchObject({
        ...{ status: 'active', notificationsSent: 0, preferences: { maxNotifications: 2 } },
      });
      expect((await world.eventsOf(subscriptionId)).slice(-4)).toEqual([
        ...['max_set Closed', 'max_set Closed', 'paused Closed', 'resumed Closed'],
      ]);
    });

    test('who goes on before the last of them keeps the count', async () => {
      const { token, subscriptionId } = await world.confirmed();
      await world.setCells(subscriptionId, { notifications_sent: 2, max_notifications: 3, status: 'paused' });
      await world.subscriptions.resume(token);
      expect(await world.subscription(subscriptionId)).toMatchObject({ notifications_sent: 2 });
    });

    test('is a whole number, or none', async () => {
      const { token } = await world.confirmed();
      for (const bad of [0, -1, 1.5, 1001, Number.NaN])
        expect(told(await world.subscriptions.setMaxNotifications(token, bad))).toBe('invalid_max');
      expect(told(await world.subscriptions.setMaxNotifications(token, null))).toBe('unchanged');
    });
  });
});
