import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Status } from '../../src/domain/status.ts';
import { deliveryJson } from '../../src/outbox/delivery-json.ts';
import { rowIn } from '../support/rows.ts';
import { type Api, type ApiWorld, createApiWorld, intentBody, keys } from './api-world.ts';

let world: ApiWorld;
let api: Api;
beforeEach(async () => {
  world = await createApiWorld();
  api = await world.serve();
});
afterEach(() => world.close());

const post = (body: unknown, headers?: Record<string, string>) =>
  api.ask('POST', '/api/v1/intents', { body, ...(headers && { headers }) });
const all = () => world.queries.search({ limit: 1000 });

describe('intents', () => {
  test('one is taken with all that it brought, under the trace id of its request', async () => {
    const more = {
      lane: 'urgent',
      locale: 'ro',
      dueAt: '2026-03-01T10:00:00+02:00',
      expiresAt: '2026-03-02T00:00:00Z',
      dedupeKey: 'd-1',
      recipient: 'user-7',
      source: 'plain',
      template: 'plain',
    };
    const { status, json } = await post(intentBody(1, more), { 'x-request-id': 'trace_0001' });
    const [row] = await all();
    expect([status, json.deliveries]).toEqual([
      201,
      [{ id: row?.id, seq: row?.seq, isNew: true, status: 'pending', key: 'plain:occasion-1:user-7' }],
    ]);
    expect(row).toMatchObject({
      ...{ lane: 'urgent', locale: 'ro', recipient: 'user-7', to_email: 'person-1@example.org' },
      ...{ due_at: Date.UTC(2026, 2, 1, 8), expires_at: Date.UTC(2026, 2, 2), dedupe_key: 'd-1' },
      trace_id: 'trace_0001',
    });
  });

  test('asking again makes no second one, also when the address is written in another way', async () => {
    const first = await post(intentBody(1));
    const again = await post(intentBody(1, { to: 'PERSON-1@example.org' }));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json.deliveries).toEqual([{ ...first.json.deliveries[0], isNew: false }]);
    expect(await all()).toHaveLength(1);
  });

  test('a batch is answered in its order; one that is in it twice is new once', async () => {
    await post(intentBody(2));
    const { status, json } = await post({ intents: [3, 2, 1, 3].map((number) => intentBody(number)) });
    expect(status).toBe(201);
    expect(
      json.deliveries.map(({ isNew, key }: { isNew: boolean; key: string }) => [isNew, key.split(':')[1]]),
    ).toEqual([
      [true, 'occasion-3'],
      [false, 'occasion-2'],
      [true, 'occasion-1'],
      [false, 'occasion-3'],
    ]);
  });

  test('500 at once, 501 not', async () => {
    const many = (count: number) => ({
      intents: Array.from({ length: count }, (_, number) => intentBody(number)),
    });
    const { status, json } = await post(many(501));
    expect([status, json.error]).toEqual([400, 'intents must have at most 500 entries.']);
    expect((await post(many(500))).json.deliveries).toHaveLength(500);
  });

  test.each([
    ['an address', { to: 'nobody' }, 'invalid_address', 'to', 'no @'],
    [
      'a missing subject',
      { variables: { text: 'Text ' } },
      'missing_variable',
      'variables',
      'needs the variable subject',
    ],
    [
      'a subject of two lines',
      { variables: { subject: 'a\nb', text: 't' } },
      'invalid_variable',
      'variables',
      'line break',
    ],
    [
      'a variable that the template does not have',
      { variables: { subject: 'a', txet: 'b', text: 'c' } },
      'invalid_variable',
      'variables',
      'no variable "txet". Did you mean text?',
    ],
    [
      'a text too large in octets',
      { variables: { subject: 'a', text: '€'.repeat(180_000) } },
      'body_too_big',
      'variables',
      'larger than 1 MiB',
    ],
    ['an unknown template', { template: 'plian' }, 'missing_template', 'variables', 'no template'],
    ['an unknown language', { locale: 'xx' }, 'missing_locale', 'variables', 'written in'],
    ['half a character', { occasion: 'a\ud800' }, 'invalid_identity', 'occasion', 'control characters'],
  ])(
    'what would end a delivery later is refused now, and the whole batch with it: %s',
    async (_, more, code, field, words) => {
      const { status, json } = await post({ intents: [intentBody(1), intentBody(2, more)] });
      expect([status, json.code]).toEqual([400, code]);
      expect(json.error).toContain(words);
      expect(json.details.problems).toEqual([{ index: 1, field, problem: json.error }]);
      expect(json.error).toMatch(/^intents\[1\]: /);
      expect(await all()).toEqual([]);
    },
  );

  test.each([
    [{ source: 'newsletter' }, 'source', 'source must be "plain".'],
    [{ lane: 'fast' }, 'lane', 'lane must be one of urgent, normal, bulk.'],
    [{ occasion: 7 }, 'occasion', 'occasion must be a text.'],
    [{ occasion: '' }, 'occasion', 'occasion must not be empty.'],
    [{ occasion: 'x'.repeat(301) }, 'occasion', 'occasion must have at most 300 characters.'],
    [{ occasion: 'a\u0000b' }, 'occasion', 'occasion must be one line without control characters.'],
    [{ dueAt: 'tomorrow' }, 'dueAt', 'dueAt must be a time with its zone, like 2026-07-01T09:30:00Z.'],
    [{ dueAt: 1_700_000_000 }, 'dueAt', 'dueAt must be a text.'],
    [{ variables: [] }, 'variables', 'variables must be an object.'],
    [{ variables: 's3cret' }, 'variables', 'variables must be an object.'],
    [{ occassion: 'x' }, 'occassion', 'There is no field "occassion". Did you mean occasion?'],
    [
      { status: 'sent' },
      'status',
      'There is no field "status". There are: occasion, to, recipient, source, lane, template, locale, variables, dueAt, expiresAt, dedupeKey.',
    ],
  ])('a sentence that helps: %j', async (more, field, problem) => {
    const { status, json } = await post(intentBody(1, more));
    expect([status, json.error, json.details]).toEqual([400, problem, { problems: [{ field, problem }] }]);
  });

  test('of a batch every bad intent is told of, whatever is wrong with it', async () => {
    const { status, json } = await post({
      intents: [
        intentBody(0, { to: 'nobody' }),
        intentBody(1),
        intentBody(2, { lane: 'fast' }),
        null,
        intentBody(4, { variables: { subject: 'a', text: 'b', html: 'c' } }),
        intentBody(5, { variables: 7, occassion: 'x' }),
      ],
    });
    expect([status, json.code]).toEqual([400, 'invalid_address']);
    expect(json.error).toMatch(/^intents\[0\]: .*no @.* And 5 more: see details\.$/);
    expect(json.details.problems).toEqual([
      { index: 0, field: 'to', problem: expect.stringContaining('intents[0]: ') },
      { index: 2, field: 'lane', problem: 'intents[2].lane must be one of urgent, normal, bulk.' },
      { index: 3, field: '', problem: 'intents[3] must be an object.' },
      { index: 4, field: 'variables', problem: expect.stringContaining('no variable "html"') },
      {
        index: 5,
        field: 'occassion',
        problem: 'There is no field "occassion" in intents[5]. Did you mean occasion?',
      },
      { index: 5, field: 'variables', problem: 'intents[5].variables must be an object.' },
    ]);
    expect(await all()).toEqual([]);
  });

  test.each([
    [0, 0],
    [10, 12],
    [25, 24],
  ])('others get a turn after 20 ms of work: %d ms a look at the clock', async (stepMs, turns) => {
    let elapsed = 0;
    let given = 0;
    const clock = {
      ...world.clock,
      monotonic: () => {
        elapsed += stepMs;
        return elapsed;
      },
      nextTurn: async () => {
        given += 1;
      },
    };
    const asked = await world.serve({ server: { clock } });
    const body = { intents: Array.from({ length: 24 }, (_, number) => intentBody(number)) };
    expect((await asked.ask('POST', '/api/v1/intents', { body })).status).toBe(201);
    expect(given).toBe(turns);
  });

  test('the log says how many came, and by which key', async () => {
    await api.ask('POST', '/api/v1/intents', { body: intentBody(1), key: keys.service[0] });
    const line = world.logged.map((text) => JSON.parse(text)).find(({ event }) => event === 'intents.taken');
    expect(line).toMatchObject({ count: 1, fresh: 1, key: 'service key 1', traceId: expect.any(String) });
  });
});

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

