import { optionsOf } from './cut.ts';
import { runSeed } from './run.ts';
import type { Run } from './run-world.ts';
import { shrink } from './shrink.ts';
import { openStage } from './stage.ts';
import { addCounts } from './tally.ts';
import type { Violation } from './watch.ts';

/** A worker: runs its share of the seeds and tells its parent how far it is and which run broke a promise. */
export type Message = Progress | Broken;

export interface Progress {
  kind: 'progress';
  count: number;
  counts: Readonly<Record<string, number>>;
  /** Measured now and then, and at the end. */
  memory: Memory | null;
}

export interface Memory {
  /** What JavaScript holds after a collection. */
  heapMb: number;
  /** What the whole process holds then: SQLite is in here alone. */
  rssMb: number;
}

export interface Broken {
  kind: 'broken';
  seed: number;
  violation: Violation;
  lines: readonly string[];
  /** With less happening, if it was to be shrunk: the same promise, broken in words of its own. */
  shrunk: { violation: Violation; lines: readonly string[]; options: string } | null;
}

const [first = 1, count = 1, stride = 1, isToShrink = 0, isForAll = 0] = process.argv.slice(2).map(Number);
/** Every so often a seed is run twice: the same seed must be the same run. Of every kind of run there are some. */
const twiceEvery = 35;
const tellEvery = 25;
/** Rarely: after some full collections V8 throws away what it has compiled, and a sixth of the time goes into doing it again. */
const measureEvery = 250;

const tell = (message: Message) => process.send?.(message);
const hasParent = process.connected;
const stage = await openStage();
let done = 0;
let doneInAll = 0;
let counts: Record<string, number> = {};
for (let seed = first; seed < first + count; seed += stride) {
  // Whoever wanted to know is gone, and nobody else ends this.
  if (hasParent && !process.connected) process.exit(1);
  const run = await runSeed(seed, stage);
  addCounts(counts, run.counts);
  const violation = run.violation ?? (seed % twiceEvery === 0 ? await difference(run) : null);
  if (violation !== null) {
    tell({ kind: 'broken', seed, violation, lines: run.lines, shrunk: await shrunk(run) });
    if (isForAll === 0) break;
    continue;
  }
  done += 1;
  doneInAll += 1;
  if (done % tellEvery === 0) tellProgress(doneInAll % measureEvery === 0);
}
tellProgress(true);
await stage.db.close();
process.disconnect?.();

function tellProgress(isMeasured: boolean): void {
  tell({ kind: 'progress', count: done, counts, memory: isMeasured ? measureMemory() : null });
  done = 0;
  counts = {};
}

function measureMemory(): Memory {
  // Without it garbage would be counted, and a leak could hide in it.
  if (!globalThis.gc) throw new Error('A worker needs --expose-gc, as many.ts starts it.');
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}

async function shrunk(run: Run): Promise<Broken['shrunk']> {
  if (isToShrink === 0 || run.violation === null) return null;
  const { run: shorter, cut } = await shrink(run, stage);
  return { violation: shorter.violation ?? run.violation, lines: shorter.lines, options: optionsOf(cut) };
}

async function difference({ seed, hash }: Run): Promise<Violation | null> {
  if ((await runSeed(seed, stage)).hash === hash) return null;
  return { promise: 'the same run', sentence: 'the same seed gave another run' };
}
