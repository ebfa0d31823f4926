import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

const review = {
  ...{ idempotency_key: 'ci-1', changelist_id: 'CL-17', review_version: 3, title: 'Cache the policy' },
  recipients: [{ email: 'ana@example.org' }, { email: 'bob@example.org', required: false }],
  findings: [{ severity: 'major', message: 'The lock is not released', file: 'src/cache.ts', line: 12 }],
};

describe('tidings reviews', () => {
  let shell: CommandLine;
  const file = (name: string, value: unknown) => {
    const path = join(shell.folder, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const run = (...args: string[]) => shell.run(['reviews', ...args]);
  beforeAll(() => {
    shell = createCommandLine();
  });
  afterAll(() => shell.close());

  test('the whole way: submitted, listed, told, shown, and refused', {
    timeout: 120_000,
  }, async () => {
    const submitted = await run('submit', '--file', file('result.json', review));
    expect([submitted.code, submitted.err]).toEqual([0, '']);
    expect(submitted.out).toMatch(
      /^Submitted\.\nJob [0-9a-f-]{36}: CL-17 version 3, queued\n {2}Cache the policy\n {2}0 of 1 who must hear of it have been told, and 0 of 1 who need not\.\n$/,
    );
    const [jobId = ''] = /[0-9a-f-]{36}/.exec(submitted.out) ?? [];

    const again = await shell.run(['reviews', 'submit', '--file', '-', '--rerun', '--json'], {
      input: JSON.stringify({ ...review, title: 'Other' }),
    });
    expect(JSON.parse(again.out)).toMatchObject({
      ...{ answer: 'duplicate_idempotency', differences: ['rerun', 'title'], job: { job_id: jobId } },
    });
    const told = await run('submit', '--file', file('result.json', { ...review, title: 'Other' }));
    expect(told.out).toContain('Known already: this key was used before.');
    expect(told.out).toContain('This request differs from it in: title. Nothing of that was done.');

    const listed = await run('list', '--state', 'queued');
    expect(listed.out).toMatch(new RegExp(`CL-17 +3 +queued +0 of 2 +(just now|\\d+ s ago) +${jobId}`));
    expect((await run('list', '--state', 'failed')).out).toContain('No such job.');
    expect((await run('dead-letters')).out).toContain('No dead letters');

    const serving = shell.start(['serve'], { env: { PORT: '0' }, boundMs: 110_000 });
    await serving.until(/Tidings is running/);
    const isTold = async () => JSON.parse((await run('show', jobId, '--json')).out).state === 'succeeded';
    await expect.poll(isTold, { timeout: 60_000 }).toBe(true);
    const shown = await run('show', jobId);
    expect(shown.out).toContain('CL-17 version 3, succeeded');
    expect(shown.out).toMatch(/ana@example\.org: sent at \S+ \[delivery \d+\]/);
    expect(JSON.parse((await run('show', jobId, '--json')).out)).toMatchObject({ findings: review.findings });
    const explained = await shell.run(['deliveries', 'explain', 'ana@example.org']);
    expect(explained.out).toContain('code-reviews: CL-17:3');
    expect(explained.out).toContain('In the built-in inbox: it came there');
    const nobody = await run('retry', jobId, '--because', 'to be sure');
    expect([nobody.code, nobody.out]).toEqual([
      0,
      expect.stringContaining('Nobody of this job waits for another try.'),
    ]);
    const refused = await run(
      'submit',
      '--file',
      file('next.json', { ...review, idempotency_key: 'ci-2', review_version: 4 }),
    );
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('as well, give --rerun.')]);
    const named = await run('retry', jobId, '--to', 'ana@example.org', '--because', 'again');
    expect([named.code, named.out]).toEqual([
      1,
      expect.stringContaining('ana@example.org: They have been told; nobody is told twice.'),
    ]);

    const url = /web\s+(\S+)/.exec((await serving.until(/web\s+(\S+)/))[0])?.[1] ?? '';
    const over = await run(
      'submit',
      '--rerun',
      '--server',
      url,
      '--json',
      '--file',
      file('next.json', { ...review, idempotency_key: 'ci-3', review_version: 5 }),
    );
    expect(JSON.parse(over.out)).toMatchObject({
      answer: 'created',
      job: { previous_version: 3, rerun: true },
    });
    const page = await run('list', '--changelist', 'CL-17', '--limit', '1');
    const more = /^More: npx tidings reviews (.*)$/m.exec(page.out)?.[1]?.split(' ') ?? [];
    expect(more.slice(0, -1)).toEqual(['list', '--changelist', 'CL-17', '--limit', '1', '--before']);
    expect((await run(...more)).out).toContain(jobId);
    const stale = await run(
      'submit',
      '--server',
      url,
      '--file',
      file('old.json', { ...review, idempotency_key: 'ci-4', review_version: 1 }),
    );
    expect([stale.code, stale.err]).toEqual([2, expect.stringContaining('at version 5 already')]);
    serving.signal('SIGTERM');
    await serving.ended;
  });

  test.each([
    ['no file', ['submit'], 'Name the file with --file'],
    [
      'a file that is not there',
      ['submit', '--file', 'none.json'],
      'There is no file "none.json". Check its name, and the folder you are in.',
    ],
    ['no reason', ['retry', '00000000-0000-4000-8000-000000000000'], 'Say why with --because'],
    ['no such job', ['show', '00000000-0000-4000-8000-000000000000'], 'There is no such review job.'],
    [
      'no server',
      ['submit', '--file', 'BAD', '--server', 'ftp://x'],
      '--server must be an http or https address',
    ],
  ])('%s', async (_, args, sentence) => {
    const good = file('good.json', { ...review, idempotency_key: 'mistakes', changelist_id: 'CL-m' });
    if (!args.includes('--server')) await run('submit', '--file', good);
    const { code, err } = await run(...args.map((arg) => (arg === 'BAD' ? good : arg)));
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test.each([
    [
      'not JSON',
      '{\n"idempotency_key": }',
      'bad.json is not JSON: it breaks at line 2, column 20; check its quotes',
    ],
    ['half of it', '{"idempotency_key": ', 'bad.json is not JSON: it ends too early;'],
    ['a list', '[]', 'The body must be an object.'],
    [
      'more than a server takes, in octets',
      { ...review, summary: '界'.repeat(1_500_000) },
      'larger than 4 MiB',
    ],
    ['a name with a slip in it', { ...review, recipient: [] }, 'Did you mean recipients?'],
    [
      'a bad address',
      { ...review, idempotency_key: 'bad', recipients: [{ email: 'x' }] },
      'recipients[0].email:',
    ],
  ])('a file with %s', async (_, text, sentence) => {
    const { code, err } = await run('submit', '--file', file('bad.json', text));
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test('of a file with several mistakes each has its line, and programs have the details', async () => {
    const bad = file('bad.json', { idempotency_key: 'bad', changelist_id: 'CL-b' });
    const missing = ['review_version', 'recipients', 'title'].map((name) => `${name} is missing.`);
    const { code, err } = await run('submit', '--file', bad);
    expect([code, err.split('\n')]).toEqual([2, [...missing, '']]);
    const json = JSON.parse((await run('submit', '--file', bad, '--json')).err);
    expect(json).toMatchObject({ error: 'review_version is missing. And 2 more: see details.' });
    expect(json.details.problems).toHaveLength(3);
  });

  test('what came by standard input is named so', async () => {
    const { code, err } = await shell.run(['reviews', 'submit', '--file', '-'], { input: '[' });
    expect([code, err]).toEqual([
      2,
      'What came by standard input is not JSON: it ends too early; check its quotes, commas and brackets.\n',
    ]);
  });
});
