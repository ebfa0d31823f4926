import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import { onBothDatabases } from '../support/world.ts';
import { type History, histories, idOfRound, type Said, startAt, wordsOf } from './histories.ts';
import { eventBody, signed } from './signed.ts';
import { createWebhookWorld, type WebhookWorld } from './webhook-world.ts';

const sets = 50;
const ordersOfEach = 10;

/** The same promise on the real databases, on a sample: what was told decides, not when, nor how often. */
onBothDatabases('orders of webhooks', (dialect) => {
  let world: WebhookWorld;
  beforeAll(async () => {
    world = await createWebhookWorld(dialect);
  });
  afterAll(() => world.close());

  it(`${sets * ordersOfEach} orders of ${sets} sets of webhooks, some told twice, end as their set says`, async () => {
    const random = createSeededRandom(5);
    await world.clock.advance(3_600_000);
    const groups: number[][] = [];
    for (let set = 0; set < sets; set++) {
      const history = pick(random, histories);
      const told = shuffled(random, history.events).slice(0, 2 + integerBelow(random, 5));
      const orders = Array.from({ length: ordersOfEach }, () => tellTo(history, told, random));
      groups.push(await Promise.all(orders));
    }
    await world.clock.advance(3_600_000);
    while ((await world.webhooks.linkWaiting()) > 0);
    for (const group of groups) {
      const [first, ...others] = await Promise.all(group.map(endOf));
      for (const other of others) expect(other).toEqual(first);
    }
    const rows = await world.queries.search({ limit: 1000 });
    expect(rows).toHaveLength(sets * ordersOfEach);
    const statuses = [...new Set(rows.map(({ status }) => status))].sort();
    expect(statuses).toEqual(['delivered', 'failed_permanent', 'failed_transient', 'sent', 'suppressed']);
  });

  it('and each fact was booked once', async () => {
    const booked = await world.booked();
    expect(new Set(booked).size).toBe(booked.length);
    expect(booked.length).toBeGreaterThan(sets);
  });

  let number = 0;
  async function tellTo({ state, earlierIds }: History, told: readonly Said[], random: Random) {
    number += 1;
    const mine = number;
    const prefix = `n${mine}`;
    const twice = told.filter(() => random.next() < 0.3);
    const tellings = shuffled(random, [...told, ...twice]).map((said) => ({
      said,
      // Sometimes as the same event, sometimes under another id.
      id: `${prefix}_${told.indexOf(said)}_${integerBelow(random, 2)}`,
    }));
    const messageId = state.providerMessageId;
    const delivery = await world.delivery(state.status, mine, {
      ...state,
      ...(messageId != null && { providerMessageId: idOfRound(prefix, state.round) }),
    });
    for (const round of earlierIds.keys()) {
      await world.db.write
        .updateTable('delivery_mails')
        .set({ provider_message_id: idOfRound(prefix, round) })
        .where('delivery_seq', '=', delivery.seq)
        .where('round', '=', round)
        .execute();
    }
    const at = world.clock.now();
    for (const { said, id } of tellings) {
      const body = eventBody(wordsOf(said, delivery.id, prefix));
      await world.webhooks.receive(signed(id, body, { at }));
    }
    return delivery.seq;
  }

  async function endOf(seq: number) {
    const row = await world.queries.find(String(seq));
    const mails = await world.db.read
      .selectFrom('delivery_mails')
      .select(['round', 'provider_message_id'])
      .where('delivery_seq', '=', seq)
      .orderBy('round')
      .execute();
    const withoutPrefix = (id: string | null | undefined) => id?.replace(/^n\d+/, 'n') ?? null;
    return {
      ...{ status: row?.status, evidence: row?.evidence, round: row?.round, attempts: row?.attempts },
      ...{ sentAt: (row?.sent_at ?? 0) - startAt, deliveredAt: (row?.delivered_at ?? 0) - startAt },
      messageId: withoutPrefix(row?.provider_message_id),
      mails: mails.map(({ provider_message_id: id }) => withoutPrefix(id)),
    };
  }
});

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
