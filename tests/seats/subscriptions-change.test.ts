import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTokens } from '../../src/consent/token.ts';
import type { Address } from '../../src/domain/address.ts';
import type { Changed } from '../../src/sources/course-seats/subscriptions/subscriptions.ts';
import { tokenSecret } from '../support/consent.ts';
import { unknownToken } from '../support/recipients.ts';
import { onBothDatabases } from '../support/world.ts';
import { createWatchWorld, dayMs, hourMs, type WatchWorld } from './watch-world.ts';

onBothDatabases('the owner of a link', (dialect) => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    await world.believe('Closed');
  });
  afterEach(() => world.close());

  const told = (changed: Changed) => (changed.kind === 'refused' ? changed.code : changed.kind);
  const set = (subscriptionId: number, cells: object) =>
    world.db.write
      .updateTable('subscriptions')
      .set(cells)
      .where('subscription_id', '=', subscriptionId)
      .execute();

  test('confirms once; a second time changes nothing', async () => {
    const { token, subscriptionId } = await world.watch();
    await world.clock.advance(hourMs);
    expect(await world.subscriptions.confirm(token)).toMatchObject({
      ...{ kind: 'changed', watch: { subscriptionId, status: 'active', token } },
    });
    expect(await world.subscription(subscriptionId)).toMatchObject({ verified_at: world.clock.now() });
    expect(told(await world.subscriptions.confirm(token))).toBe('unchanged');
    expect(await world.eventsOf(subscriptionId)).toEqual([
      ...['created Closed', 'verification_sent Closed', 'verified Closed'],
    ]);
  });

  test('confirms with an old mail too, as long as the watch waits', async () => {
    const { token } = await world.watch();
    await world.clock.advance(6 * dayMs);
    expect(told(await world.subscriptions.confirm(token))).toBe('changed');
  });

  test('confirms nobody else', async () => {
    const ana = await world.watch();
    const bob = await world.watch({ email: 'bob@example.org' });
    await world.subscriptions.confirm(ana.token);
    expect((await world.subscriptions.find(bob.token))?.status).toBe('pending');
  });

  test('sees what they watch, and nothing of others', async () => {
    await world.addSection('20001');
    await world.addSection('20002');
    const first = await world.confirmed();
    const second = await world.watch({ indexNumber: '20001' });
    await world.watch({ indexNumber: '20002', email: 'bob@example.org' });
    const ids = async (token: string) =>
      (await world.subscriptions.siblings(token)).map(({ subscriptionId }) => subscriptionId);
    expect(await ids(first.token)).toEqual([first.subscriptionId, second.subscriptionId]);
    await world.subscriptions.cancel(first.token);
    expect(await ids(second.token)).toEqual([second.subscriptionId]);
    expect(await ids(first.token)).toEqual([first.subscriptionId, second.subscriptionId]);
  });

  test('pauses and goes on', async () => {
    const { token, subscriptionId } = await world.confirmed();
    expect(told(await world.subscriptions.pause(token))).toBe('changed');
    expect(told(await world.subscriptions.pause(token))).toBe('unchanged');
    expect((await world.subscriptions.find(token))?.status).toBe('paused');
    expect(told(await world.subscriptions.resume(token))).toBe('changed');
    expect(told(await world.subscriptions.resume(token))).toBe('unchanged');
    expect((await world.eventsOf(subscriptionId)).slice(-2)).toEqual(['paused Closed', 'resumed Closed']);
  });

  test('what only begins after a confirmation cannot be begun without one', async () => {
    const { token } = await world.watch();
    expect(told(await world.subscriptions.pause(token))).toBe('not_confirmed');
    expect(told(await world.subscriptions.resume(token))).toBe('not_confirmed');
    expect((await world.subscriptions.find(token))?.status).toBe('pending');
  });

  describe('whose address bounced', () => {
    const ana = 'ana@example.org' as Address;
    const bounced = async () => {
      const made = await world.confirmed();
      await world.consent.suppressions.add([{ address: ana, reason: 'bounced_for_good' }], 'evidence');
      await set(made.subscriptionId, { status: 'suppressed' });
      return made;
    };
    const lift = () => world.consent.suppressions.lift(ana, '*', { by: 'op', because: 'mended' });

    test('no link makes the address good while the line stands', async () => {
      const { token } = await bounced();
      for (const step of ['confirm', 'pause', 'resume'] as const)
        expect(await world.subscriptions[step](token)).toMatchObject({ kind: 'refused', code: 'suppressed' });
      expect(await world.watch()).toMatchObject({ kind: 'existing', status: 'suppressed' });
      expect(await world.mails()).toHaveLength(1);
    });

    test('goes on when it is lifted: they are asked once more, and their answer begins it', async () => {
      const { token, subscriptionId } = await bounced();
      await lift();
      expect(told(await world.subscriptions.resume(token))).toBe('changed');
      expect(await world.subscription(subscriptionId)).toMatchObject({
        status: 'pending',
        verified_at: null,
      });
      expect((await world.mails()).at(-1)).toBe(`course-seats-verification ${subscriptionId}-2 pending`);
      expect(told(await world.subscriptions.confirm(token))).toBe('changed');
      expect((await world.subscriptions.find(token))?.status).toBe('active');
    });

    test('is not asked once more by whoever asks for it all day', async () => {
      const { token } = await bounced();
      await lift();
      const strict = world.subscriptionsWith({ limits: { verificationsPerDay: 0 } });
      expect(await strict.resume(token)).toMatchObject({ kind: 'refused', code: 'asked_too_often' });
      expect((await world.subscriptions.find(token))?.status).toBe('suppressed');
    });

    test('or asks for the section anew', async () => {
      const { subscriptionId } = await bounced();
      await lift();
      expect(await world.watch()).toMatchObject({ kind: 'existing', subscriptionId, status: 'pending' });
      expect(await world.subscription(subscriptionId)).toMatchObject({
        status: 'pending',
        verified_at: null,
      });
      expect((await world.mails()).at(-1)).toBe(`course-seats-verification ${subscriptionId}-2 pending`);
      expect((await world.eventsOf(subscriptionId)).slice(-2)).toEqual([
        ...['resumed Closed', 'verification_sent Closed'],
      ]);
    });

    test('or follows the link of a mail that was sent again', async () => {
      const { token } = await bounced();
      await lift();
      expect(told(await world.subscriptions.confirm(token))).toBe('changed');
      expect((await world.subscriptions.find(token))?.status).toBe('active');
    });

    test('and is asked nothing where nobody is', async () => {
      const { token } = await bounced();
      await lift();
      const trusting = world.subscriptionsWith({ verifiesAddresses: false });
      await trusting.resume(token);
      expect((await trusting.find(token))?.status).toBe('active');
      await set(1, { status: 'suppressed' });
      expect(await world.watch({}, trusting)).toMatchObject({ kind: 'existing', status: 'active' });
      expect(await world.mails()).toHaveLength(1);
    });
  });

  test('one that was paused before anybody asked for confirmations waits for one', async () => {
    const { token, subscriptionId } = await world.watch(
      {},
      world.subscriptionsWith({ verifiesAddresses: false }),
    );
    await set(subscriptionId, { status: 'paused' });
    await world.subscriptions.resume(token);
    expect((await world.subscriptions.find(token))?.status).toBe('pending');
    await world.subscriptions.confirm(token);
    expect((await world.subscriptions.find(token))?.status).toBe('active');
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
      await set(subscriptionId, { notifications_sent: 2 });
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
      await set(subscriptionId, { notifications_sent: 2, max_notifications: 3, status: 'paused' });
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

  test('changes nothing after leaving but to come back', async () => {
    const { token } = await world.confirmed();
    const { subscriptions } = world;
    await subscriptions.cancel(token);
    const steps = [
      () => subscriptions.confirm(token),
      () => subscriptions.pause(token),
      () => subscriptions.resume(token),
      () => subscriptions.snooze(token, world.clock.now() + hourMs),
      () => subscriptions.setWindow(token, { startMinutes: 1, endMinutes: 2 }),
      () => subscriptions.setMaxNotifications(token, 1),
    ];
    for (const step of steps) expect(await step()).toMatchObject({ kind: 'refused', code: 'left' });
  });

  test('a link that nobody gave out is unknown, and begins no transaction', async () => {
    const { token } = await world.watch();
    const made = [
      ...[unknownToken, '', 'x', token.slice(0, 22), `${token.slice(0, 43)}!`],
      createTokens([tokenSecret], 'unsubscribe').of(token.slice(0, 22)),
      createTokens(['a guess'], 'seats').of(token.slice(0, 22)),
      // Signed, and of nobody.
      createTokens([tokenSecret], 'seats').of('a'.repeat(22)),
    ];
    const { db } = world;
    const begin = db.transaction;
    let transactions = 0;
    Object.assign(db, {
      transaction(work: Parameters<typeof begin>[0]) {
        transactions += 1;
        return begin(work);
      },
    });
    const { subscriptions } = world;
    for (const one of made) {
      expect(await subscriptions.find(one)).toBeUndefined();
      expect(await subscriptions.siblings(one)).toEqual([]);
      const { confirm, pause, resume, cancel, undoCancel, snooze, setWindow, setMaxNotifications } =
        subscriptions;
      for (const step of [confirm, pause, resume, cancel, undoCancel])
        expect(await step(one)).toEqual({ kind: 'unknown' });
      expect(await snooze(one, null)).toEqual({ kind: 'unknown' });
      expect(await setWindow(one, null)).toEqual({ kind: 'unknown' });
      expect(await setMaxNotifications(one, null)).toEqual({ kind: 'unknown' });
    }
    expect(transactions).toBe(0);
    await subscriptions.cancel(token);
    expect(transactions).toBe(1);
  });
});
