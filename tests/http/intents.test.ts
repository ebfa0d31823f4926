import { describe, expect, test } from 'vitest';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createApiWorld, intentBody, keys } from './api-world.ts';

const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

const post = (body: unknown, headers?: Record<string, string>) =>
  api.ask('POST', '/api/v1/intents', { body, ...(headers && { headers }) });
const all = () => world.queries.search({ limit: 1000 });
const zoned = 'must be a time with its zone, like 2026-07-01T09:30:00Z.';

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
    [{ dueAt: 'tomorrow' }, 'dueAt', `dueAt ${zoned}`],
    // Written as the standards have it, and yet no moment that can be stored.
    [{ dueAt: '2026-12-31T23:59:60Z' }, 'dueAt', `dueAt ${zoned}`],
    [{ expiresAt: '2026-12-31T23:59:59+02:00[Europe/Bucharest]' }, 'expiresAt', `expiresAt ${zoned}`],
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
