import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { clerkKey } from '../support/fake-clerk.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('tidings users', (dialect) => {
  let shell: CommandLine;
  let world: World;
  let logged = '';
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld(dialect);
  });
  afterAll(async () => {
    // What operators see is not what the log sees.
    expect(
      logged.split('\n').filter((line) => line.startsWith('{') && /example\.org|user_/.test(line)),
    ).toEqual([]);
    await shell.close();
    await world.close();
  });
  const tidings = async (args: string[], env: Record<string, string> = {}) => {
    const result = await shell.run(['users', ...args], {
      env: { DATABASE_URL: world.url, PORT: '0', LOG_LEVEL: 'debug', ...env },
    });
    logged += result.err;
    return result;
  };

  test('an empty directory says how to fill it', async () => {
    const { code, out } = await tidings(['list']);
    expect([code, out]).toEqual([
      0,
      'There are no users yet. To put one in: npx tidings users set <user-id> --email <address>, or many: npx tidings users import <file>\n',
    ]);
  });

  test('a list comes in, once, and what cannot be read is named', async () => {
    const lines = Array.from({ length: 1_200 }, (_, number) => `user_${number},person-${number}@example.org`);
    const file = join(shell.folder, 'users.csv');
    writeFileSync(file, ['user_id,email,Name', ...lines, 'user_x,nobody', ''].join('\n'));
    const first = await tidings(['import', 'users.csv']);
    expect([first.code, first.out]).toEqual([
      1,
      '1201 users read: 1200 new, 0 changed, 0 as before, 1 bad.\nColumns that were not read: Name.\n',
    ]);
    expect(first.err).toContain('Line 1202: The address has no @');
    lines[7] = 'user_7,other@example.org';
    writeFileSync(file, ['user_id,email', ...lines].join('\n'));
    expect((await tidings(['import', 'users.csv'])).out).toMatch(/^1200 users read: 0 new, 1 changed, /);
    const json = JSON.parse((await tidings(['import', 'users.csv', '--json'])).out);
    expect(json).toMatchObject({ read: 1200, added: 0, changed: 0, bad: 0, isWhole: true });
  });

  test('JSON in one line: which of them is bad, who has no address, and who is there twice', async () => {
    const users = [
      { id: 5, email: 'five@example.org' },
      { id: 5, email: 'other@example.org' },
      { id: 5, email: 'five@example.org' },
      { id: 'user_none' },
      { id: 'user_new', email: 'new@example.org', verified: false },
      { id: 'a:b', email: 'x@example.org' },
    ];
    writeFileSync(join(shell.folder, 'users.json'), JSON.stringify({ users }));
    const { code, out, err } = await tidings(['import', 'users.json']);
    expect([code, out.split('\n')]).toEqual([
      1,
      [
        '6 users read: 3 new, 0 changed, 0 as before, 1 said twice, 2 bad.',
        '1 has no address: nothing is sent to them.',
        '1 has an address that is not verified: nothing is sent to them.',
        '',
      ],
    ]);
    expect(err).toContain('Line 1, entry 2: It is the user of entry 1 again, in other words; entry 1 holds.');
    expect(err).toContain('Line 1, entry 6: The user id has other than');
  });

  test('one is set, listed, found by their address and taken out', async () => {
    expect((await tidings(['set', 'user_ana', '--email', 'Ana@example.org'])).out).toBe(
      'user_ana is new: Ana@example.org.\n',
    );
    expect((await tidings(['set', 'user_ana', '--email', 'Ana@example.org'])).out).toContain(
      'was so already',
    );
    expect((await tidings(['set', 'user_ana', '--email', 'ana@example.org', '--unverified'])).out).toBe(
      'user_ana has changed: ana@example.org, not verified.\n',
    );
    const { out } = await tidings(['list', '--email', 'ANA@example.org']);
    expect(out.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['USER', 'ADDRESS', 'VERIFIED'],
      ['user_ana', 'ana@example.org', 'no'],
      [''],
    ]);
    const page = JSON.parse((await tidings(['list', '--limit', '2', '--json'])).out);
    expect([page.users.length, page.next]).toEqual([2, { after: page.users[1].userId }]);
    const next = await tidings(['list', '--limit', '1', '--after', page.next.after]);
    expect(next.out).toMatch(/More: npx tidings users list --after user_/);
    const removed = await tidings(['remove', 'user_ana']);
    expect([removed.code, removed.out]).toEqual([0, 'user_ana is taken out.\n']);
    const again = await tidings(['remove', 'user_ana']);
    expect([again.code, again.out]).toEqual([
      1,
      'There is no user "user_ana", so there is nothing to take out. Who is there: npx tidings users list\n',
    ]);
  });

  test('whoever has Clerk is told that these are not asked', async () => {
    const { out } = await tidings(['list', '--limit', '1'], { CLERK_SECRET_KEY: clerkKey });
    expect(out).toContain('CLERK_SECRET_KEY is set: addresses are asked of Clerk');
  });

  test.each([
    [['set', 'user_1'], 'Say the address with --email'],
    [['set', 'user_1', '--email', 'nobody'], 'The address has no @'],
    [['set', 'a:b', '--email', 'a@example.org'], 'A user id has 1 to 128 letters'],
    [['import', 'nowhere.csv'], 'There is no file'],
    [['list', '--limit', '0'], 'Give a whole number'],
  ])('mistakes: %j', async (args, sentence) => {
    const { code, err } = await tidings(args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
