import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import { onBothDatabases } from '../support/world.ts';
import { type End, expectedEnd } from './expected-end.ts';
import { type History, histories, idOfRound, type Said, startAt, whereabouts, wordsOf } from './histories.ts';
import { eventBody, signed } from './signed.ts';
import { createWebhookWorld, type WebhookWorld } from './webhook-world.ts';

const sets = 25;
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
    const groups: { seqs: number[]; expected: End }[] = [];
    const all: readonly History[] = [...histories, ...whereabouts];
    for (let set = 0; set < sets; set++) {
      const history = pick(random, all);
      const told = shuffled(random, history.events).slice(0, 2 + integerBelow(random, 5));
      const orders = Array.from({ length: ordersOfEach }, () => tellTo(history, told, random));
      groups.push({ seqs: await Promise.all(orders), expected: expectedEnd(history, told) });
    }
    await world.clock.advance(3_600_000);
    while ((await world.webhooks.linkWaiting()) > 0);
    const lines = await world.consent.suppressions.list({ limit: 1000 });
    const booked = await world.booked();
    for (const { seqs, expected } of groups) {
      const [first, ...others] = await Promise.all(seqs.map(endOf));
      for (const other of others) expect(other).toEqual(first);
      const { facts, reason, sentAt, deliveredAt, ...decided } = expected;
      expect(first).toMatchObject({ ...decided, sentAt: since(sentAt), deliveredAt: since(deliveredAt) });
      for (const seq of seqs) {
        expect(booked.filter((fact) => fact.endsWith(` ${seq}`))).toEqual(
          facts.map((fact) => `${fact} ${seq}`),
        );
        const reasons = lines.filter((line) => line.delivery_seq === seq).map((line) => line.reason);
        expect(reasons).toEqual(reason === null ? [] : [reason]);
      }
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
    await world.db.write
      .updateTable('deliveries')
      .set({ created_at: startAt })
      .where('seq', '=', delivery.seq)
      .execute();
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
      ...{ sentAt: since(row?.sent_at), deliveredAt: since(row?.delivered_at) },
      messageId: withoutPrefix(row?.provider_message_id),
      mails: mails.map(({ provider_message_id: id }) => withoutPrefix(id)),
    };
  }
});

const since = (at: number | null | undefined) => (at == null ? null : at - startAt);

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
