import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { startLossyProxy } from './lossy-proxy.ts';

/** `tidings reviews submit --server`, which goes by the client. */
let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

const key = 'operator-0123456789abcdefghijklmnopqr';
const review = {
  ...{ idempotency_key: 'ci-1', changelist_id: 'shop#7', review_version: 3, title: 'Pay by card' },
  recipients: [{ email: 'ana@example.org' }],
};
const submit = (server: string, env: Record<string, string> = {}) =>
  shell.run(['reviews', 'submit', '--file', '-', '--server', server, '--json'], {
    env: { TIDINGS_API_KEY: key, ...env },
    input: JSON.stringify(review),
  });

test('a lost answer is one job, and a wrong key is the caller’s mistake', async () => {
  const server = shell.start(['serve'], { env: { PORT: '0', OPERATOR_API_KEY: key }, boundMs: 120_000 });
  const [, url = ''] = await server.until(/web +(\S+)\n/);
  const wire = await startLossyProxy(url);
  wire.loseAnswers(1);
  const { code, out, err } = await submit(wire.url);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ answer: 'duplicate_idempotency', differences: [] });
  expect(wire.asked.map(({ status }) => status)).toEqual([201, 200]);
  await wire.close();

  const wrong = await submit(url, { TIDINGS_API_KEY: 'wrong-0123456789abcdefghijklmnopqrstuv' });
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(wrong.err)).toMatchObject({ code: 'key_required' });
});

test('a server that is none is the caller’s mistake', async () => {
  const { code, err } = await submit('tidings');
  expect(code).toBe(2);
  expect(JSON.parse(err)).toEqual({
    error: '--server must be an http or https address such as https://tidings.example.org.',
    code: 'invalid_server',
  });
});
