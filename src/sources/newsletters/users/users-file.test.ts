import { describe, expect, test } from 'vitest';
import { readUsersFile } from './users-file.ts';

async function read(...chunks: string[]) {
  const ignored = new Set<string>();
  async function* pieces() {
    yield* chunks;
  }
  const records = [];
  for await (const record of readUsersFile(pieces(), ignored)) records.push(record);
  return { records, ignored: [...ignored] };
}

const ana = { userId: 'user_1', email: 'ana@example.org', isVerified: true };
const users = async (...chunks: string[]) =>
  (await read(...chunks)).records.map((record) => ('user' in record ? record.user : record.problem));

describe('a list of users', () => {
  test.each([
    ['with a header', 'user_id,email\nuser_1,ana@example.org\n'],
    ['with another header, and other columns', 'Name;Email Address;User ID\nAna;ana@example.org;user_1'],
    ['without a header', 'user_1,ana@example.org'],
    ['without a header, and it says so', 'user_1,ana@example.org,true'],
    ['with a mark at its beginning', '\ufeffid\temail\r\nuser_1\tana@example.org\r\n'],
    ['as JSON', '[{"userId":"user_1","email":"ana@example.org","verified":true}]'],
    ['as JSON lines', '{"id":"user_1","email":"ana@example.org"}\n\n'],
    ['as a list in an object', '{ "users": [{"id":"user_1","email":"ana@example.org"}], "total": 1 }'],
    ['as one of many lines', '\ufeff{\n  "Users" : [\n{"id":"user_1",\n"email":"ana@example.org"}\n]\n}\n'],
  ])('%s', async (_, text) => {
    expect(await users(text)).toEqual([ana]);
    // However it comes in.
    expect(await users(...text)).toEqual([ana]);
  });

  test("is Clerk's own export", async () => {
    const header =
      'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses';
    const lines = [
      'user_1,Ana,B,,ana@example.org,,other@example.org|ana@example.org,',
      'user_2,Bo,C,,bo@example.org,,,bo@example.org',
      'user_3,Cy,D,,,,,',
    ];
    expect(await read([header, ...lines].join('\n'))).toMatchObject({
      records: [
        { line: 2, user: ana },
        { line: 3, user: { userId: 'user_2', email: 'bo@example.org', isVerified: false } },
        { line: 4, user: { userId: 'user_3', email: null, isVerified: false } },
      ],
      ignored: ['first_name', 'last_name', 'username', 'primary_phone_number', 'unverified_email_addresses'],
    });
  });

  test('says what cannot be read, without an address or an id, and goes on', async () => {
    const { records } = await read(
      [
        'user_id,email,verified',
        'a:b,ana@example.org,',
        'user_2,none,',
        'user_3,c@example.org,perhaps',
        'user_1,ana@example.org,yes',
      ].join('\n'),
    );
    expect(records.map((record) => ('problem' in record ? record.problem : record.user.userId))).toEqual([
      expect.stringMatching(/^The user id has other than 1 to 128 letters/),
      expect.stringMatching(/^The address has no @/),
      'Whether it is verified must be true or false.',
      'user_1',
    ]);
    expect(await users('[7, {"email": 3}, {"userId":"user_1","email":"ana@example.org"}, {"x"]')).toEqual([
      expect.stringMatching(/^This is no object/),
      'The user id is missing.',
      ana,
      expect.stringMatching(/not JSON|not closed/),
    ]);
  });

  test('in one line says which of them it is', async () => {
    const { records } = await read(
      '[{"id":"a","email":"a@example.org"},{"id":"b","email":"none"},{"id":"c:d"}]',
    );
    expect(records.map(({ line, number }) => `${line}/${number}`)).toEqual(['1/1', '1/2', '1/3']);
    const inObject = await read('{"users":\n[{"id":"a:b"}]}');
    expect(inObject.records).toMatchObject([{ line: 2, number: 1, problem: expect.anything() }]);
  });

  test('of users that are numbered is read, as far as JSON keeps numbers', async () => {
    expect(
      await users('[{"id":5,"email":"ana@example.org"},{"id":12345678901234567890},{"id":true}]'),
    ).toEqual([
      { userId: '5', email: 'ana@example.org', isVerified: true },
      'The user id is a number that JSON does not keep; write it as a text.',
      expect.stringMatching(/^The user id has other/),
    ]);
  });

  test('that is broken JSON is told so, and one that is wrapped otherwise too', async () => {
    for (const text of ['users: [{"id": 1}]', '"users": [{"id": 1}]\n'])
      await expect(read(text)).rejects.toMatchObject({
        ...{
          code: 'not_json',
          message: expect.stringMatching(/^This looks like JSON and is none\. Give a list/),
        },
      });
    expect(await users('{"total":1,"users":[{"id":1,"email":"ana@example.org"}]}')).toEqual([
      expect.stringMatching(/^This is an object around a list; give the list itself/),
    ]);
  });

  test('whose columns nobody knows is refused', async () => {
    await expect(read('name,phone\nAna,1\n')).rejects.toMatchObject({ code: 'unknown_columns' });
    await expect(read('user_id,phone\nAna,1\n')).rejects.toMatchObject({ code: 'unknown_columns' });
    expect(await users('')).toEqual([]);
  });
});
