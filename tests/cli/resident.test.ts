import { realpathSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { type Resident, startResident } from './resident.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

describe('what the resident process says is what a process of its own says', () => {
  test.each([
    '--version',
    '--help',
    'deliveries --help',
    'nonsense',
    'migrate',
    'deliveries list --json',
    'reconcile list',
    'pause',
    'suppressions import -',
    'seats status --json',
    'trigger newsletter_entity_yearly --period 2024 --dry-run',
    'runs list',
    'budget show 4305857',
    'users import - --json',
    'notifications list',
    'reviews submit --file -',
    'inbox',
    'send-test --to ana@example.org',
  ])('%s', async (words) => {
    const args = words.split(' ');
    const world = await createWorld('sqlite');
    try {
      const options = {
        env: { DATABASE_URL: world.url, LOG_LEVEL: 'debug', SOC_BASE_URL: 'off' },
        input: 'user,address\nana,\u00e4na@example.org\nbob,nobody\n',
      };
      const alone = await shell.run(args, { ...options, isAlone: true });
      expect(await shell.run(args, options)).toEqual(alone);
      expect(alone.out + alone.err).not.toBe('');
    } finally {
      await world.close();
    }
  });
});

describe('a command in the resident process', () => {
  let resident: Resident;
  let isGone: boolean;
  let kill: () => void;
  beforeEach(() => {
    isGone = false;
    const env = { PATH: process.env.PATH ?? '', TIDINGS_TEST_TMP: process.env.TIDINGS_TEST_TMP ?? '' };
    const onGone = () => {
      isGone = true;
    };
    resident = startResident({ env, onGone, program: new URL('planted-program.mjs', import.meta.url).href });
  });
  afterEach(() => kill());
  const run = (
    name: string,
    more: { input?: string; env?: Record<string, string>; boundMs?: number } = {},
  ) => {
    const { input, env = {}, boundMs = 60_000 } = more;
    const running = resident.run({ args: [name, '--json'], env, cwd: shell.folder, input, boundMs });
    kill = running.kill;
    return running.ended;
  };
  const fine = { code: 0, signal: null, out: '', err: '' };

  test('has surroundings of its own, and nothing of the one before', async () => {
    const first = await run('tell', { input: '\u00e4'.repeat(100_000), env: { PORT: '7' } });
    expect(first).toMatchObject({ code: 0, signal: null, err: 'And to the other side: ä.' });
    const told = JSON.parse(first.out);
    expect(told).toEqual({
      ...{ cwd: realpathSync(shell.folder), args: ['tell', '--json'], signs: 100_000 },
      ...{ env: { PORT: '7', NODE_ENV: 'production' }, pid: expect.any(Number) },
    });
    const second = JSON.parse((await run('tell')).out);
    expect(second).toMatchObject({ env: { NODE_ENV: 'production' }, signs: 0 });
    expect(second.pid).not.toBe(told.pid);
  });

  test('has ended when nothing keeps its process alive any more', async () => {
    expect(await run('linger')).toEqual({ ...fine, out: 'At last.' });
    await expect(run('stay', { boundMs: 1_000 })).rejects.toThrow(
      'tidings stay --json has not ended in 1000 ms',
    );
    expect(isGone).toBe(true);
  });

  test.each([
    ['hang', 13, /^$/],
    ['fail', 1, /Error: Nobody has caught this\.\n +at /],
    ['exit', 3, /^$/],
  ])('may end its process as well: %s', async (name, code, err) => {
    expect(await run(name)).toEqual({ ...fine, code, err: expect.stringMatching(err) });
    expect(isGone).toBe(true);
  });

  test.each([
    ['listen', 'the listeners of the process'],
    ['rename', 'the environment'],
    ['move', 'the working folder'],
    ['claim', 'the globals'],
  ])('that leaves something behind has failed: %s', async (name, what) => {
    await expect(run(name)).rejects.toThrow(
      `tidings ${name} --json has ended with 0 and left changed: ${what}`,
    );
  });

  test('is heard also where Node speaks past its streams', async () => {
    expect((await run('warn')).err).toMatch(/Warning: Take care\./);
  });
});
