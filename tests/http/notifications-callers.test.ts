import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSessions } from '../../src/http/callers/sessions.ts';
import { createFakeSessions, type FakeSessions } from '../support/fake-clerk-sessions.ts';
import { type Answered, type Api, keys } from './api-world.ts';
import {
  createNotificationsApiWorld,
  type NotificationsApiWorld,
  newsletter,
  path,
} from './notifications-world.ts';

let clerk: FakeSessions;
let stranger: FakeSessions;
let world: NotificationsApiWorld;
beforeAll(() => {
  clerk = createFakeSessions();
  stranger = createFakeSessions();
});
beforeEach(async () => {
  world = await createNotificationsApiWorld('sqlite');
});
afterEach(async () => {
  // No token is in any line, whole or in part.
  expect(world.logged.filter((line) => /eyJ|sess_1/.test(line))).toEqual([]);
  await world.close();
});

const nobody = { operator: [], read: [], service: [] };
const serve = (api: object = {}) =>
  world.serveOwn({ api: { sessions: createSessions(clerk.jwtKey), ...api } });
const ask = (api: Api, key: string | null, headers: Record<string, string> = {}, method = 'GET') =>
  api.ask(method, path, { key, headers, ...(method === 'POST' && { body: newsletter }) });
const seen = ({ status, json }: Answered) => [status, json.code];

describe('somebody who has signed in', () => {
  test('has their own, and nobody else does', async () => {
    const api = await serve();
    const made = await ask(api, clerk.token('user_ana'), {}, 'POST');
    expect(made.status).toBe(201);
    const own = async (userId: string) => (await ask(api, clerk.token(userId))).json.notifications;
    expect([(await own('user_ana')).length, (await own('user_bo')).length]).toEqual([1, 0]);
    expect((await world.notifications.list('user_ana', { limit: 9 })).rows).toHaveLength(1);
  });

  test('may name themselves, and nobody else', async () => {
    const api = await serve();
    const token = clerk.token('user_ana');
    expect((await ask(api, token, { 'x-user-id': 'user_ana' })).status).toBe(200);
    expect(seen(await ask(api, token, { 'x-user-id': 'user_bo' }))).toEqual([403, 'role_required']);
  });

  test('opens nothing else with it', async () => {
    const api = await serve();
    for (const other of ['/api/v1/deliveries', '/metrics', '/api/v1/suppressions'])
      expect((await api.ask('GET', other, { key: clerk.token('user_ana') })).status).toBe(401);
  });

  test('has a share of their own', async () => {
    const api = await serve({ limits: { reads: 1, writes: 1, failures: 1 } });
    const status = async (userId: string) => (await ask(api, clerk.token(userId))).status;
    expect([await status('user_ana'), await status('user_ana'), await status('user_bo')]).toEqual([
      200, 429, 200,
    ]);
  });

  const wrong: [string, (own: FakeSessions) => string][] = [
    ['another key', () => stranger.token('user_ana')],
    ['its time is over', (own) => own.token('user_ana', { expiresIn: -60 })],
    [
      'its time has not come',
      (own) => own.token('user_ana', { claims: { nbf: Math.floor(Date.now() / 1000) + 600 } }),
    ],
    ['no end', (own) => own.token('user_ana', { claims: { exp: undefined } })],
    ['no signature', (own) => `${own.token('user_ana').split('.').slice(0, 2).join('.')}.`],
    ['a signature that says none is needed', (own) => unsigned(own, { alg: 'none' })],
    ['the public key as a password', (own) => unsigned(own, { alg: 'HS256' })],
    ['another user than was signed', (own) => swapped(own)],
    ['no session', (own) => own.token('user_ana', { claims: { sid: undefined } })],
    ['a session that waits for something', (own) => own.token('user_ana', { claims: { sts: 'pending' } })],
    ['no user', (own) => own.token('', { claims: { sub: undefined } })],
    ['a user that cannot be one', (own) => own.token('user:ana')],
    ['no JSON', () => 'a.b.c'],
    ['nothing', () => ''],
    ['very much', (own) => own.token('user_ana', { claims: { more: 'x'.repeat(12_400) } })],
  ];
  test.each(wrong)('is not believed: %s', async (_, tokenOf) => {
    const sessions = createSessions(clerk.jwtKey);
    expect(await sessions.userOf(clerk.token('user_ana'))).toBe('user_ana');
    expect(await sessions.userOf(tokenOf(clerk))).toBeUndefined();
  });

  test('who is not believed is told so in the one shape, and is slowed down', async () => {
    const api = await serve({ limits: { reads: 9, writes: 9, failures: 2 } });
    const { status, headers, json } = await ask(api, stranger.token('user_ana'));
    expect([status, headers.get('www-authenticate'), json]).toEqual([
      401,
      'Bearer',
      {
        error:
          "This needs a user's valid session token, sent as Authorization: Bearer <token>; or a service key, with X-User-Id: <id> beside it.",
        ...{ code: 'key_required', traceId: headers.get('x-request-id') },
      },
    ]);
    expect([(await ask(api, null)).status, (await ask(api, 'wrong')).status]).toEqual([401, 429]);
    expect((await ask(api, clerk.token('user_ana'))).status).toBe(200);
  });
});

