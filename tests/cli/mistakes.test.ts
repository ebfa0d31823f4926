import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOpenToAll } from '../support/open-to-all.ts';
import { createWorld } from '../support/world.ts';
import { type CommandLine, createCommandLine, type Result } from './command-line.ts';

const isRoot = process.getuid?.() === 0;
const entry = fileURLToPath(new URL('./entry.mjs', import.meta.url));

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

/** Exit code 2, nothing on standard output, no stack, and the folder as it was. */
function expectMistake({ code, out, err }: Result, ...lines: (string | RegExp)[]): void {
  expect(err.trimEnd().split('\n')).toEqual(
    lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  );
  expect([code, out]).toEqual([2, '']);
}

describe('words that are not understood', () => {
  test('an unknown command, with the one that was meant', async () => {
    expectMistake(
      await shell.run(['deliveries', 'shwo', '1']),
      "Unknown command 'shwo'. Did you mean show?",
      'How to use it: npx tidings deliveries --help',
    );
  });

  test('an unknown option, before anything that is missing', async () => {
    expectMistake(
      await shell.run(['send', '--too', 'ana@example.org']),
      "Unknown option '--too'. Did you mean --to?",
      'How to use it: npx tidings send --help',
    );
  });

  test('as JSON, with a code', async () => {
    const { code, out, err } = await shell.run(['deliveries', 'list', '--limit', '501', '--json']);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({
      error: expect.stringContaining('from 1 to 500'),
      code: 'invalid_argument',
    });
  });

  test('a status that does not exist, with the one that was meant', async () => {
    expectMistake(
      await shell.run(['deliveries', 'list', '--status', 'sent', '--status', 'pendign']),
      /^There is no status "pendign"\. Did you mean pending\? The statuses are pending, claimed, .*\.$/,
    );
    expect(readdirSync(shell.folder)).toEqual([]);
  });
});

test('one bad address and none of the batch is queued; the terminal is not steered by it', async () => {
  const to = ['--to', 'ana@example.org', '--to', 'bob@', '--to', 'x\u001b[2J@example.org'];
  const mail = ['send', '--subject', 'Hello', '--text', 'It works.', ...to];
  expectMistake(
    await shell.run(mail),
    '--to "bob@": Nothing stands after the @; give the whole address.',
    '--to "x\\u001b[2J@example.org": The address holds a line break or another control character; remove it.',
  );
  const { code, err } = await shell.run([...mail, '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(err)).toEqual({
    error: expect.stringContaining('bob@'),
    code: 'invalid_address',
    details: { problems: [expect.any(String), expect.any(String)] },
  });
  expect(readdirSync(shell.folder)).toEqual([]);
});

test('all mistakes of the configuration at once, with the name that was meant, and no value of any', async () => {
  writeFileSync(join(shell.folder, '.env'), 'DATABSE_URL=postgres://ana:s3cret@db/tidings\n');
  const env = { PORT: '99999', MAIL_PROVIDER: 's3cret', LOG_LEVLE: 'debug' };
  const result = await shell.run(['doctor'], { env });
  expectMistake(
    result,
    /^\.env sets DATABSE_URL, .*Did you mean DATABASE_URL\?$/,
    /^LOG_LEVLE is set, .*Did you mean LOG_LEVEL\?$/,
    'PORT must be a number from 0 to 65535.',
    'MAIL_PROVIDER must be one of capture, resend, postmark, smtp.',
  );
  expect(result.err).not.toContain('s3cret');
});

describe('a database that cannot be used', () => {
  test('one that a newer version made', async () => {
    const world = await createWorld('sqlite');
    try {
      const row = { version: 9999, name: '9999_later', checksum: 'x', applied_at: 1 };
      await world.db.transaction((tx) => tx.insertInto('schema_migrations').values(row).execute());
      const env = { DATABASE_URL: world.url, PORT: '0' };
      expectMistake(
        await shell.run(['serve'], { env }),
        /^The database is newer than this program: .*9999_later.*Start the newer version/,
      );
      // The doctor's answer is a finding, not a refusal: something is broken, and the rest is told too.
      const doctor = await shell.run(['doctor'], { env });
      expect(doctor.out).toMatch(/✗ The database .* cannot be used\. The database is newer/);
      expect(doctor.code).toBe(1);
    } finally {
      await world.close();
    }
  });

  test('a file that is none', async () => {
    writeFileSync(
      join(shell.folder, 'notes.txt'),
      'Not a database, but long enough to have had a header.\n'.repeat(99),
    );
    const env = { DATABASE_URL: 'sqlite:./notes.txt' };
    expectMistake(
      await shell.run(['migrate'], { env }),
      './notes.txt is not a SQLite database. Move that file away or set DATABASE_URL to another path.',
    );
  });

  test.skipIf(isRoot && !isOpenToAll(entry))('a folder that this user may not write to', async () => {
    // Root may write everywhere; then the command is run as nobody, who must be able to get there and look.
    const parent = [shell.folder, tmpdir(), '/tmp'].find(isOpenToAll) ?? shell.folder;
    const folder = mkdtempSync(join(isRoot ? parent : shell.folder, 'tidings-read-only-'));
    try {
      mkdirSync(join(folder, 'closed'), 0o000);
      chmodSync(folder, 0o555);
      const user = isRoot ? { user: { uid: 65_534, gid: 65_534 } } : {};
      expectMistake(
        await shell.run(['migrate'], { cwd: folder, ...user }),
        'Cannot write ./data/tidings.db. Make the file and its folder writable for this user, or set DATABASE_URL to another path.',
      );
      // The doctor asks the folder that is there, since the one of the file is not.
      const doctor = await shell.run(['doctor'], { cwd: folder, ...user });
      expect(doctor.out).toContain(`✗ It cannot be made: this user may not write to ${folder}.`);
      expect(doctor.code).toBe(1);
      // What this user may not look at is not said to be missing.
      const env = { DATABASE_URL: 'sqlite:./closed/tidings.db' };
      expectMistake(
        await shell.run(['deliveries', 'list'], { cwd: folder, env, ...user }),
        /^Cannot write \.\/closed\/tidings\.db\./,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a folder in whose place there is a file', async () => {
    writeFileSync(join(shell.folder, 'data'), '');
    expectMistake(
      await shell.run(['migrate']),
      'The folder of ./data/tidings.db cannot be made because a file stands in its way. Set DATABASE_URL to another path.',
    );
  });

  test('one in memory, which no second process can see', async () => {
    const env = { DATABASE_URL: 'sqlite::memory:' };
    expectMistake(
      await shell.run(['inbox'], { env }),
      /^DATABASE_URL=sqlite::memory: is seen by one process only/,
    );
  });

  test('what should not happen is one sentence and exit code 1; the stack is for whoever asks', async () => {
    const world = await createWorld('sqlite');
    try {
      await world.db.script('DROP TABLE delivery_events', undefined as never);
      await world.outbox.enqueue([{ source: 'plain', occasion: 'o', recipient: 'r', lane: 'normal' }]);
      const env = { DATABASE_URL: world.url };
      const brief = await shell.run(['deliveries', 'show', '1'], { env });
      expect(brief.err).toBe(
        'Something broke: no such table: delivery_events.\nLOG_LEVEL=debug shows where.\n',
      );
      expect([brief.code, brief.out]).toEqual([1, '']);
      const long = await shell.run(['deliveries', 'show', '1'], { env: { ...env, LOG_LEVEL: 'debug' } });
      expect(long.err).toMatch(/\n +at .*queries\.[jt]s/);
      expect(long.code).toBe(1);
    } finally {
      await world.close();
    }
  });
});
