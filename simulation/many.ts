import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Broken, Message } from './seeds.ts';
import { addCounts } from './tally.ts';

/** Many seeds, in several processes. It stops at the first promise that is broken. */
export interface Result {
  /** Seeds that were run. */
  count: number;
  broken: Broken | null;
  /** How often each fault and each arrow happened. */
  counts: Record<string, number>;
  /** What a worker held, at a few moments from its beginning to its end. */
  heapMb: number[];
  ms: number;
}

export interface Order {
  first: number;
  count: number;
  workers: number;
  /** Where `src` and `simulation` are. */
  folder: string;
  /** A run that broke a promise is told once more with less happening. */
  isToShrink?: boolean;
  onProgress?: (count: number) => void;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

export async function runMany(order: Order): Promise<Result> {
  const { first, count, workers, folder, isToShrink = false, onProgress } = order;
  const startedAt = performance.now();
  const result: Result = { count: 0, broken: null, counts: {}, heapMb: [], ms: 0 };
  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children) child.kill();
  };
  process.once('exit', end);
  const work = Array.from({ length: Math.min(workers, count) }, (_, index) => {
    const args = [first + index, count - index, workers, isToShrink ? 1 : 0].map(String);
    const child = fork(join(folder, 'simulation/seeds.ts'), args, {
      cwd: folder,
      execArgv: ['--import', 'tsx'],
      // React is slower by half where it watches over its developers.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    children.push(child);
    child.on('message', (message: Message) => {
      if (message.kind === 'broken') {
        // Of two that break, the first by number: then the same command finds the same one.
        if (!result.broken || message.seed < result.broken.seed) result.broken = message;
        end();
        return;
      }
      result.count += message.count;
      addCounts(result.counts, message.counts);
      if (index === 0) result.heapMb.push(message.heapMb);
      onProgress?.(result.count);
    });
    return new Promise<void>((resolve, reject) => {
      child.on('exit', (code, signal) => {
        // A worker that ends by itself for any other reason has proved nothing.
        if (code === 0 || (signal !== null && result.broken)) resolve();
        else reject(new Error(`a worker ended with ${signal ?? `exit code ${code}`}`));
      });
    });
  });
  try {
    await Promise.all(work);
  } finally {
    end();
    process.off('exit', end);
  }
  result.ms = performance.now() - startedAt;
  return result;
}
