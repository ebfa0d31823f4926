import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

/** The examples that need no compiler, as they would be copied. */
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const apiKey = 'service-0123456789abcdefghijklmnopqrst';
let folder: string;
let server: Server;
let asked: { body: string; key: string | undefined }[];
/** One after the other; null is a connection that breaks when the work is done. */
let said: (number | null)[];
/** How long every answer asks to wait, in seconds. */
let retryAfter: string;

beforeEach(async () => {
  folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-examples-'));
  asked = [];
  retryAfter = '0';
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ body, key: request.headers.authorization });
    const status = said.shift();
    if (status === null) request.socket.destroy();
    else response.writeHead(status ?? 599, { 'retry-after': retryAfter }).end('{"answer":"…"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  code: number;
  out: string;
  err: string;
}

function run(command: string, args: string[], env: Record<string, string>): Promise<Ran> {
  const { PATH = '', TIDINGS_TEST_TMP = tmpdir() } = process.env;
  const options = { cwd: folder, env: { PATH, TMPDIR: TIDINGS_TEST_TMP, TIDINGS_TEST_TMP, ...env } };
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, out, err) =>
      resolve({ code: error ? (child.exitCode ?? -1) : 0, out, err }),
    );
  });
}

const submit = (file: string, more: Record<string, string>) =>
  run('sh', [join(examples, 'submit-review.sh'), file], {
    TIDINGS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    TIDINGS_API_KEY: apiKey,
    TIDINGS_TRIES: '4',
    ...more,
  });
const result = (text: string, more: Record<string, string> = {}) => {
  writeFileSync(join(folder, 'result.json'), text);
  return submit('result.json', more);
};
const body = '{ "idempotency_key": "ci-1", "title": "ăîș" }';

/** Where one is missing, its tests are named as skipped. */
const has = (command: string) => spawnSync(command, ['--version']).status === 0;

describe.skipIf(!has('curl'))('submit-review.sh', () => {
  test('tries the same again, and has the answer of the last try', async () => {
    said = [null, 503, 429, 201];
    expect(await result(body)).toMatchObject({ code: 0, out: '{"answer":"…"}\n' });
    expect(asked).toEqual(Array.from({ length: 4 }, () => ({ body, key: `Bearer ${apiKey}` })));
  });

  test('gives up after so many tries', async () => {
    said = [502, 502, 502, 502];
    expect(await result(body)).toMatchObject({
      ...{ code: 1, out: '', err: 'No answer after 4 tries; the last status was 502.\n' },
    });
  });

  test.each([400, 401, 409, 422])('does not argue with a refusal: %i', async (status) => {
    said = [status];
    expect(await result(body)).toMatchObject({ code: 1, out: '', err: '{"answer":"…"}\n' });
    expect(asked).toHaveLength(1);
  });

  test('does not wait for hours: a job of CI has other things to do', async () => {
    said = [429, 201];
    retryAfter = '3600';
    expect(await result(body)).toMatchObject({
      code: 1,
      err: 'The server asks to wait for 3600 s, which is longer than 60; the last status was 429.\n',
    });
    expect(asked).toHaveLength(1);
  });

  test('needs no key where the server asks for none', async () => {
    said = [201];
    expect(await result(body, { TIDINGS_API_KEY: '' })).toMatchObject({ code: 0 });
    expect(asked).toEqual([{ body, key: undefined }]);
  });

  test('wants a key of the caller’s own', async () => {
    said = [];
    expect(await result('{ "title": "a" }')).toMatchObject({
      code: 2,
      err: expect.stringContaining('idempotency_key'),
    });
    expect(asked).toEqual([]);
  });
});

describe('ci-job.yml', () => {
  const job = parse(readFileSync(join(examples, 'ci-job.yml'), 'utf8'));
  const steps: { name?: string; run?: string; env?: Record<string, string> }[] = job.jobs.review.steps;
  const step = (name: string) => steps.find((one) => one.name === name);

  test.skipIf(!has('jq'))('writes a result that can be submitted, whatever is in a title', async () => {
    const env = {
      ...{
        CHANGE: 'shop#7',
        TITLE: 'A "title" $(touch x) `y`',
        URL: 'https://example.org/7',
        KEY: 'shop-review-1',
      },
      ...{ VERSION: '12', REVIEWERS: ' ana@example.org  bob@example.org ' },
    };
    expect(Object.keys(step('Write the result')?.env ?? {}).sort()).toEqual(Object.keys(env).sort());
    const findings = [{ severity: 'major', message: 'A float', file: 'src/pay.ts', line: 12 }];
    writeFileSync(join(folder, 'findings.json'), JSON.stringify(findings));
    const { code, err } = await run('sh', ['-e', '-c', step('Write the result')?.run ?? ''], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))).toEqual({
      ...{ idempotency_key: 'shop-review-1', changelist_id: 'shop#7', review_version: 12, rerun: true },
      recipients: [{ email: 'ana@example.org' }, { email: 'bob@example.org' }],
      ...{ title: env.TITLE, url: env.URL, findings },
    });
  });

  test('hands the key over by the environment, and to one step only', () => {
    const told = steps.filter((one) => JSON.stringify(one).includes('secrets.'));
    expect(told).toEqual([step('Tell the reviewers')]);
    expect(step('Tell the reviewers')?.run).toBe('sh submit-review.sh result.json');
  });
});