describe('a service', () => {
  test.each([
    ['a service', keys.service[0], 200],
    ["an operator's", keys.operator[1], 200],
    ['a read', keys.read[0], 403],
    ['a wrong', 'x'.repeat(40), 401],
    ['no', null, 401],
  ])('%s key for a user', async (_, key, status) => {
    const api = await serve();
    expect((await ask(api, key, { 'x-user-id': 'user_ana' })).status).toBe(status);
  });

  test('must say for whom, as it must be', async () => {
    const api = await serve();
    const [key] = keys.service;
    expect(seen(await ask(api, key))).toEqual([400, 'user_required']);
    for (const userId of ['a:b', '', 'x'.repeat(129), 'a b', 'user_ana, user_bo'])
      expect(seen(await ask(api, key, { 'x-user-id': userId }))).toEqual([400, 'invalid_user']);
    expect((await ask(api, key, { 'x-user-id': 'auth0|7.a@b-C_1' })).status).toBe(200);
  });

  test('has a share for each of its users', async () => {
    const api = await serve({ limits: { reads: 1, writes: 1, failures: 1 } });
    const status = async (userId: string) =>
      (await ask(api, keys.service[0], { 'x-user-id': userId })).status;
    expect([await status('user_ana'), await status('user_ana'), await status('user_bo')]).toEqual([
      200, 429, 200,
    ]);
  });

  test('where nobody signs in, it is told what is needed', async () => {
    const api = await world.serveOwn();
    const { json } = await ask(api, clerk.token('user_ana'));
    expect(json.error).toMatch(/^This needs a valid service key\..* with X-User-Id/);
  });
});

describe('where no key is set', () => {
  test('this machine speaks for whom it names', async () => {
    const api = await world.serveOwn({ api: { keys: nobody } });
    expect((await ask(api, null, { 'x-user-id': 'user_ana' }, 'POST')).status).toBe(201);
    expect(seen(await ask(api, null))).toEqual([400, 'user_required']);
    const away = { 'x-user-id': 'user_ana', 'x-forwarded-for': '203.0.113.7' };
    expect(seen(await ask(api, null, away))).toEqual([403, 'foreign_request']);
    expect(
      seen(await ask(api, null, { 'x-user-id': 'user_ana', origin: 'https://evil.example' }, 'POST')),
    ).toEqual([403, 'cross_site']);
  });

  test('but not where people sign in: then they must', async () => {
    const api = await serve({ keys: nobody });
    expect(seen(await ask(api, null, { 'x-user-id': 'user_ana' }))).toEqual([401, 'key_required']);
    expect((await ask(api, clerk.token('user_ana'))).status).toBe(200);
  });
});

describe('the key that sessions are checked with', () => {
  test.each([
    ['is none', 'no key'],
    ['is too short', createFakeSessions(1024).jwtKey],
    ['is of another kind', ecKey()],
  ])('is refused at the start where it %s', (_, jwtKey) => {
    expect(() => createSessions(jwtKey)).toThrow('CLERK_JWT_KEY is no RSA key of 2048 bits');
  });
});

function ecKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

/** Signed with nothing, or with what everybody knows. */
function unsigned(own: FakeSessions, header: { alg: 'none' | 'HS256' }): string {
  const [head = '', body = ''] = own.token('user_ana', { header }).split('.');
  const byPublicKey = createHmac('sha256', own.jwtKey).update(`${head}.${body}`).digest('base64url');
  return [head, body, header.alg === 'none' ? 'AA' : byPublicKey].join('.');
}

/** The signature of one under the words of another. */
function swapped(own: FakeSessions): string {
  const [, body] = own.token('user_bo').split('.');
  const [head, , signature] = own.token('user_ana').split('.');
  return [head, body, signature].join('.');
}
