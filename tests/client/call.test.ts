import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createTidingsClient, TidingsError } from '../../src/client/client.ts';
import { advanceUntil } from '../support/world.ts';
import { apiKey, type FakeServer, fakeServer, refusal, type Said } from './fake-server.ts';

const page = [200, { deliveries: [], next: null }] as const satisfies Said;
const list = ({ client, clock }: FakeServer) => advanceUntil(clock, client.deliveries.list());
/** Each makes a plan of its own. */
const plan = ({ client, clock }: FakeServer) =>
  advanceUntil(clock, client.notifications.plan({ notificationType: 'newsletter_entity_monthly' }));

async function errorOf(work: Promise<unknown>): Promise<TidingsError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TidingsError) return error;
  throw new Error(`a TidingsError was expected: ${inspect(error)}`);
}

describe('tries', () => {
  test('go on until there is an answer, further and further apart, and are the same each time', async () => {
    const server = fakeServer(['ECONNRESET', [502, 'Bad gateway'], [500, refusal('unexpected')], page]);
    expect(await list(server)).toEqual({ deliveries: [], next: null });
    expect(server.asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750]);
    expect(new Set(server.asked.map(({ atMs: _, ...same }) => JSON.stringify(same))).size).toBe(1);
  });

  test('are so many and no more', async () => {
    const server = fakeServer(Array.from({ length: 6 }, (): Said => [503, 'busy']));
    const error = await errorOf(list(server));
    expect(error).toMatchObject({ status: 503, code: 'unexpected_answer', tries: 6 });
    const none = fakeServer([[503, 'busy']], { retries: 0 });
    expect(await errorOf(list(none))).toMatchObject({ tries: 1 });
  });

  test('wait as long as the server asks', async () => {
    const busy = refusal('too_many_requests');
    const server = fakeServer([[429, busy, { 'retry-after': '17' }], page]);
    await list(server);
    expect(server.asked.map(({ atMs }) => atMs)).toEqual([0, 17_000]);
  });

  test('end where it asks for more than anybody waits for, and the error says how much', async () => {
    const server = fakeServer([[429, refusal('too_many_requests'), { 'retry-after': '3600' }]]);
    expect(await errorOf(list(server))).toMatchObject({ retryAfterMs: 3_600_000, tries: 1, status: 429 });
  });

  test('have a bound each, also where a fetch does not listen', async () => {
    const server = fakeServer(['silence', 'silence', page], { timeoutMs: 2_000 });
    await list(server);
    expect(server.asked.map(({ atMs }) => atMs)).toEqual([0, 2_250, 4_750]);
    const deaf = fakeServer([], { retries: 0, timeoutMs: 2_000, fetch: () => new Promise(() => {}) });
    expect(await errorOf(list(deaf))).toMatchObject({
      ...{ code: 'timed_out', message: 'The server did not answer within 2000 ms.', status: null },
    });
  });

  test('end with the caller’s signal, while they wait too', async () => {
    const server = fakeServer([[503, 'busy'], page]);
    const stop = new AbortController();
    const listing = server.client.deliveries.list({}, { signal: stop.signal });
    while (server.clock.nextWakeMs() === undefined) await new Promise(setImmediate);
    await server.clock.advance(100);
    stop.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
    expect(server.asked).toHaveLength(1);
    expect(server.clock.nextWakeMs()).toBeUndefined();
    const before = fakeServer([]);
    await expect(before.client.deliveries.list({}, { signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('what must not happen twice', () => {
  test.each<[string, Said]>([
    ['a broken connection', 'ECONNRESET'],
    ['a gateway that gave up', [504, 'Gateway time-out']],
    ['a server that broke', [500, refusal('unexpected')]],
    ['silence', 'silence'],
  ])('is not tried again after %s, and is said to be in doubt', async (_, said) => {
    const server = fakeServer([said]);
    expect(await errorOf(plan(server))).toMatchObject({ tries: 1, isInDoubt: true });
  });

  test('is tried again where nothing can have arrived', async () => {
    const server = fakeServer(['ECONNREFUSED', 'ENOTFOUND', [429, 'slow down'], [201, { runId: 'r' }]]);
    expect(await plan(server)).toEqual({ runId: 'r' });
  });

  test('a refusal leaves no doubt', async () => {
    const server = fakeServer([[409, refusal('plan_used')]]);
    const error = await errorOf(advanceUntil(server.clock, server.client.notifications.apply('r')));
    expect(error).toMatchObject({ isInDoubt: false, code: 'plan_used' });
  });
});

describe('an error', () => {
  test('has what the server said', async () => {
    const details = { problems: [{ field: 'title', problem: 'title is missing.' }] };
    const error = await errorOf(list(fakeServer([[400, refusal('invalid_request', { details })]])));
    expect(error).toMatchObject({
      ...{ name: 'TidingsError', status: 400, code: 'invalid_request', details, tries: 1 },
      ...{ message: 'It was refused: invalid_request.', sentence: 'It was refused: invalid_request.' },
      ...{ traceId: 'trace-of-the-server', retryAfterMs: null, isInDoubt: false },
    });
  });

  test('has the trace id that was sent, where nobody answered', async () => {
    const server = fakeServer(['ECONNREFUSED'], { retries: 0 });
    const error = await errorOf(list(server));
    expect(error).toMatchObject({
      ...{ status: null, code: 'unreachable', traceId: 'made-up-id-1', details: { cause: 'ECONNREFUSED' } },
      sentence: 'The server cannot be reached (ECONNREFUSED). Check baseUrl, and whether it runs.',
    });
    expect(server.asked[0]?.headers['x-request-id']).toBe('made-up-id-1');
  });

  test.each<[Said, string]>([
    [[200, '<html>A portal</html>'], 'does not speak as Tidings does'],
    [[404, 'no such page'], 'does not speak as Tidings does'],
    [[404, { error: 'no such page' }], 'does not speak as Tidings does'],
    [[301, '', { location: 'https://elsewhere.example.org' }], 'sends us elsewhere (301)'],
  ])('says when it was not Tidings that answered: %j', async (said, words) => {
    const error = await errorOf(list(fakeServer([said])));
    expect(error.code).toBe('unexpected_answer');
    expect(error.sentence).toContain(words);
  });

  test.each<[string, Said]>([
    ['a broken connection', 'ECONNRESET'],
    ['a server that quotes it', [400, refusal('bad', { error: `Not ${apiKey}`, details: { apiKey } })]],
  ])('never tells the key: %s', async (_, said) => {
    const error = await errorOf(list(fakeServer([said], { retries: 0 })));
    for (const told of [inspect(error, { depth: 9 }), JSON.stringify(error), String(error.stack)])
      expect(told).not.toContain(apiKey);
  });

  test('nor does the client', () => {
    expect(inspect(fakeServer([]).client, { depth: 9, showHidden: true })).not.toContain(apiKey);
  });
});

describe('what cannot be asked is refused before it is sent', () => {
  const baseUrl = 'https://tidings.example.org';

  test.each([
    ['no address', { baseUrl: 'tidings' }],
    ['a file', { baseUrl: 'file:///tmp' }],
    ['a password', { baseUrl: 'https://ana:s3cret@tidings.example.org' }],
    ['a query', { baseUrl: 'https://tidings.example.org?a=b' }],
    ['a key with its line break', { baseUrl, apiKey: 's3cret\n' }],
    ['a key that no header can hold', { baseUrl, apiKey: 's3cret–' }],
    ['a time that is none', { baseUrl, timeoutMs: Number.NaN }],
    ['a time that never ends', { baseUrl, timeoutMs: Number.POSITIVE_INFINITY }],
    ['a wait that is none', { baseUrl, waitMaxMs: Number.NaN }],
    ['a wait that never ends', { baseUrl, waitMaxMs: Number.POSITIVE_INFINITY }],
    ['a wait into the past', { baseUrl, waitMaxMs: -1 }],
    ['less than no retries', { baseUrl, retries: -1 }],
  ])('%s', (_, options) => {
    const making = () => createTidingsClient(options);
    expect(making).toThrow(TidingsError);
    expect(making).toThrow(/^(?!.*s3cret)/);
  });

  test.each(['', '.', '..'])('an id that is %j leads nowhere else', async (id) => {
    const server = fakeServer([]);
    const error = await errorOf(server.client.notifications.runs.get(id));
    expect(error).toMatchObject({ code: 'invalid_argument', tries: 0 });
  });

  test('an id is escaped', async () => {
    const server = fakeServer([[200, {}]], { baseUrl: 'https://example.org/tidings/' });
    await server.client.deliveries.get('plain:a/b:c?d#e');
    expect(server.asked[0]?.url).toBe(
      'https://example.org/tidings/api/v1/deliveries/plain%3Aa%2Fb%3Ac%3Fd%23e',
    );
  });

  test.each(['user\n1', 'ană', ''])('no user is called %j', async (userId) => {
    expect(await errorOf(fakeServer([]).client.notifications.list({ userId }))).toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('an empty key is none', async () => {
    const server = fakeServer([page], { apiKey: '' });
    await list(server);
    expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
  });
});

test('all pages of a list, and no more than are read', async () => {
  const answer = (seq: number, below: number | null): Said => [
    200,
    { deliveries: [{ seq }], next: below === null ? null : { below } },
  ];
  const server = fakeServer([answer(3, 3), answer(2, 2), answer(1, null)]);
  const seqs = [];
  for await (const { seq } of server.client.deliveries.each({ status: ['sent', 'delivered'], limit: 1 }))
    seqs.push(seq);
  expect(seqs).toEqual([3, 2, 1]);
  expect(server.asked.map(({ url }) => url.split('?')[1])).toEqual([
    'status=sent&status=delivered&limit=1',
    'status=sent&status=delivered&limit=1&below=3',
    'status=sent&status=delivered&limit=1&below=2',
  ]);
  const few = fakeServer([answer(3, 3)]);
  for await (const _ of few.client.deliveries.each()) break;
  expect(few.asked).toHaveLength(1);
});
