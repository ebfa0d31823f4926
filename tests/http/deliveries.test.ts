import { describe, expect, test } from 'vitest';
import { deliveryJson } from '../../src/outbox/delivery-json.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { rowIn } from '../support/rows.ts';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createApiWorld } from './api-world.ts';

const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

const all = () => world.queries.search({ limit: 1000 });

describe('deliveries', () => {
  const list = async (query: string) => (await api.ask('GET', `/api/v1/deliveries${query}`)).json;

  test('come newest first, page by page, none twice and none left out', async () => {
    for (let number = 0; number < 5; number++) await rowIn(world, 'sent', number);
    const seen: number[] = [];
    for (let query = '?limit=2'; ; ) {
      const { deliveries, next } = await list(query);
      seen.push(...deliveries.map(({ seq }: { seq: number }) => seq));
      if (!next) break;
      query = `?limit=2&below=${next.below}`;
    }
    expect(seen).toEqual((await all()).map(({ seq }) => seq));
    expect(seen).toHaveLength(5);
    expect((await list('')).deliveries[0]).toEqual(
      JSON.parse(JSON.stringify((await all()).map(deliveryJson)[0])),
    );
  });

  test.each([
    ['?status=sent', [1]],
    ['?status=sent&status=needs_review', [2, 1]],
    ['?source=plain&occasion=occasion-2', [2]],
    ['?recipient=person-1%40example.org', [1]],
    ['?address=PERSON-2@example.org', [2]],
    ['?address=person-2@example.org', [2]],
    ['?source=other', []],
  ])('are found by %s', async (query, numbers) => {
    await rowIn(world, 'sent', 1);
    await rowIn(world, 'needs_review', 2);
    const { deliveries } = await list(query);
    expect(deliveries.map(({ occasion }: { occasion: string }) => Number(occasion.split('-')[1]))).toEqual(
      numbers,
    );
  });

  test('by an address, those too that a source knows its owner by another name for', async () => {
    await rowIn(world, 'sent', 1);
    await rowIn(world, 'needs_review', 2);
    const recipientsAt = async (address: string) => (address === 'ana@example.org' ? [person(2)] : []);
    const person = (number: number) => `person-${number}@example.org`;
    Object.assign(api, await world.serve({ api: { sources: [{ ...plainSource, recipientsAt }] } }));
    const found = async (query: string) =>
      (await list(query)).deliveries.map(({ recipient }: { recipient: string }) => recipient);
    expect(await found('?address=ana@example.org')).toEqual([person(2)]);
    expect(await found('?address=ana@example.org&status=sent')).toEqual([]);
    expect(await found(`?address=${person(1)}`)).toEqual([person(1)]);
  });

  test.each([
    ['to', 'address'],
    ['email', 'address'],
    ['recipent', 'recipient'],
  ])('a query %s probably means %s', async (name, meant) => {
    const { status, json } = await api.ask('GET', `/api/v1/deliveries?${name}=x`);
    expect([status, json.error]).toEqual([400, `There is no parameter "${name}". Did you mean ${meant}?`]);
  });

  test('one that is not there: the sentence names every way to say which', async () => {
    const { status, json } = await api.ask('GET', '/api/v1/deliveries/plain:x:y');
    expect([status, json.error]).toEqual([
      404,
      expect.stringContaining('its key (source:occasion:recipient)'),
    ]);
  });

  test('the mail of the round that is under way has the id of its delivery, earlier ones their own', async () => {
    const seq = await rowIn(world, 'sent', 1);
    await world.db.write
      .updateTable('deliveries')
      .set({ round: 3, provider_message_id: 'third' })
      .where('seq', '=', seq)
      .execute();
    const values = [1, 2, 3].map((round) => ({
      ...{ delivery_seq: seq, round, subject: 'Subject 1', html: 'h', text: 'Text 1' },
      provider_message_id: round === 1 ? 'first' : null,
    }));
    await world.db.write.insertInto('delivery_mails').values(values).execute();
    const { json } = await api.ask('GET', `/api/v1/deliveries/${seq}`);
    expect(json.mails.map((mail: { providerMessageId: string | null }) => mail.providerMessageId)).toEqual([
      'first',
      null,
      'third',
    ]);
    const ofRound = async (round: number) =>
      (await api.ask('GET', `/api/v1/deliveries/${seq}/mail/${round}`)).json.providerMessageId;
    expect([await ofRound(1), await ofRound(2), await ofRound(3)]).toEqual(['first', null, 'third']);
  });

  test('html is in the mail of its round and nowhere else, and is never a page', async () => {
    const seq = await rowIn(world, 'sent', 1);
    const values = {
      delivery_seq: seq,
      round: 1,
      subject: 'Subject 1',
      html: '<script>1</script>',
      text: 'Text 1',
    };
    await world.db.write.insertInto('delivery_mails').values(values).execute();
    const { json, text } = await api.ask('GET', `/api/v1/deliveries/${seq}`);
    expect(text).not.toContain('script');
    expect(json).toMatchObject({
      delivery: { seq, status: 'sent' },
      now: { meaning: 'good' },
      story: [{ event: 'created', sentence: 'The source plain asked for it, in the normal lane.' }],
      variables: { subject: 'Subject 1' },
      mails: [{ round: 1, text: 'Text 1' }],
    });
    const mail = await api.ask('GET', `/api/v1/deliveries/${seq}/mail/1`);
    expect(mail.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(mail.json).toMatchObject({
      subject: 'Subject 1',
      html: '<script>1</script>',
      text: 'Text 1',
      headers: {},
    });
  });
});
