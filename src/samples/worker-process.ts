import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * A worker as a process of its own, so that it can be killed while the pages live. Whenever it dies, another is started; when this process
 * dies, however, it hears that its line is cut, and stops.
 */
export interface WorkerProcess {
  /** Null between two lives: until the next one has started, and says so. */
  pid(): number | null;
  tell(message: WorkerMessage): void;
  /** SIGKILL, as a power cut would: nothing is said goodbye to. Answers who it was. */
  kill(): number | null;
  stop(): Promise<void>;
}

/** Which section of the sample campus is held open, or is left to itself again. */
export type WorkerMessage = { open: string } | { release: string };

export interface WorkerOrder {
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  clock: Clock;
  log: Log;
  onStarted: () => void;
}

const restartMs = 300;
/** One that dies again and again must not take the whole machine for it. */
const restartLongestMs = 10_000;
const longLivedMs = 10_000;
/** Longer than whatever is in flight may take. */
const stopWithinMs = 30_000;

export function keepWorker(order: WorkerOrder): WorkerProcess {
  const { command, clock, log, onStarted } = order;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let started: ChildProcess | undefined;
  let waitMs = restartMs;

  async function live(): Promise<void> {
    while (!stopping.signal.aborted) {
      const bornAt = clock.monotonic();
      const [program, ...args] = command;
      const own = spawn(program, args, {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        // A Ctrl-C goes to the whole group of the terminal: it must not end what is told to finish.
        detached: true,
      });
      child = own;
      own.on('error', (error) => log.error('samples.worker_not_started', { error }));
      own.once('message', () => {
        started = own;
        onStarted();
      });
      const { code, signal } = await ended(own);
      child = undefined;
      if (stopping.signal.aborted) return;
      log.warn('samples.worker_died', { code, signal });
      waitMs = clock.monotonic() - bornAt > longLivedMs ? restartMs : Math.min(waitMs * 2, restartLongestMs);
      await clock.sleep(waitMs, stopping.signal);
    }
  }
  const living = live();

  return {
    pid: () => (child && child === started && !child.killed ? (child.pid ?? null) : null),
    tell(message) {
      if (child?.connected) child.send(message, () => {});
    },
    kill() {
      const pid = child?.pid ?? null;
      child?.kill('SIGKILL');
      return pid;
    },
    async stop() {
      stopping.abort();
      child?.kill('SIGTERM');
      const bound = new AbortController();
      void clock.sleep(stopWithinMs, bound.signal).then(() => bound.signal.aborted || child?.kill('SIGKILL'));
      await living;
      bound.abort();
    },
  };
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}
