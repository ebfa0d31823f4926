import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClerkUsers } from '../../src/sources/newsletters/users/clerk-users.ts';
import { openUsers } from '../../src/sources/newsletters/users/open-users.ts';
import type { FoundAddress, UserDirectory } from '../../src/sources/newsletters/users/user-directory.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { clerkKey, clerkUser, type FakeClerk, startFakeClerk } from '../support/fake-clerk.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';

let clerk: FakeClerk;
let clock: ManualClock;
let log: RecordingLog;
let users: UserDirectory;
beforeEach(async () => {
  clerk = await startFakeClerk();
  for (const id of ['user_1', 'user_2']) clerk.users.set(id, clerkUser(id));
  clock = createManualClock();
  log = createRecordingLog();
  users = directory();
});
afterEach(async () => {
  await users.close?.();
  await clerk.close();
  // Neither a key nor an address nor a user is ever in a line.
  expect(JSON.stringify(log.lines)).not.toMatch(/sk_test|@example|user_1/);
});

const directory = (more: Partial<Parameters<typeof createClerkUsers>[0]> = {}) =>
  createClerkUsers({ apiUrl: clerk.url, secretKey: clerkKey, clock, log, ...more });
const ask = async (...ids: string[]) => Object.fromEntries(await users.addressesOf(ids));
const one = async (id = 'user_1') => (await ask(id))[id] as FoundAddress;
const address = (id: string) => ({ kind: 'address', address: `${id}@example.org` });
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `user_${index}`);

/** Until the question has come: then its time begins to run out. */
async function arrived(questions: number): Promise<void> {
  for (let tries = 0; tries < 1_000 && clerk.asked.length < questions; tries++)
    await new Promise((resolve) => setTimeout(resolve, 2));
  expect(clerk.asked).toHaveLength(questions);
}

describe('002-Q-01 the address of a user, from Clerk', () => {
  test('is the primary one, if it is verified; asked with the key, once for many', async () => {
    expect(await ask('user_1', 'user_2', 'user_1')).toEqual({
      user_1: address('user_1'),
      user_2: address('user_2'),
    });
    expect(clerk.asked).toEqual([['user_1', 'user_2']]);
    expect(clerk.lastHeaders()).toMatchObject({ authorization: `Bearer ${clerkKey}` });
  });

  test.each([
    ['nobody has it', undefined, 'no_such_user'],
    [
      'it is not verified',
      {
        email_addresses: [
          { id: 'idn_user_1', email_address: 'user_1@example.org', verification: { status: 'unverified' } },
        ],
      },
      'no_verified_address',
    ],
    [
      'nobody says whether it is',
      { email_addresses: [{ id: 'idn_user_1', email_address: 'user_1@example.org', verification: null }] },
      'no_verified_address',
    ],
    ['only another one is', { primary_email_address_id: null }, 'no_verified_address'],
    ['it is a name that is none', { primary_email_address_id: 'idn_nobody' }, 'no_verified_address'],
    ['there are none', { email_addresses: [] }, 'no_verified_address'],
    ['it is no list', { email_addresses: { length: 1 } }, 'no_verified_address'],
    [
      'it is no address',
      {
        email_addresses: [
          { id: 'idn_user_1', email_address: 'x@y, z@example.org', verification: { status: 'verified' } },
        ],
      },
      'invalid_address',
    ],
    [
      'it is no text',
      {
        email_addresses: [
          { id: 'idn_user_1', email_address: ['a@example.org'], verification: { status: 'verified' } },
        ],
      },
      'invalid_address',
    ],
  ])('is none where %s', async (_, more, code) => {
    if (more === undefined) clerk.users.delete('user_1');
    else clerk.users.set('user_1', clerkUser('user_1', more));
    expect(await one()).toMatchObject({ kind: 'none', code });
    // And the other one has theirs.
    expect(await one('user_2')).toEqual(address('user_2'));
  });

  test('a hundred at a time, and no longer address than a server takes', async () => {
    for (const id of idsOf(250)) clerk.users.set(id, clerkUser(id));
    expect(Object.keys(await ask(...idsOf(250)))).toHaveLength(250);
    expect(clerk.asked.map((ids) => ids.length)).toEqual([100, 100, 50]);
    const long = idsOf(100).map((id) => `${id}_${'x'.repeat(110)}`);
    await ask(...long);
    expect(clerk.asked.slice(3).map((ids) => ids.length)).toEqual([47, 47, 6]);
  });

  test('an id that Clerk cannot read keeps nobody else from theirs', async () => {
    const found = await ask('user_1', 'auth0|7', 'user_2', 'user_3');
    expect(found).toMatchObject({
      user_1: address('user_1'),
      user_2: address('user_2'),
      'auth0|7': { kind: 'none', code: 'no_such_user' },
    });
    expect(log.lines.map(({ event }) => event)).toEqual(['users.id_rejected']);
  });

  test('a list in which somebody else stands, or somebody twice, misleads nobody', async () => {
    const others = [clerkUser('user_1'), clerkUser('user_9'), null, 7, 'user_2', { id: 3 }, []];
    clerk.fail({
      status: 200,
      body: JSON.stringify([
        ...others,
        clerkUser('user_2', { primary_email_address_id: 'idn_other' }),
        clerkUser('user_2'),
      ]),
    });
    expect(await ask('user_1', 'user_2')).toEqual({
      user_1: address('user_1'),
      user_2: expect.objectContaining({ kind: 'none', code: 'no_verified_address' }),
    });
  });
});

