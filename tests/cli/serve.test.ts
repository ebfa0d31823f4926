import { once } from 'node:events';
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

test('a second signal ends it where it stands', async () => {
  const server = shell.start(['serve', '--json'], {
    env: { PORT: '0', PROCESS_ROLE: 'api', LOG_LEVEL: 'error' },
  });
  const [text] = await server.until(/\{[^}]*\}\n/);
  const { url, role, database, provider } = JSON.parse(text);
  expect({ role, database, provider }).toEqual({
    role: 'api',
    database: 'sqlite:./data/tidings.db',
    provider: 'capture',
  });
  const socket = await beginRequest(url);
  server.signal('SIGINT');
  await expectRefused(url);
  server.signal('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 1, signal: null, err: '' });
  socket.destroy();
});

/** From source, nothing is built. */
test.runIf(process.env.TIDINGS_TEST_BUILT === '1')('goes on when it is built anew under it', async () => {
  const copy = join(shell.folder, 'program');
  for (const name of ['dist', 'package.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const program = join(copy, 'start.mjs');
  const start =
    "const { run } = await import('./dist/cli/cli.js'); process.exitCode = await run(process.argv.slice(2));";
  writeFileSync(program, start);
  const server = shell.start(['serve'], { program, env: { PORT: '0', NODE_ENV: 'production' } });
  const [, url = ''] = await server.until(/web +(\S+)\n/);
  rmSync(join(copy, 'dist'), { recursive: true });
  const variables = { subject: 'Hello', text: 'It works.' };
  const answer = await fetch(`${url}/api/v1/intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ occasion: 'o', to: 'ann@example.org', variables }),
  });
  expect(answer.status).toBe(201);
  await expect
    .poll(async () => (await fetch(`${url}/api/v1/inbox`)).text(), { timeout: 10_000 })
    .toContain('Hello');
  server.signal('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
});

test('the same Ctrl-C once more, as npm passes it on, is no second signal', async () => {
  const server = shell.start(['serve'], { env: { PORT: '0' } });
  const [, url = ''] = await server.until(/web +(\S+)\n/);
  const socket = await beginRequest(url);
  server.signal('SIGINT');
  await server.until(/SIGINT: finishing/);
  server.signal('SIGINT');
  socket.destroy();
  expect(await server.ended).toMatchObject({
    code: 0,
    signal: null,
    out: expect.stringMatching(/Stopped\.\n$/),
  });
});

test('a worker answers how it is, and nothing else', async () => {
  const worker = shell.start(['serve'], { env: { PORT: '0', PROCESS_ROLE: 'worker' } });
  const [, url] = await worker.until(/health +(\S+)\/health\n/);
  const answers = await Promise.all(['/health', '/ready', '/'].map((path) => fetch(`${url}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(await answers[1]?.json()).toMatchObject({ checks: { runner: 'ok' } });
  worker.signal('SIGINT');
  const { code, signal, out } = await worker.ended;
  expect([code, signal]).toEqual([0, null]);
  // It has no pages, and its own terminal is not where somebody tries it.
  expect(out).not.toMatch(/^ +web |Try in/m);
});

/** A request that does not end keeps the stop waiting, up to its bound. */
async function beginRequest(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
  // The server has read what came before when it answers what comes after.
  expect((await fetch(`${url}/health`)).status).toBe(200);
  return socket;
}

/** It stops listening as soon as it has seen the signal. */
async function expectRefused(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/health`, { headers: { connection: 'close' } })).text();
    } catch {
      return;
    }
  }
}
