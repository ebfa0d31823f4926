import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childArguments } from '../support/child-arguments.ts';
import type { Result } from './command-line.ts';

/** A process that has the program loaded and runs commands one after another, each as in a process of its own. */
export interface Resident {
  readonly isFree: boolean;
  run(command: Command): { ended: Promise<Result>; kill(): void };
}

export interface Command {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  input: string | undefined;
  boundMs: number;
}

/** What resident-entry.mjs answers. */
interface Answer {
  code: number;
  /** What of the process is not as the command has found it. */
  changed: string[];
}

interface Waiting {
  mark: string;
  answer?: Answer;
  /** It has ended by itself. */
  onEnded(answer: Answer): void;
  /** And with it the process: by an exception that nobody caught, or by a signal. */
  onGone(code: number | null, signal: NodeJS.Signals | null): void;
}

let resident: Resident | undefined;

/** Started for the first command of this process, and anew after one that has ended it. It ends with this process. */
export function findResident(env: Readonly<Record<string, string>>): Resident {
  resident ??= startResident({
    env,
    onGone: () => {
      resident = undefined;
    },
  });
  return resident;
}

const entry = fileURLToPath(new URL('./resident-entry.mjs', import.meta.url));

export interface ResidentOptions {
  env: Readonly<Record<string, string>>;
  /** It is not to be asked any more. */
  onGone(): void;
  /** The address of a module, where it is another program than this one. */
  program?: string;
}

export function startResident({ env, onGone, program }: ResidentOptions): Resident {
  const planted = program === undefined ? [] : [program];
  const child = spawn(process.execPath, [...childArguments, entry, ...planted], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { out: '', err: '' };
  let waiting: Waiting | undefined;
  const look = () => {
    if (!waiting?.answer || !output.out.endsWith(waiting.mark) || !output.err.endsWith(waiting.mark)) return;
    for (const name of ['out', 'err'] as const) output[name] = output[name].slice(0, -waiting.mark.length);
    waiting.onEnded(waiting.answer);
  };
  const listen = (stream: Readable | null, name: 'out' | 'err') => {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      look();
    });
    // Nobody waits for it while no command runs; while one does, there is a bound.
    (stream as Socket | null)?.unref();
  };
  listen(child.stdout, 'out');
  listen(child.stderr, 'err');
  child.unref();
  child.channel?.unref();
  child.on('error', () => {}); // Whoever sends it something is told.
  child.on('message', (answer) => {
    if (waiting) waiting.answer = answer as Answer;
    look();
  });
  child.once('close', (code, signal) => {
    onGone();
    waiting?.onGone(code, signal);
  });
  const kill = () => {
    onGone();
    child.kill('SIGKILL');
  };

  function run({ args, boundMs, ...surroundings }: Command): Promise<Result> {
    const taken = () => {
      const { out, err } = output;
      Object.assign(output, { out: '', err: '' });
      return { out, err };
    };
    const failure = (what: string) => {
      const { out, err } = taken();
      return new Error(`tidings ${args.join(' ')} ${what}\n--- out\n${out}\n--- err\n${err}`);
    };
    return new Promise<Result>((resolve, reject) => {
      const bound = setTimeout(() => {
        kill();
        reject(failure(`has not ended in ${boundMs} ms`));
      }, boundMs);
      // Written to both outputs when the command has ended: what came before it is the command's.
      const mark = `\u0000${randomUUID()}`;
      waiting = {
        mark,
        onEnded({ code, changed }) {
          clearTimeout(bound);
          waiting = undefined;
          if (changed.length === 0) resolve({ code, signal: null, ...taken() });
          else reject(failure(`has ended with ${code} and left changed: ${changed.join(', ')}`));
        },
        onGone(code, signal) {
          clearTimeout(bound);
          resolve({ code, signal, ...taken() });
        },
      };
      child.send({ args, ...surroundings, mark }, (error) => error && reject(error));
    });
  }

  return {
    get isFree() {
      return waiting === undefined;
    },
    run: (command) => ({ ended: run(command), kill }),
  };
}
