import { describe, expect, test } from 'vitest';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { type Api, createApiWorld, keys } from './api-world.ts';

/** Signing in with a browser: a cookie stands for a key, for a while, and for our own pages alone. */
const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

const path = '/api/v1/session';
const ours = { 'sec-fetch-site': 'same-origin' };
const signIn = (key: string, headers: Record<string, string> = ours) =>
  api.ask('POST', path, { key: null, body: { key }, headers });
async function cookieFor(key: string): Promise<string> {
  const { headers } = await signIn(key);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
const pause = (headers: Record<string, string>) =>
  api.ask('POST', '/api/v1/pauses', { key: null, headers, body: { scope: '*', reason: 'why' } });

describe('signing in', () => {
  test('with a key: a cookie that no script and no other site gets, and that holds no key', async () => {
    const { status, json, headers } = await signIn(keys.operator[0]);
    expect([status, json]).toEqual([
      200,
      {
        role: 'operator',
        name: 'operator key 1',
        until: new Date(world.clock.now() + 8 * 3_600_000).toISOString(),
      },
    ]);
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^tidings_session=[\w-]+\.[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    expect(Buffer.from(cookie.slice(16), 'base64url').toString('latin1')).not.toContain(keys.operator[0]);
    expect(
      (await signIn(keys.read[0], { ...ours, 'x-forwarded-proto': 'https' })).headers.get('set-cookie'),
    ).toMatch(/; SameSite=Strict; Secure$/);
  });

  test('the cookie opens what its key opens, and says whose it is', async () => {
    const [operator, reader] = [await cookieFor(keys.operator[1]), await cookieFor(keys.read[0])];
    const who = async (cookie: string) =>
      (await api.ask('GET', path, { key: null, headers: { cookie } })).json;
    expect(await who(operator)).toMatchObject({ role: 'operator', name: 'operator key 2' });
    expect(await who(reader)).toMatchObject({ role: 'read', name: 'read key 1' });
    expect((await pause({ ...ours, cookie: reader })).json).toMatchObject({ code: 'role_required' });
    expect((await pause({ ...ours, cookie: `other=1; ${operator}; more=2` })).json).toMatchObject({
      by: 'the API (operator key 2)',
    });
    const listed = await api.ask('GET', '/api/v1/pauses', { key: null, headers: { cookie: reader } });
    expect(listed.json.pauses).toHaveLength(1);
  });

  test('ends after a working day, and at once with its key', async () => {
    const cookie = await cookieFor(keys.operator[0]);
    const look = (some: Api) => some.ask('GET', '/api/v1/pauses', { key: null, headers: { cookie } });
    const without = await world.serve({ api: { keys: { ...keys, operator: [keys.operator[1]] } } });
    expect((await look(without)).status).toBe(401);
    expect((await look(api)).status).toBe(200);
    await world.clock.advance(8 * 3_600_000);
    expect((await look(api)).status).toBe(401);
    expect((await api.ask('GET', path, { key: null, headers: { cookie } })).json).toEqual({
      ...{ role: null, name: null, until: null },
    });
  });

  test.each([
    ['nothing', ''],
    ['words', 'tidings_session=hello'],
    ['no JSON', `tidings_session=${Buffer.from('{').toString('base64url')}.${'a'.repeat(43)}`],
    ['another shape', `tidings_session=${Buffer.from('[1,"2"]').toString('base64url')}.${'a'.repeat(43)}`],
    [
      'a name that is nobody’s',
      `tidings_session=${Buffer.from('["operator key 9",9e15]').toString('base64url')}.${'a'.repeat(43)}`,
    ],
    [
      'a signature that is wrong',
      `tidings_session=${Buffer.from('["operator key 1",9e15]').toString('base64url')}.${'a'.repeat(43)}`,
    ],
  ])('a cookie with %s is nobody’s', async (_, cookie) => {
    const { status, json } = await api.ask('GET', '/api/v1/pauses', { key: null, headers: { cookie } });
    expect([status, json.code]).toEqual([401, 'key_required']);
  });

  test('a cookie whose words were changed, or signed for another key, is nobody’s', async () => {
    const [said = '', signature = ''] = (await cookieFor(keys.read[0])).split('=')[1]?.split('.') ?? [];
    const [name, until] = JSON.parse(Buffer.from(said, 'base64url').toString());
    const forge = (words: unknown) =>
      `tidings_session=${Buffer.from(JSON.stringify(words)).toString('base64url')}.${signature}`;
    for (const words of [
      ['operator key 1', until],
      [name, until + 1],
    ]) {
      const { status } = await api.ask('GET', '/api/v1/pauses', {
        key: null,
        headers: { cookie: forge(words) },
      });
      expect(status).toBe(401);
    }
  });

  test('a wrong key that comes along is not made up for by the cookie', async () => {
    const cookie = await cookieFor(keys.operator[0]);
    const { status } = await api.ask('GET', '/api/v1/pauses', { key: 'x'.repeat(40), headers: { cookie } });
    expect(status).toBe(401);
  });

  test('keys that open no page are told so, and tries are counted: who guesses learns nothing from too many', async () => {
    const strict = await world.serve({ api: { limits: { reads: 9, writes: 9, failures: 3 } } });
    const at = (key: string) => strict.ask('POST', path, { key: null, body: { key }, headers: ours });
    expect((await at(keys.service[0])).json).toMatchObject({ code: 'role_required' });
    expect((await at('wrong')).json).toMatchObject({ code: 'key_required' });
    expect((await at('wrong')).json).toMatchObject({ code: 'key_required' });
    expect((await at('wrong')).status).toBe(429);
    expect((await at(keys.operator[0])).status).toBe(429);
    await world.clock.advance(60_001);
    expect((await at(keys.operator[0])).status).toBe(200);
  });

  test('signing out takes the cookie away', async () => {
    const { headers } = await api.ask('DELETE', path, { key: null, headers: ours });
    expect(headers.get('set-cookie')).toBe('tidings_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  });
});

describe('another page that asks in the name of who has signed in', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['an old browser, another site', { origin: 'https://evil.example' }],
    ['an old browser, hidden', { origin: 'null' }],
    ['nobody says who', {}],
  ] as [string, Record<string, string>][])(
    '%s: nothing is done, neither by the cookie nor by a key in the body',
    async (_, from) => {
      const cookie = await cookieFor(keys.operator[0]);
      expect((await pause({ ...from, cookie })).json).toMatchObject({ code: 'cross_site' });
      expect((await signIn(keys.operator[0], from)).json).toMatchObject({ code: 'cross_site' });
      expect((await api.ask('GET', '/api/v1/pauses', { key: keys.read[0] })).json.pauses).toEqual([]);
    },
  );

  test('our own page, of a browser that says no more than its origin', async () => {
    const cookie = await cookieFor(keys.operator[0]);
    expect((await pause({ origin: api.url, cookie })).status).toBe(201);
  });
});

test('where no key is set, whoever is on this machine is the operator, and need not sign in', async () => {
  const open = await world.serve({ api: { keys: {} } });
  expect((await open.ask('GET', path, { key: null })).json).toEqual({
    role: 'operator',
    name: null,
    until: null,
  });
});
