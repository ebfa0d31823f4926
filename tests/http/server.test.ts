import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockedCode } from '../../src/db/dialect.ts';
import { createServer, type ServerParts } from '../../src/http/server.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import { rowIn } from '../support/rows.ts';
import { type ApiWorld, createApiWorld, keys } from './api-world.ts';
import { broken, databaseWith } from './broken-database.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

let world: ApiWorld;
let logged: string[];
let parts: ApiWorld['parts'];
const withQueries = (queries: OutboxQueries) => ({ api: { ...parts.api, queries } });

beforeEach(async () => {
  world = await createApiWorld();
  ({ logged, parts } = world);
});
afterEach(() => world.close());

const asReader = { 'x-api-key': keys.read[0] };

async function get(
  url: string,
  changes: Partial<ServerParts> = {},
  headers: Record<string, string> = asReader,
) {
  const server = await createServer({ ...parts, ...changes });
  try {
    return await server.inject({ url, headers });
  } finally {
    await server.close();
  }
}

describe('the front page', () => {
  const files = {
    page: '<!doctype html><script type="module" src="/console/assets/a.js"></script>',
    assets: new Map([['a.js', { type: 'text/javascript', bytes: Buffer.from('1') }]]),
  };
  const withConsole = { api: () => ({ ...parts.api, console: files }) };

  test.each([
    ['no', {}, false],
    ['a wrong', { 'x-api-key': 'x'.repeat(40) }, false],
    ['a service', { 'x-api-key': keys.service[0] }, false],
    ['a read', asReader, true],
    ["an operator's", { authorization: `Bearer ${keys.operator[0]}` }, true],
  ])('with %s key it is the console, or says only that it runs', async (_, headers, isShown) => {
    await rowIn(world, 'sent', 1);
    const answer = await get('/', { api: withConsole.api() }, headers);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.body.includes('Tidings is running')).toBe(!isShown);
    expect(answer.body.includes('/console/assets/')).toBe(isShown);
    expect(answer.body).not.toContain('person-');
  });

  test('without keys this machine is shown the console', async () => {
    const api = { ...withConsole.api(), keys: { operator: [], read: [], service: [] } };
    expect((await get('/', { api }, { host: 'localhost' })).body).toContain('/console/assets/');
  });

  test('what runs in it is ours, and nothing frames it', async () => {
    const { headers } = await get('/console', { api: withConsole.api() });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe/);
    const closed = String((await get('/', {}, {})).headers['content-security-policy']);
    expect(closed).toContain("default-src 'none';style-src 'unsafe-inline'");
  });

  test('its files are kept for ever, because their names change with their content', async () => {
    const { headers, body } = await get('/console/assets/a.js', { api: withConsole.api() }, {});
    expect([headers['cache-control'], body]).toEqual(['public, max-age=31536000, immutable', '1']);
    for (const name of ['b.js', '..%2F..%2Fpackage.json', '__proto__'])
      expect((await get(`/console/assets/${name}`, { api: withConsole.api() }, {})).statusCode).toBe(404);
  });

  test('where it was not built, somebody is told how', async () => {
    const api = { ...parts.api, console: { page: undefined, assets: new Map() } };
    const { statusCode, body } = await get('/console', { api });
    expect([statusCode, JSON.parse(body).error]).toEqual([503, expect.stringContaining('npm run build')]);
  });

  test('a worker has none', async () => {
    const { api: _, ...worker } = parts;
    const server = await createServer(worker);
    const answer = await server.inject({ url: '/' });
    expect([answer.statusCode, answer.json().error]).toEqual([404, 'There is nothing at this address.']);
    expect((await server.inject({ url: '/health' })).statusCode).toBe(200);
    await server.close();
    // Who has a page that says what there is leads to it.
    expect((await get('/nowhere')).json().error).toBe(
      'There is nothing at this address. What there is: see /docs.',
    );
  });
});

