import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { createWorld, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** Each test goes on where the last one ended. */
describe('pause and resume', () => {
  let shell: CommandLine;
  let world: World;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld('sqlite');
    await rowIn(world, 'pending', 1);
    await rowIn(world, 'sent', 2);
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const tidings = (...args: string[]) => shell.run(args, { env: { DATABASE_URL: world.url, PORT: '0' } });
  const me = userInfo().username;

  test('a pause needs a reason, and a source that exists', async () => {
    const without = await tidings('pause');
    expect([without.code, without.err]).toEqual([
      2,
      'Say why with --reason: everybody who asks why mail waits is told.\n',
    ]);
    const unknown = await tidings('pause', 'plian', '--reason', 'x');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(
      /^There is no source "plian"\. Did you mean plain\? The sources are plain, course-seats, course-seats-verification, newsletters, code-reviews;/,
    );
  });

  test('it says what is paused and how much waits', async () => {
    const { code, out } = await tidings('pause', 'plain', '--reason', 'wrong text.');
    expect([code, out]).toEqual([
      0,
      'The source plain is paused: within seconds nothing new leaves, and nothing is lost.\n1 delivery waits to be sent.\nGo on with: npx tidings resume plain\n',
    ]);
    expect(await world.db.read.selectFrom('pauses').selectAll().execute()).toEqual([
      { scope: 'plain', reason: 'wrong text.', paused_by: me, paused_at: expect.any(Number) },
    ]);
  });

  test('a second pause changes nothing and tells of the first', async () => {
    const { code, out } = await tidings('pause', 'plain', '--reason', 'another');
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^Already so\\. The source plain has been paused for .* by ${me}: wrong text\\.`),
    );
  });

  test('the list and the doctor say so, and a pause is no problem', async () => {
    const list = await tidings('deliveries', 'list');
    expect(list.out).toMatch(
      /\nThe source plain has been paused for .*: wrong text\. Go on with: npx tidings resume plain\n$/,
    );
    const doctor = await tidings('doctor');
    expect(doctor.out).toMatch(
      /· An operator \(.*\) has paused the source plain .*: wrong text\.\n +When the reason is gone: npx tidings resume plain\n/,
    );
    expect(doctor.out).not.toContain('is a worker running?');
    expect(doctor.code).toBe(0);
  });

  test('resumed, while everything is still paused', async () => {
    await tidings('pause', '--reason', 'all of it');
    const { code, out } = await tidings('resume', 'plain');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^The source plain is not paused any more\.\n1 delivery waits to be sent\.\nStill: Everything has been paused for .*: all of it\. Go on with: npx tidings resume\n$/,
    );
    const all = await tidings('resume', '--json');
    expect(JSON.parse(all.out)).toEqual({ scope: '*', isResumed: true, waiting: 1, stillPaused: [] });
    await tidings('pause', '--reason', 'again');
    expect((await tidings('resume')).out).toBe('Sending goes on.\n1 delivery waits to be sent.\n');
    expect((await tidings('resume')).out).toMatch(/^There was no pause of everything\.\n/);
  });

  test('what a source that is gone has left paused can be resumed', async () => {
    const row = { scope: 'gone', reason: 'x', paused_by: 'sql', paused_at: 1 };
    await world.db.write.insertInto('pauses').values(row).execute();
    expect((await tidings('resume', 'gone')).out).toMatch(/^The source gone is not paused any more\./);
  });
});
