import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuth } from '../../src/http/auth.ts';
import { requireSameMachine } from '../../src/http/same-machine.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { createRateLimit } from '../../src/std/rate-limit.ts';
import { type Api, type ApiWorld, createApiWorld, intentBody, keys } from './api-world.ts';

let world: ApiWorld;
beforeEach(async () => {
  world = await createApiWorld();
});
afterEach(() => world.close());

const nobody = { operator: [], read: [], service: [] };
const order = { references: ['1'], reason: 'why' };

describe('keys', () => {
  const asks = {
    read: (api: Api, key: string | null) => api.ask('GET', '/api/v1/deliveries', { key }),
    metrics: (api: Api, key: string | null) => api.ask('GET', '/metrics', { key }),
    create: (api: Api, key: string | null) =>
      api.ask('POST', '/api/v1/intents', { key, body: intentBody(1) }),
    operate: (api: Api, key: string | null) =>
      api.ask('POST', '/api/v1/deliveries/requeue', { key, body: order }),
    health: (api: Api, key: string | null) => api.ask('GET', '/health', { key }),
    ready: (api: Api, key: string | null) => api.ask('GET', '/ready', { key }),
  };

  test.each([
    ["an operator's", keys.operator[0], [200, 200, 201, 200, 200, 200]],
    ["another operator's", keys.operator[1], [200, 200, 201, 200, 200, 200]],
    ['a read', keys.read[0], [200, 200, 403, 403, 200, 200]],
    ['a service', keys.service[0], [403, 403, 201, 403, 200, 200]],
    ['a wrong', `${keys.operator[0]}x`, [401, 401, 401, 401, 200, 200]],
    ['no', null, [401, 401, 401, 401, 200, 200]],
    ['an empty', '', [401, 401, 401, 401, 200, 200]],
  ])('%s key', async (_, key, statuses) => {
    const api = await world.serve();
    const seen = [];
    for (const ask of Object.values(asks)) seen.push((await ask(api, key)).status);
    expect(seen).toEqual(statuses);
  });

  test('come in either header; of two headers the first is not made up for by the other', async () => {
    const api = await world.serve();
    const ask = async (headers: Record<string, string>) =>
      (await api.ask('GET', '/api/v1/pauses', { key: null, headers })).status;
    expect(await ask({ 'x-api-key': keys.read[0] })).toBe(200);
    expect(await ask({ authorization: `bearer ${keys.read[0]}` })).toBe(200);
    expect(await ask({ authorization: `Basic ${keys.read[0]}` })).toBe(401);
    expect(await ask({ authorization: 'Bearer wrong', 'x-api-key': keys.read[0] })).toBe(401);
  });

  test('no key and a wrong one get the same sentence; a wrong role is told which it takes', async () => {
    const api = await world.serve();
    const { traceId: _, ...missing } = (await asks.read(api, null)).json;
    const { traceId: __, ...wrong } = (await asks.read(api, 'x'.repeat(40))).json;
    expect(missing).toEqual(wrong);
    expect((await asks.operate(api, keys.read[0])).json).toMatchObject({
      code: 'role_required',
      error: 'This key is a read key; this needs an operator key (OPERATOR_API_KEY).',
    });
    expect((await asks.create(api, keys.read[0])).json.error).toContain(
      'operator key (OPERATOR_API_KEY) or service key (SERVICE_API_KEY)',
    );
  });

  test('nothing is done without one', async () => {
    const api = await world.serve();
    await asks.create(api, null);
    await api.ask('POST', '/api/v1/pauses', { key: keys.read[0], body: { scope: '*', reason: 'why' } });
    expect(await world.queries.search({ limit: 1 })).toEqual([]);
    expect(await world.parts.api.pauses.list()).toEqual([]);
  });

  test('every key is compared, by digests of one length', () => {
    const auth = createAuth({ operator: ['a', 'b'], read: [], service: ['cc'] });
    expect(auth.holderOf('b')).toMatchObject({ role: 'operator', name: 'operator key 2' });
    expect(auth.holderOf('cc')).toMatchObject({ role: 'service', name: 'service key 1' });
    for (const wrong of [undefined, '', 'c', 'ccc', 'é', 'x'.repeat(10_000)])
      expect(auth.holderOf(wrong)).toBeUndefined();
    expect([auth.isOpen, createAuth(nobody).isOpen]).toEqual([false, true]);
    // An empty key in the configuration must not open the door to whoever sends none.
    expect(createAuth({ ...nobody, read: [''] }).holderOf(undefined)).toBeUndefined();
  });
});

