import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childArguments } from '../support/child-arguments.ts';
import { findResident } from './resident.ts';

/** The real command line, in a folder of its own. */
export interface CommandLine {
  /** The working folder of the processes. */
  readonly folder: string;
  /** By the resident process, unless it needs one of its own. */
  run(args: string[], options?: RunOptions): Promise<Result>;
  /** In a process of its own. */
  start(args: string[], options?: RunOptions): Running;
  /** Ends whatever still runs, and deletes the folder. */
  close(): Promise<void>;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** A file in place of the pipe that is read from. */
  outputTo?: string;
  user?: { uid: number; gid: number };
  /** For what others are run beside; each of them may take seconds on a busy machine. */
  boundMs?: number;
  /** Another one than this project's. */
  program?: string;
  /** In a process of its own, as whoever types it starts one. */
  isAlone?: boolean;
}

export interface Result {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface Running {
  /** Resolves with what matched, as soon as it is in the output; rejects when the process ends without it. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  /** Reads no more of its output, as `head` does. */
  hangUp(): void;
  readonly ended: Promise<Result>;
}

/** A start takes under a second; with both cores busy, several. */
const usualBoundMs = 90_000;
const entry = fileURLToPath(new URL('./entry.mjs', import.meta.url));
// In a folder of its own a process would not find it, and read .tsx files in another way.
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

export function createCommandLine(): CommandLine {
  const root = process.env.TIDINGS_TEST_TMP ?? tmpdir();
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, 'tidings-cli-'));
  const running = new Set<{ ended: Promise<Result>; kill(): void }>();
  const remember = ({ ended, kill }: { ended: Promise<Result>; kill(): void }) => {
    const one = { ended, kill };
    running.add(one);
    ended.finally(() => running.delete(one)).catch(() => {});
    return ended;
  };

  function run(args: string[], options: RunOptions = {}): Promise<Result> {
    const { env, cwd = folder, input, boundMs = usualBoundMs } = options;
    const resident = needsOwnProcess(args, options) ? undefined : findResident(environment());
    if (!resident?.isFree) return start(args, options).ended;
    return remember(resident.run({ args, env: { ...environment(), ...env }, cwd, input, boundMs }));
  }

  function start(args: string[], options: RunOptions = {}): Running {
    const { env, cwd = folder, input, outputTo, user, boundMs = usualBoundMs, program = entry } = options;
    const output = outputTo === undefined ? 'pipe' : openSync(outputTo, 'w');
    const child = spawn(process.execPath, [...childArguments, program, ...args], {
      cwd,
      env: { ...environment(), ...env },
      stdio: ['pipe', output, 'pipe'],
      ...user,
    });
    if (output !== 'pipe') closeSync(output);
    const started = watch(child, args, boundMs);
    remember({ ended: started.ended, kill: () => started.signal('SIGKILL') });
    child.stdin?.on('error', () => {}); // It may end before it has read its input.
    child.stdin?.end(input);
    return started;
  }

  return {
    folder,
    start,
    run,
    async close() {
      for (const { kill } of running) kill();
      await Promise.allSettled([...running].map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What stops and what is stopped by signals, what is written elsewhere, and what node itself reads before it begins. */
function needsOwnProcess(
  args: string[],
  { isAlone, program, user, outputTo, env = {} }: RunOptions,
): boolean {
  const isOfNode = Object.keys(env).some((name) => name.startsWith('NODE_'));
  // What the queues are made with leaves something on the global object when it is loaded.
  const hasQueues = env.JOBS_ENABLED === 'true';
  const isUnlikeOthers = isOfNode || hasQueues || args[0] === 'serve';
  return isAlone === true || [program, user, outputTo].some(Boolean) || isUnlikeOthers;
}

/** Nothing of the developer's own settings, nor of a server that they have running; and the mark by which the test runner finds a process that was left. */
function environment(): Record<string, string> {
  const kept = ['PATH', 'TIDINGS_TEST_TMP', 'TIDINGS_TEST_BUILT'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), TSX_DISABLE_CACHE: '1', TSX_TSCONFIG_PATH: tsconfig, PORT: '0' };
}

function watch(child: ChildProcess, args: string[], boundMs: number): Running {
  const output = { out: '', err: '' };
  const watchers = new Set<() => void>();
  const listen = (stream: Readable | null, name: 'out' | 'err') => {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of watchers) look();
    });
  };
  listen(child.stdout, 'out');
  listen(child.stderr, 'err');
  const failure = (what: string) =>
    new Error(`tidings ${args.join(' ')} ${what}\n--- out\n${output.out}\n--- err\n${output.err}`);
  const ended = new Promise<Result>((resolve, reject) => {
    const bound = setTimeout(() => {
      child.kill('SIGKILL');
      reject(failure(`has not ended in ${boundMs} ms`));
    }, boundMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(bound);
      resolve({ code, signal, ...output });
    });
  });
  return {
    ended,
    signal: (name) => void child.kill(name),
    hangUp: () => void child.stdout?.destroy(),
    async until(pattern) {
      const seen = new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const match = pattern.exec(output.out) ?? pattern.exec(output.err);
          if (match) resolve(match);
        };
        watchers.add(look);
        look();
      });
      const gone = ended.then(({ code, signal }) => {
        throw failure(`ended with ${signal ?? code} before it said ${pattern}`);
      });
      return Promise.race([seen, gone]);
    },
  };
}
