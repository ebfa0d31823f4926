import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';

/** A Redis of its own for a test, which may flush it, kill it and start it again, empty, on the same port. */
export interface RedisServer {
  readonly url: string;
  /** One command, as a person would type it; its answer as it came. */
  ask(...words: string[]): Promise<string>;
  /** As a power cut. */
  kill(): Promise<void>;
  /** Again, after a kill; one that runs is left alone. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const program = process.env.TIDINGS_TEST_REDIS;
const libraries = process.env.TIDINGS_TEST_REDIS_LIBRARIES ?? '';

export const hasRedis = program !== undefined;

const readyWithinMs = 20_000;

export async function startRedis({
  policy = 'noeviction',
  password = '',
  others = {},
}: {
  policy?: string;
  password?: string;
  /** Of redis.conf, over those that a test has. */
  others?: Readonly<Record<string, string>>;
} = {}): Promise<RedisServer> {
  if (!program) throw new Error('TIDINGS_TEST_REDIS is not set; run the tests with npm test');
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function ask(...words: string[]): Promise<string> {
    const socket = createConnection({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'connect');
      const login = password === '' ? [] : [['AUTH', password]];
      let answer = '';
      for (const command of [...login, words]) {
        const said = once(socket, 'data');
        socket.write(
          `*${command.length}\r\n${command.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`,
        );
        answer = String((await said)[0]);
      }
      return answer;
    } finally {
      socket.destroy();
    }
  }

  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  async function start(): Promise<void> {
    if (isRunning()) return;
    const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', 'maxmemory-policy': policy };
    const dir = process.env.TIDINGS_TEST_TMP ?? tmpdir();
    const given = Object.entries({ ...settings, dir, ...others });
    const args = [...given, ...(password === '' ? [] : [['requirepass', password]])];
    child = spawn(
      program as string,
      args.flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: 'ignore', env: { ...process.env, ...(libraries !== '' && { LD_LIBRARY_PATH: libraries }) } },
    );
    for (const until = Date.now() + readyWithinMs; ; await new Promise((done) => setTimeout(done, 10))) {
      if ((await ask('PING').catch(() => '')).startsWith('+PONG')) return;
      if (Date.now() > until || child.exitCode !== null)
        throw new Error('the Redis of this test does not get ready');
    }
  }

  async function kill(): Promise<void> {
    if (!child || !isRunning()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  await start();
  return { url: `redis://127.0.0.1:${port}`, ask, kill, start, stop: kill };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}
