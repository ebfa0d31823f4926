import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type ServerParts } from '../../src/http/server.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
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
  test('shows counts and never an address, and may load nothing', async () => {
    for (const [number, status] of (['sent', 'sent', 'needs_review'] as const).entries()) {
      await rowIn(world, status, number);
    }
    const { statusCode, headers, body } = await get('/');
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none';style-src 'unsafe-inline'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).toContain('3 deliveries');
    expect(body).toMatch(
      /<span class="count">2<\/span><span class="name"><span class="good"[^>]*>●<\/span> sent</,
    );
    expect(body).toMatch(/<span class="count">1<\/span>.{0,80}▲<\/span> needs_review</);
    expect(body).not.toContain('person-');
    expect([...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target)).toEqual(['/docs']);
  });

  test('says what to do when there is nothing yet', async () => {
    const { body } = await get('/');
    expect(body).toContain('No mail has been asked for yet');
    expect(body).toContain('npx tidings send --to you@example.org');
  });

  test('says what is paused, why and since when', async () => {
    await parts.api.pauses.pause('*', { reason: 'flood <b>', operator: 'ana' });
    await parts.api.pauses.pause('plain', { reason: 'a mistake', operator: 'ana' });
    const { body } = await get('/');
    expect(body).toContain(
      'Everything is paused since <time datetime="2026-01-01T00:00:00.000Z">2026-01-01 00:00 UTC</time>: flood &lt;b&gt;</p>',
    );
    expect(body).toMatch(/The source plain is paused since .*: a mistake</);
    await parts.api.pauses.resume('*');
    await parts.api.pauses.resume('plain');
    expect((await get('/')).body).not.toContain('paused since');
  });

  test('sends nobody to the built-in inbox where a real provider takes the mail', async () => {
    const api = { ...parts.api, provider: createFakeProvider() };
    expect((await get('/')).body).toContain('npx tidings inbox');
    expect((await get('/', { api })).body).not.toContain('npx tidings inbox');
  });

  test.each([
    ['no', {}, false],
    ['a wrong', { 'x-api-key': 'x'.repeat(40) }, false],
    ['a service', { 'x-api-key': keys.service[0] }, false],
    ['a read', asReader, true],
    ["an operator's", { authorization: `Bearer ${keys.operator[0]}` }, true],
  ])('with %s key it shows numbers, deployment and pauses', async (_, headers, isShown) => {
    await rowIn(world, 'sent', 1);
    await parts.api.pauses.pause('*', { reason: 'flood', operator: 'ana' });
    const { statusCode, body } = await get('/', {}, headers);
    expect(statusCode).toBe(200);
    expect(body).toContain('Tidings is running');
    for (const words of ['1 delivery', 'Deployment: test', 'flood'])
      expect(body.includes(words)).toBe(isShown);
  });

  test('without keys this machine is shown all of it', async () => {
    const api = { ...parts.api, keys: { operator: [], read: [], service: [] } };
    expect((await get('/', { api }, { host: 'localhost' })).body).toContain('Deployment: test');
  });

  test('counts the table at most once in two seconds', async () => {
    let counted = 0;
    const queries = {
      ...world.queries,
      counts: async () => {
        counted += 1;
        return world.queries.counts();
      },
    };
    const server = await createServer({ ...parts, ...withQueries(queries) });
    for (let visit = 0; visit < 3; visit++) await server.inject({ url: '/', headers: asReader });
    expect(counted).toBe(1);
    await world.clock.advance(2_001);
    await server.inject({ url: '/', headers: asReader });
    expect(counted).toBe(2);
    await server.close();
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
    const answer = await get('/?token=s3cret', withQueries(queries));
    expect(answer.statusCode).toBe(500);
    const { traceId, ...body } = answer.json();
    expect(body).toEqual({ error: expect.stringContaining('Something broke'), code: 'unexpected' });
    const failed = logged.map((line) => JSON.parse(line)).find(({ event }) => event === 'http.failed');
    expect(failed).toMatchObject({
      traceId,
      method: 'GET',
      route: '/',
      error: { message: expect.any(String) },
    });
    expect(logged.join('')).not.toContain('s3cret');
  });

  test('after a failure the next visitor is not shown the old one', async () => {
    let failures = 1;
    const queries = {
      ...world.queries,
      counts: () => (failures-- > 0 ? broken() : world.queries.counts()),
    };
    const server = await createServer({ ...parts, ...withQueries(queries) });
    const visit = async () => (await server.inject({ url: '/', headers: asReader })).statusCode;
    expect(await visit()).toBe(500);
    expect(await visit()).toBe(200);
    await server.close();
  });
});
