import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

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
  const [, url] = await worker.until(/web +(\S+)\n/);
  const answers = await Promise.all(['/health', '/ready', '/'].map((path) => fetch(`${url}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(await answers[1]?.json()).toMatchObject({ checks: { runner: 'ok' } });
  worker.signal('SIGINT');
  expect(await worker.ended).toMatchObject({ code: 0, signal: null });
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
