import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One life of a whole process as a user starts it, `tidings serve`, until it is killed or stopped. */
export interface Victim {
  readonly pid: number;
  /** Undefined until it is up, and again when it is gone. */
  readonly url: string | undefined;
  /** Resolves when it is up, or gone before it was. */
  readonly up: Promise<void>;
  /** Resolves to what ended it: nobody's kill or stop is its own doing. */
  readonly gone: Promise<End>;
  /** Without warning. */
  kill(): Promise<End>;
  /** As an operator ends it. */
  stop(): Promise<void>;
  /** Stands still where it is, as far as the system shows; or goes on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

type End = 'killed' | 'stopped' | `by itself (${string})`;

export interface VictimOrder {
  /** All its settings: nothing of this process's own. */
  env: Readonly<Record<string, string>>;
  /** Where it runs, and where its log is kept. */
  folder: string;
  name: string;
  /** Its clock is so much ahead: as on a machine that was off for a while. */
  aheadMs?: number;
}

/** Stopping takes as long as what is in flight; then it is past waiting for. */
const stopWithinMs = 20_000;

export function startVictim({ env, folder, name, aheadMs = 0 }: VictimOrder): Victim {
  const { PATH, TIDINGS_TEST_TMP } = process.env;
  const shift = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  const ahead = aheadMs === 0 ? [] : ['--import', `data:text/javascript,${encodeURIComponent(shift)}`];
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(process.execPath, [...ahead, join(root, 'scripts', 'tidings.mjs'), 'serve', '--json'], {
    cwd: folder,
    // The mark is how the test runner finds a process that was left.
    env: {
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
      ...(PATH && { PATH }),
      ...(TIDINGS_TEST_TMP && { TIDINGS_TEST_TMP }),
    },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  if (child.pid === undefined) throw new Error('a process could not be started');
  let url: string | undefined;
  let ending: 'killed' | 'stopped' | undefined;
  const gone = once(child, 'exit').then(([code, signal]): End => {
    url = undefined;
    return ending ?? `by itself (${signal ?? `exit code ${code}`})`;
  });
  const up = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').once('data', (line: string) => {
      url = (JSON.parse(line) as { url: string }).url;
      resolve();
    });
    gone.then(() => resolve());
  });

  async function end(signal: 'SIGKILL' | 'SIGTERM', as: 'killed' | 'stopped'): Promise<End> {
    if (isRunning(child)) {
      ending = as;
      child.kill(signal);
    }
    return gone;
  }

  return {
    pid: child.pid,
    get url() {
      return url;
    },
    up,
    gone,
    kill: () => end('SIGKILL', 'killed'),
    async stop() {
      const tooLate = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await end('SIGTERM', 'stopped');
      clearTimeout(tooLate);
    },
    signal: (name) => void child.kill(name),
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;