describe("an operator's word", () => {
  const perform = (verb: string, body: object) => api.ask('POST', `/api/v1/deliveries/${verb}`, { body });
  const statusOf = async (seq: number) => (await world.queries.find(String(seq)))?.status;

  test('requeues what was given up, says why not for the others, and is in the story', async () => {
    const dead = await rowIn(world, 'failed_permanent', 1);
    const sent = await rowIn(world, 'sent', 2);
    const { status, json } = await perform('requeue', {
      references: [String(dead), String(sent), 'nothing'],
      reason: 'mended',
      by: 'ana',
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      isDryRun: false,
      deliveries: [
        {
          ...{ reference: String(dead), seq: dead, isRequeued: true, status: 'pending' },
          sentence: `Delivery ${dead} is put back: it is sent when a worker takes it.`,
        },
        {
          ...{ reference: String(sent), seq: sent, isRequeued: false, status: 'sent' },
          sentence: expect.stringMatching(/is not put back\. .*sent/),
        },
        {
          ...{ reference: 'nothing', seq: null, isRequeued: false, status: null },
          sentence: 'There is no such delivery.',
        },
      ],
    });
    const { events } = await world.queries.story(dead);
    expect(events.at(-1)).toMatchObject({ event: 'requeued', actor: 'operator ana (operator key 1)' });
    expect(events.at(-1)?.detail).toContain('"reason":"mended"');
  });

  test.each([
    ['sent', 'sent'],
    ['not_sent', 'failed_transient'],
    ['closed', 'failed_permanent'],
  ])('resolves as %s', async (as, status) => {
    const seq = await rowIn(world, 'needs_review', 1);
    const { json } = await perform('resolve', { references: [String(seq)], as, reason: 'asked them' });
    expect(json.deliveries).toMatchObject([{ seq, isResolved: true }]);
    expect([await statusOf(seq), json.deliveries[0].status]).toEqual([status, status]);
    const again = await perform('resolve', { references: [String(seq)], as, reason: 'asked them' });
    expect(again.json.deliveries).toMatchObject([
      { isResolved: false, sentence: expect.stringContaining('nothing to decide') },
    ]);
  });

  test('by filter, after a look at what it would be', async () => {
    const rows: [Status, number][] = [
      ['failed_permanent', 1],
      ['failed_permanent', 2],
      ['sent', 3],
    ];
    for (const [status, number] of rows) await rowIn(world, status, number);
    const order = { filter: { status: ['failed_permanent'], source: 'plain' }, limit: 10, reason: 'mended' };
    const dry = (await perform('requeue', { ...order, dryRun: true })).json;
    expect(dry).toMatchObject({ isDryRun: true, deliveries: [{ isRequeued: false }, { isRequeued: false }] });
    expect(await world.queries.search({ status: ['pending'], limit: 9 })).toEqual([]);
    const done = (await perform('requeue', order)).json;
    expect(done).toMatchObject({ isDryRun: false, deliveries: [{ isRequeued: true }, { isRequeued: true }] });
    expect(await world.queries.search({ status: ['pending'], limit: 9 })).toHaveLength(2);
  });

  test.each([
    [{ filter: {}, reason: 'r' }, 'filter.status is missing.'],
    [{ filter: { status: [] }, reason: 'r' }, 'filter.status must have at least one entry.'],
    [{ references: [], reason: 'r' }, 'references must have at least one entry.'],
    [{ references: ['1'] }, 'reason is missing.'],
    [{ references: ['1'], filter: { status: ['sent'] }, reason: 'r' }, 'There is no field "references".'],
    [
      { references: ['1'], reason: '  ' },
      "Say why, in 1 to 500 characters: it is kept in the delivery's story.",
    ],
  ])('is refused where it is not clear: %j', async (body, sentence) => {
    const { status, json } = await perform('requeue', body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(sentence)]);
  });
});

