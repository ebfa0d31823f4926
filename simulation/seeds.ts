import { type Run, runSeed } from './run.ts';
import { openStage } from './stage.ts';

/** A worker: runs its share of the seeds and tells its parent how far it is and which run broke a promise. */
export type Message =
  | { kind: 'progress'; count: number }
  | { kind: 'broken'; seed: number; violation: string; lines: readonly string[] };

const [first = 1, count = 1, stride = 1] = process.argv.slice(2).map(Number);
/** Every so often a seed is run twice: the same seed must be the same run. */
const twiceEvery = 50;
const tellEvery = 25;

const tell = (message: Message) => process.send?.(message);
const stage = await openStage();
let done = 0;
for (let seed = first; seed < first + count; seed += stride) {
  const run = await runSeed(seed, stage);
  const violation = run.violation ?? (seed % twiceEvery === 0 ? await difference(run) : null);
  if (violation !== null) tell({ kind: 'broken', seed, violation, lines: run.lines });
  done += 1;
  if (done % tellEvery === 0) {
    tell({ kind: 'progress', count: done });
    done = 0;
  }
}
tell({ kind: 'progress', count: done });
await stage.db.close();
process.disconnect?.();

async function difference({ seed, hash }: Run): Promise<string | null> {
  return (await runSeed(seed, stage)).hash === hash ? null : 'the same seed gave another run';
}