describe('what was answered is kept', () => {
  test('an address for five minutes, that there is none for one', async () => {
    await ask('user_1', 'user_x');
    clerk.users.set('user_1', clerkUser('user_1', { email_addresses: [] }));
    clerk.users.set('user_x', clerkUser('user_x'));
    await clock.advance(59_999);
    expect((await ask('user_1', 'user_x')).user_x).toMatchObject({ kind: 'none' });
    expect(clerk.asked).toHaveLength(1);
    await clock.advance(1);
    expect(await ask('user_1', 'user_x')).toEqual({ user_1: address('user_1'), user_x: address('user_x') });
    expect(clerk.asked[1]).toEqual(['user_x']);
    await clock.advance(240_000);
    expect(await one()).toMatchObject({ kind: 'none' });
  });

  test('of so many and no more; the oldest go first', async () => {
    await users.close?.();
    users = directory({ cachedMax: 2 });
    for (const id of ['user_1', 'user_2', 'user_3', 'user_2', 'user_1']) await one(id);
    expect(clerk.asked).toEqual([['user_1'], ['user_2'], ['user_3'], ['user_1']]);
  });
});

describe('a Clerk that is out of order: nothing is known of anybody, and it is asked later', () => {
  test.each([
    [{ status: 429, headers: { 'retry-after': '7' } }, 'users_throttled', 7_000],
    [{ status: 429, headers: { 'retry-after': 'soon' } }, 'users_throttled', 10_000],
    [{ status: 429, headers: { 'retry-after': '999999999' } }, 'users_throttled', 3_600_000],
    [{ status: 429, headers: { 'retry-after': '0' } }, 'users_throttled', 1_000],
    [{ status: 500 }, 'users_http_500', 30_000],
    [{ status: 503, headers: { 'retry-after': '120' } }, 'users_http_503', 120_000],
    [{ status: 404 }, 'users_http_404', 30_000],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'users_http_302', 30_000],
    [{ status: 204 }, 'users_http_204', 30_000],
    [{ status: 401 }, 'users_key_refused', 300_000],
    [{ status: 400 }, 'users_rejected', 30_000],
    [{ status: 200 }, 'users_not_json', 30_000],
    [{ status: 200, body: '' }, 'users_not_json', 30_000],
    [{ status: 200, body: '{"data":[]}' }, 'users_not_a_list', 30_000],
    [{ status: 200, body: 'null' }, 'users_not_a_list', 30_000],
    ['hanging up' as const, 'users_unreachable', 30_000],
    ['endless' as const, 'users_too_large', 30_000],
  ])('%j', async (failure, code, waitMs) => {
    clerk.fail(failure);
    expect(await one()).toMatchObject({ kind: 'later', code, waitMs });
    // Nobody asks until then, and afterwards all is as if nothing had been.
    const questions = clerk.asked.length;
    clerk.fail(undefined);
    await clock.advance(waitMs - 1);
    expect(await ask('user_1', 'user_2')).toMatchObject({
      user_1: { kind: 'later', waitMs: 1 },
      user_2: { kind: 'later' },
    });
    expect(clerk.asked).toHaveLength(questions);
    await clock.advance(1);
    expect(await one()).toEqual(address('user_1'));
    expect(log.lines.map(({ event, code: why }) => `${event} ${why}`)).toEqual([
      `users.unavailable ${code.replace('users_', '')}`,
    ]);
  });

  test.each(['silent', 'dribbling'] as const)('%s for ten seconds', async (failure) => {
    clerk.fail(failure);
    const answer = one();
    await arrived(1);
    await clock.advance(9_999);
    await clock.advance(1);
    expect(await answer).toMatchObject({ kind: 'later', code: 'users_timed_out', waitMs: 30_000 });
    expect(clock.nextWakeMs()).toBeUndefined();
  });

  test('nobody is there', async () => {
    await clerk.close();
    expect(await one()).toMatchObject({ kind: 'later', code: 'users_unreachable' });
    clerk = await startFakeClerk();
  });

  test('in the middle of many: those who were answered have their answer', async () => {
    for (const id of idsOf(150)) clerk.users.set(id, clerkUser(id));
    clerk.fail({ status: 500 }, { afterQuestions: 1 });
    const found = await users.addressesOf(idsOf(150));
    expect([...found.values()].filter(({ kind }) => kind === 'address')).toHaveLength(100);
    expect([...found.values()].filter(({ kind }) => kind === 'later')).toHaveLength(50);
  });
});

describe('which directory it is', () => {
  test('is decided by the key', async () => {
    const parts = { db: {} as never, clock, log };
    const found = await openUsers({ clerkSecretKey: clerkKey, clerkApiUrl: clerk.url }, parts);
    expect([found.name, (await openUsers({ clerkSecretKey: '', clerkApiUrl: '' }, parts)).name]).toEqual([
      'clerk',
      'local',
    ]);
    expect(await found.addressesOf(['user_1'])).toEqual(new Map([['user_1', address('user_1')]]));
    await found.close?.();
  });

  test('may stand behind a path', async () => {
    const behind = directory({ apiUrl: `${clerk.url}/somewhere/` });
    expect((await behind.addressesOf(['user_1'])).get('user_1')).toMatchObject({ code: 'users_http_404' });
    await behind.close?.();
  });
});
