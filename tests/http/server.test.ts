import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type ServerParts } from '../../src/http/server.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import { rowIn } from '../support/rows.ts';
import { type ApiWorld, createApiWorld } from './api-world.ts';
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

async function get(url: string, changes: Partial<ServerParts> = {}) {
  const server = await createServer({ ...parts, ...changes });
  try {
    return await server.inject({ url });
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
    for (let visit = 0; visit < 3; visit++) await server.inject({ url: '/' });
    expect(counted).toBe(1);
    await world.clock.advance(2_001);
    await server.inject({ url: '/' });
    expect(counted).toBe(2);
    await server.close();
  });

  test('a worker has none', async () => {
    const { api: _, ...worker } = parts;
    const server = await createServer(worker);
    expect((await server.inject({ url: '/' })).statusCode).toBe(404);
    expect((await server.inject({ url: '/health' })).statusCode).toBe(200);
    await server.close();
  });
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
    expect((await server.inject({ url: '/' })).statusCode).toBe(500);
    expect((await server.inject({ url: '/' })).statusCode).toBe(200);
    await server.close();
  });
});
