import { afterEach, beforeEach, expect, it } from 'vitest';
import { recipientOf } from '../../src/sources/newsletters/recipient.ts';
import { onBothDatabases } from '../support/world.ts';
import { addressOf, type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const people = 60;

onBothDatabases('a plan that is applied late', (dialect) => {
  let world: CivicWorld;
  let ids: string[];
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
    ids = await world.followAll(people);
  });
  afterEach(() => world.close());

  /** An earlier month was told to them, so that they have a link to leave by, and a mail that can bounce. */
  async function tellSeptember(): Promise<Map<string, number>> {
    await world.newsletters.runs.trigger({ notificationType: monthly, periodKey: '2026-09' }, by);
    await world.settle();
    world.provider.ledger.splice(0);
    const rows = await world.db.read.selectFrom('deliveries').select(['seq', 'recipient']).execute();
    return new Map(rows.map(({ seq, recipient }) => [recipient, seq]));
  }

  it('those who left by their link and those whose mail bounced get nothing, and the run says why', async () => {
    const september = await tellSeptember();
    const recipientNumber = (number: number) =>
      recipientOf({ userId: `user-${number}`, notificationId: ids[number - 1] ?? '' });
    const plan = await world.newsletters.runs.plan({ notificationType: monthly }, by);
    expect(plan.eligible_count).toBe(people);

    for (let number = 1; number <= 30; number++) {
      const seq = september.get(recipientNumber(number)) ?? 0;
      const owner = { seq, source: 'newsletters', recipient: recipientNumber(number) };
      const link = (await world.consent.unsubscribe.linksFor([owner])).get(seq) ?? '';
      await world.consent.unsubscribe.stop(link.split('/').at(-1) ?? '', 'one-click');
    }
    for (let number = 31; number <= 35; number++) {
      const seq = september.get(recipientNumber(number)) ?? 0;
      const bounce = { event: 'bounced_for_good', round: 1, at: world.clock.now() } as const;
      await world.outbox.record([{ ...bounce, seq, actor: 'webhook' }]);
    }

    await world.newsletters.runs.apply(plan.run_id, by);
    await world.settle();
    const mailed = world.provider.ledger.map(({ mail }) => mail.to as string).sort();
    const others = Array.from({ length: 25 }, (_, index) => addressOf(`user-${index + 36}`));
    expect(mailed).toEqual(others.sort());
    const { reasons, deliveries, done, total } = await world.newsletters.runs.progress(plan.run_id);
    expect({ reasons, deliveries }).toEqual({
      reasons: { unsubscribed: 30, bounced: 5 },
      deliveries: { sent: 25 },
    });
    expect([done, total]).toEqual([people, people]);
  });

  it('who leaves after their mail was composed is stopped where it waits', async () => {
    const september = await tellSeptember();
    const plan = await world.newsletters.runs.plan({ notificationType: monthly }, by);
    await world.newsletters.runs.apply(plan.run_id, by);
    await world.newsletters.runs.runOnce();
    const recipient = recipientOf({ userId: 'user-1', notificationId: ids[0] ?? '' });
    const seq = september.get(recipient) ?? 0;
    const link = (await world.consent.unsubscribe.linksFor([{ seq, source: 'newsletters', recipient }])).get(
      seq,
    );
    await world.consent.unsubscribe.stop(link?.split('/').at(-1) ?? '', 'page');
    await world.settle();
    expect(world.provider.ledger).toHaveLength(people - 1);
    expect((await world.newsletters.runs.progress(plan.run_id)).deliveries).toEqual({
      ...{ sent: people - 1, skipped_unsubscribed: 1 },
    });
  });
});
