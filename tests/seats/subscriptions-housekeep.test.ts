import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Address } from '../../src/domain/address.ts';
import { termEndsAt } from '../../src/sources/course-seats/term.ts';
import { onBothDatabases } from '../support/world.ts';
import { termId } from './seats-world.ts';
import { createWatchWorld, dayMs, type WatchWorld } from './watch-world.ts';

onBothDatabases('what ends by itself', (dialect) => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
  });
  afterEach(() => world.close());

  const keep = (limit = 100) => world.subscriptions.housekeep(limit);
  const statuses = async () =>
    (await world.db.read.selectFrom('subscriptions').select('status').orderBy('subscription_id').execute())
      .map(({ status }) => status)
      .join(' ');

  test('the address of who left goes when the day to undo is over, and its hash stays', async () => {
    const { token, subscriptionId } = await world.confirmed();
    await world.subscriptions.cancel(token);
    await world.clock.advance(dayMs);
    expect(await keep()).toBe(0);
    expect(await world.subscriptions.undoCancel(token)).toMatchObject({ kind: 'changed' });
    await world.subscriptions.cancel(token);
    await world.clock.advance(dayMs + 1);
    const { contact_hash } = await world.subscription(subscriptionId);
    expect(await keep()).toBe(1);
    expect(await world.subscription(subscriptionId)).toMatchObject({ contact_value: null, contact_hash });
    expect(await keep()).toBe(0);
    expect(await world.subscriptions.undoCancel(token)).toMatchObject({ kind: 'refused', code: 'too_late' });
    expect(await world.watch()).toMatchObject({ kind: 'created' });
  });

  test('whoever comes back has an address that stays', async () => {
    const { token, subscriptionId } = await world.confirmed();
    await world.subscriptions.cancel(token);
    await world.subscriptions.undoCancel(token);
    await world.clock.advance(2 * dayMs);
    await keep();
    expect(await world.subscription(subscriptionId)).toMatchObject({ contact_value: 'ana@example.org' });
  });

  test('watches of a term that is over end, whatever they were; those of others do not', async () => {
    const endsAt = termEndsAt(termId) ?? 0;
    await world.clock.advance(endsAt - world.clock.now() - 1);
    const ids: number[] = [];
    for (const status of ['active', 'pending', 'paused', 'suppressed'] as const)
      ids.push(await world.addSubscription({ status }));
    await world.addSubscription({ term_id: '92026' });
    expect(await keep()).toBe(0);
    await world.clock.advance(1);
    expect(await keep(3)).toBe(3);
    expect(await keep(3)).toBe(1);
    expect(await keep(3)).toBe(0);
    expect(await statuses()).toBe('unsubscribed unsubscribed unsubscribed unsubscribed active');
    for (const id of ids) expect(await world.eventsOf(id)).toEqual(['expired']);
    // The address goes a day later, like everybody's.
    await world.clock.advance(dayMs + 1);
    expect(await keep()).toBe(4);
    expect(await world.subscription(ids[0] ?? 0)).toMatchObject({ contact_value: null });
  });

  test('what ended by itself cannot be taken back', async () => {
    const { token } = await world.confirmed();
    await world.clock.advance((termEndsAt(termId) ?? 0) - world.clock.now());
    await keep();
    expect(await world.subscriptions.find(token)).toMatchObject({ status: 'unsubscribed', undoUntil: null });
    expect(await world.subscriptions.undoCancel(token)).toMatchObject({ code: 'too_late' });
  });

  test('who left a watch cannot come back to a term that is over', async () => {
    await world.clock.advance((termEndsAt(termId) ?? 0) - world.clock.now() - 1);
    const { token } = await world.confirmed();
    await world.subscriptions.cancel(token);
    await world.clock.advance(2);
    expect(await world.subscriptions.undoCancel(token)).toMatchObject({ code: 'too_late' });
  });

  test('a watch that nobody confirms ends after a week, and after the last mail that asks was good', async () => {
    const old = await world.watch();
    const asked = await world.watch({ email: 'bob@example.org' });
    const confirmed = await world.confirmed({ email: 'eve@example.org' });
    await world.clock.advance(6 * dayMs);
    await world.watch({ email: 'bob@example.org' });
    await world.clock.advance(dayMs);
    expect(await keep()).toBe(0);
    await world.clock.advance(1);
    expect(await keep()).toBe(1);
    expect(await world.eventsOf(old.subscriptionId)).toContain('expired Open');
    await world.clock.advance(dayMs);
    await keep();
    const find = async (token: string) => (await world.subscriptions.find(token))?.status;
    expect([await find(old.token), await find(asked.token), await find(confirmed.token)]).toEqual([
      ...['unsubscribed', 'unsubscribed', 'active'],
    ]);
  });

  test('where nobody is asked, nobody has to answer', async () => {
    await world.addSubscription({ status: 'pending' });
    await world.clock.advance(30 * dayMs);
    expect(await world.subscriptionsWith({ verifiesAddresses: false }).housekeep(100)).toBe(0);
    expect(await keep()).toBe(1);
  });

  test('a few at a time, and two at once never twice', async () => {
    for (let number = 0; number < 12; number++) await world.addSubscription({ status: 'pending' });
    await world.clock.advance(8 * dayMs);
    const counts = await Promise.all([keep(4), keep(4), keep(4)]);
    let rest = 0;
    for (let count = await keep(4); count > 0; count = await keep(4)) rest += count;
    const sum = counts.reduce((one, other) => one + other, rest);
    expect(sum).toBe(12);
    const lines = await world.db.read.selectFrom('subscription_events').selectAll().execute();
    expect(lines).toHaveLength(12);
  });

  test('whoever stopped everything while somebody held their watch is not passed over for good', async () => {
    const { subscriptionId } = await world.confirmed();
    const ana = 'ana@example.org' as Address;
    await world.consent.suppressions.add([{ address: ana, reason: 'unsubscribed' }], 'the recipient');
    await world.clock.advance(dayMs + 1);
    if (dialect === 'postgres') {
      await world.db.transaction(async (tx) => {
        await sql`SELECT 1 FROM subscriptions WHERE subscription_id = ${subscriptionId} FOR UPDATE`.execute(
          tx,
        );
        expect(await keep()).toBe(0);
      });
    }
    expect(await keep()).toBe(1);
    expect(await statuses()).toBe('unsubscribed');
    expect(await keep()).toBe(0);
  });
});
