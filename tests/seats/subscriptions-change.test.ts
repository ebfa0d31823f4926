import { beforeEach, expect, test } from 'vitest';
import { createTokens } from '../../src/consent/token.ts';
import { tokenSecret } from '../support/consent.ts';
import { unknownToken } from '../support/recipients.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { createWatchWorld, dayMs, hourMs, told } from './watch-world.ts';

onBothDatabases('the owner of a link', (dialect) => {
  const world = worldForEach(() => createWatchWorld(dialect));
  beforeEach(async () => {
    await world.believe('Closed');
  });

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

  test('one that was paused before anybody asked for confirmations waits for one', async () => {
    const { token, subscriptionId } = await world.watch(
      {},
      world.subscriptionsWith({ verifiesAddresses: false }),
    );
    await world.setCells(subscriptionId, { status: 'paused' });
    await world.subscriptions.resume(token);
    expect((await world.subscriptions.find(token))?.status).toBe('pending');
    await world.subscriptions.confirm(token);
    expect((await world.subscriptions.find(token))?.status).toBe('active');
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
