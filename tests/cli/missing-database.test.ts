import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingFileOf } from '../../src/cli/missing-database.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** A question in the wrong folder must not be answered from a database that it has just made itself. */
describe('where there is no database', () => {
  let shell: CommandLine;
  let folder: string;
  beforeAll(() => {
    shell = createCommandLine();
    folder = realpathSync(shell.folder);
    writeFileSync(join(folder, 'list.csv'), 'ana@example.org\n');
  });
  afterAll(() => shell.close());

  test.each([
    'deliveries list',
    'deliveries show 1',
    'deliveries explain ana@example.org',
    'deliveries requeue 1 --reason test',
    'deliveries resolve 1 --as sent --because test',
    'reconcile list',
    'reconcile run',
    'pause --because test',
    'resume',
    'suppressions list',
    'suppressions add ana@example.org --because test',
    'suppressions remove ana@example.org --because test',
    'suppressions remove ana@example.org --unsubscribed-from plain --because test',
    'suppressions import list.csv',
    'suppressions export',
    'users set ana --email ana@example.org',
    'users import list.csv',
    'budget import list.csv',
    'notifications list',
    'inbox',
    'inbox show 1f6a9c3e',
  ])('%s refuses, and makes none', async (command) => {
    const { code, out, err } = await shell.run([...command.split(' '), '--json']);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({
      error: expect.stringContaining('There is no database at '),
      code: 'no_database',
      details: { path: join(folder, 'data', 'tidings.db') },
    });
    expect(readdirSync(folder)).toEqual(['list.csv']);
  });

  test('says where it looked, from which folder, and what to do', async () => {
    const { err } = await shell.run(['inbox']);
    expect(err.split('\n')).toEqual([
      `There is no database at ${join(folder, 'data', 'tidings.db')}, so there is nothing that this command could tell or change.`,
      `DATABASE_URL is sqlite:./data/tidings.db: from the folder you are in, ${folder}.`,
      'Go to the folder in which the server runs (npm start), or set DATABASE_URL to its database.',
      'If it was never started, start it first: npm start',
      '',
    ]);
  });

  test('of an absolute path no folder is told: another one would not help', async () => {
    const path = join(folder, 'elsewhere', 'tidings.db');
    const { code, err } = await shell.run(['inbox'], { env: { DATABASE_URL: `sqlite:${path}` } });
    expect([code, err.split('\n')]).toEqual([
      2,
      [
        `There is no database at ${path}, so there is nothing that this command could tell or change.`,
        'Set DATABASE_URL to the database of the server.',
        'If it was never started, start it first: npm start',
        '',
      ],
    ]);
  });

  test.each([
    ['migrate'],
    ['send', '--to', 'ana@example.org', '--subject', 'Hello', '--text', 'It works.', '--no-wait'],
  ])('%s makes one, and whoever asks there is answered then', async (...args) => {
    const cwd = join(folder, `made by ${args[0]}`);
    mkdirSync(cwd);
    expect(await shell.run(args, { cwd })).toMatchObject({ code: 0 });
    expect(await shell.run(['deliveries', 'list', '--json'], { cwd })).toMatchObject({ code: 0, err: '' });
  });

  test.each(['sqlite::memory:', 'sqlite://:memory:', 'sqlite:file:no-such.db', 'postgres://host/no-such'])(
    '%s is no file that could be missing',
    (url) => expect(missingFileOf(url)).toBeNull(),
  );
});
