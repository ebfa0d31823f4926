import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Address } from '../../src/domain/address.ts';
import { onBothDatabases } from '../support/world.ts';
import { createWatchWorld, dayMs, type WatchWorld } from './watch-world.ts';

const ana = 'ana@example.org' as Address;

onBothDatabases('whoever stopped all mails', (dialect) => {
  let world: WatchWorld;
  let old: { token: string; subscriptionId: number };
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    old = await world.confirmed();
    const link = await world.linkIn(old.subscriptionId, 'course-seats-verification');
    await world.consent.unsubscribe.stopEverything(link);
  });
  afterEach(() => world.close());

  const mayMail = async () => {
    const [row] = await world.db.read
      .selectFrom('deliveries')
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(1)
      .execute();
    if (!row) throw new Error('there is no mail');
    const { seq, source, recipient } = row;
    const against = await world.db.transaction((tx) =>
      world.consent.against([{ seq, source, recipient, to: ana }], tx),
    );
    return against.size === 0;
  };
  const endTheDay = async () => {
    await world.clock.advance(3 * dayMs);
    await world.subscriptions.housekeep(100);
    expect(await world.subscription(old.subscriptionId)).toMatchObject({ contact_value: null });
  };

  test('gets none about what is asked for later, until they say so behind the link of an old mail', async () => {
    await endTheDay();
    const asked = await world.watch();
    expect([asked.kind, await mayMail()]).toEqual(['created', false]);
    const { hasStoppedEverything, mailAgain } = world.subscriptions;
    expect(await hasStoppedEverything(old.token)).toBe(true);
    expect(await mailAgain(old.token)).toMatchObject({ kind: 'changed' });
    // What was asked for meanwhile is asked about now, although the mail before is minutes old.
    expect((await world.mails()).at(-1)).toBe(`course-seats-verification ${asked.subscriptionId}-2 pending`);
    expect(await mayMail()).toBe(true);
    expect(await hasStoppedEverything(old.token)).toBe(false);
    expect(await mailAgain(old.token)).toMatchObject({ kind: 'unchanged' });
    expect((await world.eventsOf(old.subscriptionId)).at(-1)).toMatch(/^mail_again/);
    expect(await world.subscriptions.confirm(asked.token)).toMatchObject({ watch: { status: 'active' } });
    await world.subscriptions.housekeep(100);
    expect((await world.subscriptions.find(asked.token))?.status).toBe('active');
  });

  test('needs no new order for it: the line knows whose it is', async () => {
    await endTheDay();
    const mails = await world.mails();
    expect(await world.subscriptions.mailAgain(old.token)).toMatchObject({ kind: 'changed' });
    expect(await world.mails()).toEqual(mails);
    const [line] = await world.consent.suppressions.list({ address: ana, withLifted: true, limit: 1 });
    expect(line).toMatchObject({ lifted_by: 'the recipient', lifted_because: 'they want mail again' });
  });

  test('frees nobody else, and nothing that others said of the address', async () => {
    const bob = await world.confirmed({ email: 'bob@example.org' });
    expect(await world.subscriptions.hasStoppedEverything(bob.token)).toBe(false);
    expect(await world.subscriptions.mailAgain(bob.token)).toMatchObject({ kind: 'unchanged' });
    expect(await mayMail()).toBe(false);
    await world.consent.suppressions.add([{ address: ana, reason: 'bounced_for_good' }], 'evidence');
    await world.subscriptions.mailAgain(old.token);
    expect(await mayMail()).toBe(false);
    expect(await world.subscriptions.hasStoppedEverything(old.token)).toBe(false);
  });
});