test('the inbox comes newest first, page by page', async () => {
  for (let number = 1; number <= 4; number++) {
    const mail = {
      from: 'a@example.org',
      to: 'b@example.org',
      subject: `Subject ${number}`,
      html: 'h',
      text: 't',
    };
    const values = {
      ...{ message_id: `m-${number}`, idempotency_key: `k-${number}`, body_hash: 'x', received_at: 0 },
      mail: JSON.stringify({ ...mail, headers: {}, tags: {} }),
    };
    await world.db.write.insertInto('captured_mails').values(values).execute();
  }
  const pages: string[][] = [];
  for (let query = '?limit=2'; ; ) {
    const { mails, next } = (await api.ask('GET', `/api/v1/inbox${query}`)).json;
    pages.push(mails.map(({ messageId }: { messageId: string }) => messageId));
    if (!next) break;
    query = `?limit=2&below=${next.below}`;
  }
  expect(pages).toEqual([
    ['m-4', 'm-3'],
    ['m-2', 'm-1'],
  ]);
});

describe('pauses', () => {
  test('are made, listed, kept as they were first, and lifted', async () => {
    const pause = (body: object) => api.ask('POST', '/api/v1/pauses', { body });
    expect((await pause({ scope: 'plain', reason: 'flood', by: 'ana' })).status).toBe(201);
    const again = await pause({ scope: 'plain', reason: 'other' });
    expect([again.status, again.json.reason]).toEqual([200, 'flood']);
    expect((await api.ask('GET', '/api/v1/pauses')).json).toEqual({
      pauses: [
        { scope: 'plain', reason: 'flood', by: 'ana (operator key 1)', at: '2026-01-01T00:00:00.000Z' },
      ],
    });
    expect((await api.ask('DELETE', '/api/v1/pauses/plain')).json).toEqual({
      scope: 'plain',
      isResumed: true,
    });
    expect(await world.parts.api.pauses.list()).toEqual([]);
  });

  test.each([
    [keys.operator[0], 'the API (operator key 1)'],
    [null, 'the API'],
  ])('that nobody has put a name to are by the API', async (key, by) => {
    const nobody = { operator: [], read: [], service: [] };
    const asked = key === null ? await world.serve({ api: { keys: nobody } }) : api;
    const { json } = await asked.ask('POST', '/api/v1/pauses', { key, body: { scope: '*', reason: 'r' } });
    expect(json.by).toBe(by);
  });

  test('of a source that is not there is a mistake', async () => {
    const { status, json } = await api.ask('POST', '/api/v1/pauses', {
      body: { scope: 'plian', reason: 'r' },
    });
    expect([status, json.code, json.error]).toEqual([
      400,
      'unknown_source',
      expect.stringContaining('Did you mean plain?'),
    ]);
  });
});

test.each([
  ['trace_0001', true],
  ['a'.repeat(64), true],
  ['short', false],
  ['a'.repeat(65), false],
  ['with space in it', false],
  ['<script>alert(1)</script>', false],
])('the request id %s: %s', async (id, isTaken) => {
  const { headers, json } = await api.ask('GET', '/nowhere', { headers: { 'x-request-id': id } });
  expect(headers.get('x-request-id') === id).toBe(isTaken);
  expect(json.traceId).toBe(headers.get('x-request-id'));
  expect(world.logged.at(-1)).toContain(`"traceId":"${json.traceId}"`);
});