describe('without keys', () => {
  /** fetch does not let a test choose these headers. */
  const raw = (url: string, method: string, path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? JSON.stringify({ scope: '*', reason: 'why' }) : undefined);
    });
  const pause = (url: string, headers: Record<string, string>) =>
    raw(url, 'POST', '/api/v1/pauses', { 'content-type': 'application/json', ...headers });

  test('this machine may do everything', async () => {
    const api = await world.serve({ api: { keys: nobody } });
    expect((await api.ask('POST', '/api/v1/intents', { key: null, body: intentBody(1) })).status).toBe(201);
    expect((await api.ask('GET', '/metrics', { key: null })).status).toBe(200);
  });

  test.each(['localhost', 'localhost:3000', '127.0.0.1:80', '[::1]:3000'])('is asked as %s', async (host) => {
    const { url } = await world.serve({ api: { keys: nobody } });
    expect((await raw(url, 'GET', '/api/v1/pauses', { host })).status).toBe(200);
  });

  test.each(['evil.example', 'localhost.evil.example:3000', '127.0.0.1.evil.example', '10.0.0.1'])(
    'another name that points here is refused: %s',
    async (host) => {
      const { url } = await world.serve({ api: { keys: nobody } });
      for (const path of ['/', '/api/v1/pauses', '/nowhere']) {
        const { status, text } = await raw(url, 'GET', path, { host });
        expect([status, JSON.parse(text).code]).toEqual([403, 'foreign_host']);
      }
    },
  );

  test.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost:5173' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('a page elsewhere changes nothing: %j', async (headers) => {
    const { url } = await world.serve({ api: { keys: nobody } });
    const { status, text } = await pause(url, { host: 'localhost:3000', ...headers });
    expect([status, JSON.parse(text).code]).toEqual([403, 'cross_site']);
    expect(await world.parts.api.pauses.list()).toEqual([]);
  });

  test.each([
    [{}],
    [{ origin: 'http://localhost:3000' }],
    [{ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'none' }],
  ])('a page of ours, or a program, may: %j', async (headers) => {
    const { url } = await world.serve({ api: { keys: nobody } });
    expect((await pause(url, { host: 'localhost:3000', ...headers })).status).toBe(201);
  });

  test.each(['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Via'])(
    'what a proxy on this machine passes on is refused: %s',
    async (name) => {
      const { url } = await world.serve({ api: { keys: nobody } });
      const { status, text } = await raw(url, 'GET', '/', { host: 'localhost', [name]: '127.0.0.1' });
      expect([status, JSON.parse(text).code]).toEqual([403, 'foreign_request']);
      const { url: guarded } = await world.serve();
      expect((await raw(guarded, 'GET', '/', { [name]: '127.0.0.1' })).status).toBe(200);
    },
  );

  test.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.7', false],
    ['::ffff:10.0.0.7', false],
    [undefined, false],
  ])('a connection from %s: %s', (remote, isAnswered) => {
    const ask = () => requireSameMachine('GET', { host: 'localhost' }, remote);
    if (isAnswered) expect(ask).not.toThrow();
    else expect(ask).toThrow('only this machine itself');
  });

  test('with keys any name is answered, and a key counts wherever it comes from', async () => {
    const { url } = await world.serve();
    const headers = { host: 'tidings.example.org', origin: 'https://console.example.org' };
    expect((await pause(url, headers)).status).toBe(401);
    expect((await pause(url, { ...headers, 'x-api-key': keys.operator[0] })).status).toBe(201);
  });
});

describe('rate limits', () => {
  const limits = { reads: 3, writes: 2, failures: 2 };

  test('are kept for each key by itself, and for reads and writes apart', async () => {
    const api = await world.serve({ api: { limits } });
    const read = async (key: string) => (await api.ask('GET', '/api/v1/pauses', { key })).status;
    const write = async () => (await api.ask('DELETE', '/api/v1/pauses/x')).status;
    const [first, other] = keys.operator;
    expect([await read(first), await read(first), await read(first), await read(first)]).toEqual([
      200, 200, 200, 429,
    ]);
    expect(await read(other)).toBe(200);
    expect([await write(), await write(), await write()]).toEqual([404, 404, 429]);
    await world.clock.advance(20_000);
    expect([await read(first), await read(first)]).toEqual([200, 429]);
  });

  test('wrong keys are slowed down, and lock nobody out', async () => {
    const api = await world.serve({ api: { limits } });
    const ask = async (key: string | null) => (await api.ask('GET', '/api/v1/pauses', { key })).status;
    expect([await ask('wrong'), await ask(null), await ask('wrong')]).toEqual([401, 401, 429]);
    expect(await ask(keys.read[0])).toBe(200);
  });

  test('say when to ask again, and are never in the way of a probe', async () => {
    const api = await world.serve({ api: { limits: { reads: 1, writes: 1, failures: 1 } } });
    await api.ask('GET', '/metrics');
    const { status, headers, json } = await api.ask('GET', '/metrics');
    expect([status, headers.get('retry-after'), json.error]).toEqual([
      429,
      '60',
      'Too many requests. Ask again in 60 s.',
    ]);
    for (let times = 0; times < 5; times++) expect((await api.ask('GET', '/health')).status).toBe(200);
  });

  test('one who comes evenly is never refused; a burst is the whole minute', () => {
    const clock = createManualClock();
    const limit = createRateLimit(60, 60_000, clock);
    expect(Array.from({ length: 61 }, () => limit.take('a') > 0).indexOf(true)).toBe(60);
    expect(limit.take('a')).toBe(1000);
  });

  test('strangers without number are not all remembered, and those who are held up still are', async () => {
    const clock = createManualClock();
    const limit = createRateLimit(1, 60_000, clock);
    for (let stranger = 0; stranger < 10_000; stranger++) limit.take(`s${stranger}`);
    await clock.advance(30_000);
    limit.take('last');
    expect(limit.take('last')).toBe(60_000);
    expect(limit.take('s9999')).toBe(30_000);
    expect(limit.take('s0')).toBe(0);
  });
});
