import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import type { EventWords } from './signed.ts';
import { createWebhookWorld, type Known, type WebhookWorld } from './webhook-world.ts';

const day = 86_400_000;

/** Which address a word stops, for which reason, and what of that is told. */
onBothDatabases('addresses that webhooks stop', (dialect) => {
  let world: WebhookWorld;
  beforeEach(async () => {
    world = await createWebhookWorld(dialect);
  });
  afterEach(() => world.close());

  const rowOf = ({ seq }: Known) => world.queries.find(String(seq));
  const eventsOf = async ({ seq }: Known) => (await world.story(seq)).map(({ event }) => event);
  const list = async () => {
    const lines = await world.consent.suppressions.list({ limit: 9 });
    return lines.map(({ address_key, reason }) => `${address_key} ${reason}`).sort();
  };
  let told = 0;
  const tell = (type: string, { tags }: Known, more: Partial<EventWords> = {}, round = 1) =>
    world.tell(`msg_${told++}`, { type, tags: tags(round), ...more });
  const bounce = (type: string) => ({ bounce: { type, subType: 'General' } });

  describe('of what retention has forgotten', () => {
    async function forgotten(): Promise<Known> {
      const delivery = await world.delivery('delivered', 1, { evidence: 5 });
      await world.clock.advance(8 * day);
      await world.outbox.forget({ before: world.clock.now() - 7 * day, above: 0, limit: 10 });
      expect(await rowOf(delivery)).toMatchObject({ to_email: null });
      return delivery;
    }

    it('a complaint stops the address that the event names', async () => {
      const delivery = await forgotten();
      await tell('email.complained', delivery, { data: { to: ['Somebody@example.org'] } });
      expect(await list()).toEqual(['somebody@example.org complained']);
      expect(await rowOf(delivery)).toMatchObject({ status: 'suppressed', to_email: null });
      expect(await world.events()).toMatchObject([{ outcome: 'applied' }]);
    });

    it.each([
      ['two addresses', ['one@example.org', 'other@example.org']],
      ['none', []],
      ['what is no address', ['nobody']],
    ])('a complaint that names %s stops none, and says so', async (_name, to) => {
      const delivery = await forgotten();
      await tell('email.complained', delivery, { data: { to } });
      expect(await list()).toEqual([]);
      expect(await rowOf(delivery)).toMatchObject({ status: 'suppressed' });
      expect(await world.events()).toMatchObject([
        { outcome: 'address unknown', delivery_seq: delivery.seq },
      ]);
      expect(world.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { event: 'suppression.address_lost', deliveryId: delivery.id },
        { event: 'webhook.not_applied', outcome: 'address unknown' },
      ]);
    });

    it.each([
      ['a soft bounce', 'email.bounced', bounce('Transient')],
      ['a full quota', 'email.failed', { failed: { reason: 'reached_daily_quota' } }],
    ])('%s is the end: there is nothing left to send', async (_name, type, data) => {
      const delivery = await forgotten();
      await tell(type, delivery, { data });
      expect(await rowOf(delivery)).toMatchObject({ status: 'failed_permanent', due_at: null });
    });
  });

  it('what waits for a first mail without an address has not been forgotten', async () => {
    const delivery = await world.delivery('pending', 1);
    await world.db.write.updateTable('deliveries').set({ to_email: null }).execute();
    await tell('email.bounced', delivery, { data: bounce('Transient') });
    expect(await rowOf(delivery)).toMatchObject({ status: 'failed_transient' });
  });

  it('a word about an earlier mail stops the address that it went to, not the present one', async () => {
    const delivery = await world.delivery('sent', 1, { round: 2, evidence: 9 });
    for (const round of [1, 2]) {
      await world.db.write
        .updateTable('delivery_mails')
        .set({ to_email: `round-${round}@example.org` })
        .where('round', '=', round)
        .execute();
    }
    await world.db.write.updateTable('deliveries').set({ to_email: 'round-2@example.org' }).execute();
    await tell('email.bounced', delivery, { data: { ...bounce('Permanent'), to: ['event@example.org'] } });
    expect(await list()).toEqual(['round-1@example.org bounced_for_good']);
    await tell('email.complained', delivery, {}, 2);
    expect(await list()).toEqual(['round-1@example.org bounced_for_good', 'round-2@example.org complained']);
  });

  describe('for several reasons', () => {
    const words = {
      complained: { type: 'email.complained' },
      bounced_for_good: { type: 'email.bounced', data: bounce('Permanent') },
      provider_suppressed: { type: 'email.suppressed', data: { suppressed: { message: 'on the list' } } },
    } as const;
    type Word = keyof typeof words;
    const say = (delivery: Known, word: Word) => tell(words[word].type, delivery, words[word]);

    it.each<[Word[], Word]>([
      [['bounced_for_good', 'complained'], 'complained'],
      [['complained', 'bounced_for_good'], 'complained'],
      [['provider_suppressed', 'bounced_for_good'], 'bounced_for_good'],
      [['bounced_for_good', 'provider_suppressed'], 'bounced_for_good'],
      [['provider_suppressed', 'bounced_for_good', 'complained'], 'complained'],
      [['complained', 'provider_suppressed', 'bounced_for_good'], 'complained'],
    ])(
      '%j, each told twice: the reason is %s, and the story tells all of them once',
      async (said, reason) => {
        const delivery = await world.delivery('sent', 1);
        for (const word of [...said, ...said]) await say(delivery, word);
        expect(await list()).toEqual([`person-1@example.org ${reason}`]);
        expect(await eventsOf(delivery)).toEqual(said);
        expect(await world.booked()).toEqual([`suppressed ${delivery.seq}`]);
        expect(await rowOf(delivery)).toMatchObject({ status: 'suppressed', evidence: 1_000_001 });
      },
    );

    it('the line says what it was at first, and since when', async () => {
      const delivery = await world.delivery('sent', 1);
      await say(delivery, 'bounced_for_good');
      const firstAt = world.clock.now();
      await world.clock.advance(1_000);
      await say(delivery, 'complained');
      expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([
        {
          reason: 'complained',
          note: 'at first: bounced_for_good',
          created_at: firstAt,
          created_by: 'evidence',
        },
      ]);
      expect((await world.story(delivery.seq)).at(-1)?.detail).toMatchObject({
        error: { code: 'complained' },
      });
    });

    it('in one batch as in several', async () => {
      const { seq } = await world.delivery('sent', 1);
      const report = { seq, round: 1, at: world.clock.now(), actor: 'webhook' };
      await world.outbox.record([
        { ...report, event: 'provider_suppressed' },
        { ...report, event: 'complained' },
        { ...report, event: 'complained' },
      ]);
      expect(await list()).toEqual(['person-1@example.org complained']);
      expect((await world.story(seq)).map(({ event }) => event)).toEqual([
        'provider_suppressed',
        'complained',
      ]);
    });

    it('an operator’s own word stays', async () => {
      const delivery = await world.delivery('sent', 1);
      const toEmail = (await rowOf(delivery))?.to_email ?? '';
      const address = toEmail as Parameters<typeof world.consent.suppressions.lift>[0];
      await world.consent.suppressions.add([{ address, reason: 'operator' }], 'an operator');
      await say(delivery, 'complained');
      expect(await list()).toEqual(['person-1@example.org operator']);
    });

    it('what an operator has lifted stays lifted when the same word is told again', async () => {
      const delivery = await world.delivery('sent', 1);
      await say(delivery, 'bounced_for_good');
      const toEmail = (await rowOf(delivery))?.to_email ?? '';
      const address = toEmail as Parameters<typeof world.consent.suppressions.lift>[0];
      await world.consent.suppressions.lift(address, '*', { by: 'an operator', because: 'it is repaired' });
      await say(delivery, 'bounced_for_good');
      expect(await list()).toEqual([]);
      // What is news is news.
      await say(delivery, 'complained');
      expect(await list()).toEqual(['person-1@example.org complained']);
    });

    it('after a requeue an old word that is told again suppresses again, and its source is told again', async () => {
      const delivery = await world.delivery('sent', 1);
      await say(delivery, 'bounced_for_good');
      const order = { verb: 'requeued', reason: 'it is repaired', operator: 'an operator' } as const;
      await world.outbox.perform([delivery.seq], order);
      expect(await rowOf(delivery)).toMatchObject({ status: 'pending', evidence: 7 });
      await say(delivery, 'bounced_for_good');
      expect(await rowOf(delivery)).toMatchObject({ status: 'suppressed' });
      expect(await world.booked()).toEqual([`suppressed ${delivery.seq}`, `suppressed ${delivery.seq}`]);
    });
  });
});
