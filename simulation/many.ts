import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import type { Broken, Message } from './seeds.ts';
import { addCounts } from './tally.ts';

/** Many seeds, in several processes. It stops at the first, by number, that breaks a promise, unless all of those are asked for. */
export interface Result {
  /** Seeds that kept every promise. */
  count: number;
  broken: Broken | null;
  /** All that were met, in their order. Those behind the first are looked for only where `isForAll`. */
  allBroken: Broken[];
  /** How often each fault and each arrow happened. */
  counts: Record<string, number>;
  /** What one worker held, at moments from its beginning to its end: JavaScript alone, and the whole process. */
  heapMb: number[];
  rssMb: number[];
  ms: number;
}

export interface Order {
  first: number;
  count: number;
  workers: number;
  /** Only every so many of them: 1 where nothing is said. */
  every?: number;
  /** Where `src` and `simulation` are. */
  folder: string;
  /** A run that broke a promise is told once more with less happening. */
  isToShrink?: boolean;
  /** Goes on behind a seed that breaks a promise: of a hundred thousand one wants to know each. */
  isForAll?: boolean;
  onBroken?: (broken: Broken) => void;
  onProgress?: (count: number) => void;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

export async function runMany(order: Order): Promise<Result> {
  const { first, count, workers, folder, onProgress, onBroken, every = 1 } = order;
  const { isToShrink = false, isForAll = false } = order;
  const seeds = Math.ceil(count / every);
  const startedAt = performance.now();
  const result: Result = {
    ...{ count: 0, broken: null, allBroken: [], counts: {} },
    ...{ heapMb: [], rssMb: [], ms: 0 },
  };
  const started: Worker[] = [];
  const { file, remove } = await bundle(folder, 'seeds');
  const end = () => {
    for (const { child } of started) child.kill();
  };
  process.once('exit', end);

  /** Of those that break, the first by number is told, so that the same command finds the same one: who has passed it is done. */
  function stopThoseBeyond(broken: Broken): void {
    for (const worker of started) {
      if (worker.next > broken.seed) worker.isStopped = worker.child.kill() || worker.isStopped;
    }
  }

  function take(worker: Worker, message: Message): void {
    if (message.kind === 'broken') {
      result.allBroken = [...result.allBroken, message].sort((a, b) => a.seed - b.seed);
      result.broken = result.allBroken[0] ?? null;
      onBroken?.(message);
    } else {
      worker.next += message.count * workers * every;
      result.count += message.count;
      addCounts(result.counts, message.counts);
      if (worker === started[0] && message.memory) {
        result.heapMb.push(message.memory.heapMb);
        result.rssMb.push(message.memory.rssMb);
      }
      onProgress?.(result.count);
    }
    if (result.broken && !isForAll) stopThoseBeyond(result.broken);
  }

  const work = Array.from({ length: Math.min(workers, seeds) }, async (_, index) => {
    const skipped = index * every;
    const share = [first + skipped, count - skipped, workers * every];
    const args = [...share, Number(isToShrink), Number(isForAll)].map(String);
    const child = fork(file, args, {
      cwd: folder,
      // It collects garbage before it says what it holds.
      execArgv: ['--expose-gc', '--enable-source-maps'],
      // React is slower by half where it watches over its developers.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const worker: Worker = { child, next: first + index, isStopped: false };
    started.push(worker);
    child.on('message', (message: Message) => take(worker, message));
    // Its end may be heard of before its last words: those are over with the channel.
    const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    // A worker that ends by itself for any other reason has proved nothing.
    if (code !== 0 && !worker.isStopped) {
      throw new Error(`a worker ended with ${signal ?? `exit code ${code}`}`);
    }
  });
  try {
    await Promise.all(work);
  } finally {
    end();
    process.off('exit', end);
    remove();
  }
  const looked = result.count + result.allBroken.length;
  if ((isForAll || !result.broken) && looked !== seeds) {
    throw new Error(`${seeds} seeds were to be run, and ${looked} were`);
  }
  result.ms = performance.now() - startedAt;
  return result;
}

/** Means over the second quarter of a run and over its last: what grows is a leak. Null where not every quarter was measured. */
export function quartersOf(measured: readonly number[]): [second: number, last: number] | null {
  if (measured.length < 4) return null;
  const quarter = Math.floor(measured.length / 4);
  const mean = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
  return [mean(measured.slice(quarter, 2 * quarter)), mean(measured.slice(-quarter))];
}

interface Worker {
  child: ChildProcess;
  /** All of its seeds before this one kept every promise, as far as it has told. */
  next: number;
  isStopped: boolean;
}
