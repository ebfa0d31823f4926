import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { createWebhookWorld, type Known, type WebhookWorld } from './webhook-world.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** The provider took the mail, and then its quota of the day was full: nobody's mail server has seen it. */
onBothDatabases('a full quota', (dialect) => {
  let world: WebhookWorld;
  beforeEach(async () => {
    world = await createWebhookWorld(dialect);
  });
  afterEach(() => world.close());

  const rowOf = ({ seq }: Known) => world.queries.find(String(seq));
  let told = 0;
  const tell = (type: string, delivery: Known, round: number, data: object) =>
    world.tell(`msg_${told++}`, { type, tags: delivery.tags(round), data });
  const full = (delivery: Known, round: number) =>
    tell('email.failed', delivery, round, { failed: { reason: 'reached_daily_quota' } });
  const bounce = (delivery: Known, round: number) =>
    tell('email.bounced', delivery, round, { bounce: { type: 'Transient', subType: 'General' } });

  /** The next round, as the dispatch would begin it. */
  async function begin({ seq }: Known, round: number): Promise<void> {
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'reconciling', round, evidence: 4 * round, provider_message_id: null })
      .set({ first_possible_accept_at: world.clock.now(), due_at: world.clock.now() })
      .where('seq', '=', seq)
      .execute();
    const mail = { delivery_seq: seq, round, subject: 'Subject', frozen_at: world.clock.now() };
    await world.db.write.insertInto('delivery_mails').values(mail).execute();
  }

  it('puts the mail off to the next day by UTC, one after the other, and books nothing as accepted', async () => {
    const one = await world.delivery('sending', 1);
    const other = await world.delivery('sending', 2);
    await world.clock.advance(5 * hour);
    const midnight = (Math.floor(world.clock.now() / day) + 1) * day;
    await full(one, 1);
    await full(other, 1);
    const rows = [await rowOf(one), await rowOf(other)];
    expect(rows).toMatchObject([
      { status: 'failed_transient', sent_at: null, evidence: 6, due_at: midnight + one.seq * 1000 },
      { status: 'failed_transient', sent_at: null, evidence: 6, due_at: midnight + other.seq * 1000 },
    ]);
    expect(rows[0]?.due_at).not.toBe(rows[1]?.due_at);
    expect(await world.booked()).toEqual([]);
    expect(await world.story(one.seq)).toMatchObject([
      { event: 'over_quota', detail: { evidence: 'email.failed', error: { code: 'failed' } } },
    ]);
  });

  it('may last for days, and ends after more than two weeks of them', async () => {
    const delivery = await world.delivery('sending', 1);
    for (let round = 1; round <= 16; round++) {
      if (round > 1) await begin(delivery, round);
      await full(delivery, round);
      expect(await rowOf(delivery), `${round}`).toMatchObject({ status: 'failed_transient', round });
    }
    await begin(delivery, 17);
    await full(delivery, 17);
    expect(await rowOf(delivery)).toMatchObject({ status: 'failed_permanent', due_at: null });
  });

  it('does not use up the rounds that are there for bounces, in whatever order late words come', async () => {
    const delivery = await world.delivery('sending', 1);
    for (const round of [1, 2, 3]) {
      if (round > 1) await begin(delivery, round);
      await full(delivery, round);
    }
    for (const round of [4, 5]) {
      await begin(delivery, round);
      // Too late to count: the next round has begun.
      await full(delivery, round - 1);
      await bounce(delivery, round);
      expect(await rowOf(delivery), `${round}`).toMatchObject({ status: 'failed_transient', round });
    }
    await begin(delivery, 6);
    await bounce(delivery, 6);
    expect(await rowOf(delivery)).toMatchObject({ status: 'failed_permanent', round: 6 });
  });

  it('a soft bounce waits longer after each round', async () => {
    const delivery = await world.delivery('sending', 1);
    await bounce(delivery, 1);
    expect(await rowOf(delivery)).toMatchObject({ due_at: world.clock.now() + 4 * hour });
    await begin(delivery, 2);
    await bounce(delivery, 2);
    expect(await rowOf(delivery)).toMatchObject({ due_at: world.clock.now() + 8 * hour });
  });
});
