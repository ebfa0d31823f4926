import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Address, requireAddress } from '../../src/domain/address.ts';
import { createLocalUsers, type LocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('users in the database', (dialect) => {
  let world: World;
  let users: LocalUsers;
  beforeAll(async () => {
    world = await createWorld(dialect);
    users = createLocalUsers(world);
  });
  afterAll(() => world.close());

  const user = (userId: string, more: Partial<{ email: Address | null; isVerified: boolean }> = {}) => ({
    ...{ userId, email: requireAddress(`${userId}@example.org`), isVerified: true },
    ...more,
  });

  test('are put in, changed and taken out; the last word on one holds', async () => {
    expect(await users.put([user('b'), user('a', { isVerified: false }), user('a')])).toEqual({
      added: 2,
      changed: 0,
    });
    expect(await users.put([user('a'), user('b', { email: null }), user('c')])).toEqual({
      added: 1,
      changed: 1,
    });
    expect(await users.put([])).toEqual({ added: 0, changed: 0 });
    expect(await users.list({ limit: 2 })).toEqual([user('a'), user('b', { email: null })]);
    expect(await users.list({ limit: 2, after: 'b' })).toEqual([user('c')]);
    expect([await users.find('b'), await users.find('x')]).toEqual([user('b', { email: null }), undefined]);
    expect([await users.remove('c'), await users.remove('c')]).toEqual([true, false]);
    await expect(users.put([user('d'), { ...user('e'), userId: 'e:f' }])).rejects.toMatchObject({
      code: 'invalid_user',
    });
    expect(await users.find('d')).toBeUndefined();
  });

  test('everybody who is asked for has an answer', async () => {
    await users.put([user('v'), user('u', { isVerified: false }), user('n', { email: null })]);
    await world.db.write
      .insertInto('users')
      .values({ user_id: 'bad', email: 'a@b, c@example.org', is_verified: 1, updated_at: 1 })
      .execute();
    const found = await users.addressesOf(['v', 'u', 'n', 'bad', 'nobody', 'v']);
    expect(Object.fromEntries(found)).toEqual({
      v: { kind: 'address', address: 'v@example.org' },
      u: expect.objectContaining({ kind: 'none', code: 'no_verified_address' }),
      n: expect.objectContaining({ kind: 'none', code: 'no_verified_address' }),
      bad: expect.objectContaining({ kind: 'none', code: 'invalid_address' }),
      nobody: expect.objectContaining({ kind: 'none', code: 'no_such_user' }),
    });
    expect(await users.addressesOf([])).toEqual(new Map());
  });

  test('are found by their address, however it is written', async () => {
    await users.put([
      user('x1', { email: requireAddress('Maria@example.org') }),
      user('x2', { email: requireAddress('maria@example.org') }),
    ]);
    expect(await users.usersAt?.(requireAddress('MARIA@example.org'), 9)).toEqual(['x1', 'x2']);
    expect(await users.usersAt?.(requireAddress('maria@example.org'), 1)).toEqual(['x1']);
    expect(await users.usersAt?.(requireAddress('other@example.org'), 9)).toEqual([]);
  });

  test('two imports of the same users at once end with each user once', async () => {
    const many = Array.from({ length: 300 }, (_, number) => user(`m${number}`));
    const [one, other] = await Promise.all([users.put(many), users.put(many.toReversed())]);
    expect(
      await users
        .list({ limit: 500, after: 'l' })
        .then((rows) => rows.filter(({ userId }) => /^m\d/.test(userId)).length),
    ).toBe(300);
    // On PostgreSQL both may have seen nobody there; neither waits for the other in a circle.
    expect((one?.added ?? 0) + (other?.added ?? 0)).toBeGreaterThanOrEqual(300);
  });
});