describe('who is lost with a browser', () => {
  const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  test('gets a page that leads home, and repeats nothing of the address', async () => {
    const { statusCode, headers, body } = await get('/nonsense?token=s3cret', {}, asBrowser);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body).toContain('There is nothing here');
    expect(body).toContain('<a href="/">');
    expect(body).not.toMatch(/nonsense|s3cret|<script/);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['cache-control']).toBe('no-store');
  });

  test.each(['inbox', 'deliveries'])('is led from /%s to the page of the console', async (name) => {
    const { statusCode, headers, body } = await get(`/${name}`, {}, asBrowser);
    expect([statusCode, headers.location, body]).toEqual([303, `/console/${name}`, '']);
  });

  test('gets none at the API, nor from a worker, which has no pages', async () => {
    expect((await get('/api/v1/nonsense', {}, asBrowser)).json().code).toBe('not_found');
    const { api: _, ...worker } = parts;
    const server = await createServer(worker);
    expect((await server.inject({ url: '/nonsense', headers: asBrowser })).json().code).toBe('not_found');
    await server.close();
  });
});

test('a sentence of the docs ends with one sign', async () => {
  const { body } = await get('/docs');
  expect(body).toContain('Is this process alive? Needs no key.');
  expect(body).not.toMatch(/\?\./);
});

describe('errors have one shape', () => {
  test.each([
    ['an unknown address', { url: '/nowhere?token=s3cret' }, 404, 'not_found'],
    ['an address that cannot be decoded', { url: '/%zz' }, 400, 'bad_request'],
    [
      'a body too large',
      { url: '/nowhere', method: 'POST', payload: { x: 'x'.repeat(70_000) } },
      413,
      'body_too_large',
    ],
    [
      'a body that nobody asked for',
      {
        url: '/',
        method: 'POST',
        payload: '{"password":"s3cret',
        headers: { 'content-type': 'application/json' },
      },
      405,
      'method_not_allowed',
    ],
  ] as const)('%s', async (_, request, status, code) => {
    const server = await createServer(parts);
    const answer = await server.inject(request);
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      { error: expect.stringMatching(/^[A-Z].*\.$/), code, traceId: expect.stringMatching(uuid) },
    ]);
    expect(answer.body + logged.join('')).not.toContain('s3cret');
    await server.close();
  });

  test('what breaks inside is logged under the trace id that the visitor gets, and only there', async () => {
    const queries = createQueries(databaseWith(world.db, broken));
    const answer = await get('/api/v1/deliveries/s3cret', withQueries(queries));
    expect(answer.statusCode).toBe(500);
    const { traceId, ...body } = answer.json();
    expect(body).toEqual({ error: expect.stringContaining('Something broke'), code: 'unexpected' });
    const failed = logged.map((line) => JSON.parse(line)).find(({ event }) => event === 'http.failed');
    expect(failed).toMatchObject({
      traceId,
      method: 'GET',
      route: '/api/v1/deliveries/:reference',
      error: { message: expect.any(String) },
    });
    expect(logged.join('')).not.toContain('s3cret');
  });

  test.each([
    ['a database that is away', 'ECONNREFUSED'],
    ['what another process has locked, on SQLite', lockedCode],
    ['what another process has locked, on PostgreSQL', '55P03'],
  ])('%s is no mistake of ours: ask again, and no trace of the stack in the log', async (_, code) => {
    const away = () => Promise.reject(Object.assign(new Error(''), { code }));
    const queries = createQueries(databaseWith(world.db, away));
    const answer = await get('/api/v1/deliveries/s3cret', withQueries(queries));
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([
      503,
      'try_again',
      '5',
    ]);
    const told = logged.map((line) => JSON.parse(line)).find(({ event }) => event === 'http.database_away');
    expect(told).toMatchObject({ traceId: answer.json().traceId, problem: code });
    expect(logged.join('')).not.toContain('stack');
  });

  test('after a failure the next visitor is not shown the old one', async () => {
    let failures = 1;
    const queries = {
      ...world.queries,
      counts: () => (failures-- > 0 ? broken() : world.queries.counts()),
    };
    const server = await createServer({ ...parts, ...withQueries(queries) });
    const visit = async () =>
      (await server.inject({ url: '/api/v1/standing', headers: asReader })).statusCode;
    expect(await visit()).toBe(500);
    expect(await visit()).toBe(200);
    await server.close();
  });
});
