import { quartersOf, type Result, root, runMany } from './many.ts';
import { readOptions } from './options.ts';
import { runSeed } from './run.ts';
import { cutOf, optionsOf, shrink } from './shrink.ts';
import { openStage } from './stage.ts';
import { neverHappened } from './tally.ts';

/** The engine in a world that fails, again and again, with nothing left to chance but the seed. */
const usage = `npm run simulate -- [options]
  --seeds N [--seed S]   N seeds from S on (1); stops at the first that breaks a promise
  --seed S               one seed, told in full
  --shrink               and, if it breaks a promise, once more with as little happening as it takes
  --counts               how often each fault and each arrow of the life cycle happened
  --workers N            so many processes (2)
  --json                 one line for a program
What a shrunk run was made with: --without-steps 3,7 --without-faults 12.1`;
const values = readOptions(usage, {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  workers: { type: 'string' },
  shrink: { type: 'boolean' },
  counts: { type: 'boolean' },
  json: { type: 'boolean' },
  'without-steps': { type: 'string' },
  'without-faults': { type: 'string' },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const linesShown = 60;
/** From here on everything there is must have happened. */
const fullSize = 2_000;
const workers = Number(values.workers ?? 2);
const first = Number(values.seed ?? 1);
const count = Number(values.seeds ?? (values.seed === undefined ? 1_000 : 1));
if (![workers, first, count].every((number) => Number.isSafeInteger(number) && number >= 1)) {
  process.stderr.write('--seeds, --seed and --workers need a whole number from 1.\n');
  process.exit(2);
}

if (values.seed !== undefined && values.seeds === undefined) await tellSeed(first);
else await runSeeds();

async function runSeeds(): Promise<void> {
  const onProgress = (done: number) => {
    if (done % 1_000 === 0) process.stderr.write(`${done} seeds\n`);
  };
  const result = await runMany({ first, count, workers, folder: root, isToShrink: true, onProgress });
  const missed = result.count < fullSize || result.broken ? [] : neverHappened(result.counts);
  if (values.counts) tellCounts(result);
  if (result.broken) tellBroken(result.broken);
  else print(`${result.count} seeds kept every promise, in ${seconds(result)} s.`);
  for (const name of missed) print(`Never happened in ${result.count} seeds: ${name}`);
  if (values.json) print(JSON.stringify(summaryOf(result, missed)));
  process.exitCode = result.broken || missed.length > 0 ? 1 : 0;
}

function summaryOf({ count, broken, counts, heapMb, rssMb, ms }: Result, missed: readonly string[]) {
  const faults = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return {
    ...{
      seeds: count,
      broken: broken?.seed ?? null,
      missed,
      happenings: faults,
      workers,
      ms: Math.round(ms),
    },
    // Of one worker, in the second quarter of the run and in the last.
    heapMb: quartersOf(heapMb)?.map(Math.round) ?? null,
    rssMb: quartersOf(rssMb)?.map(Math.round) ?? null,
  };
}

async function tellSeed(seed: number): Promise<void> {
  const stage = await openStage();
  const cut = cutOf({ steps: values['without-steps'] ?? '', faults: values['without-faults'] ?? '' });
  const run = await runSeed(seed, stage, cut);
  const again = await runSeed(seed, stage, cut);
  for (const line of run.lines) print(line);
  print(run.violation === null ? 'Every promise was kept.' : `Broken: ${run.violation.sentence}`);
  print(`sha256 ${run.hash}`);
  if (again.hash !== run.hash) print(`Run again, it was another run: ${again.hash}`);
  if (run.violation && values.shrink) {
    const shrunk = await shrink(run, stage);
    print('\nWith as little happening as it takes:');
    for (const line of shrunk.run.lines) print(line);
    print(`Again: npm run simulate -- --seed ${seed}${optionsOf(shrunk.cut)}`);
  }
  process.exitCode = run.violation === null && again.hash === run.hash ? 0 : 1;
}

function tellBroken({ seed, violation, lines, shrunk }: NonNullable<Result['broken']>): void {
  const { lines: shown, options } = shrunk ?? { lines: lines.slice(-linesShown), options: '' };
  for (const line of shown) print(line);
  print(`Seed ${seed} broke a promise (${violation.promise}): ${violation.sentence}`);
  print(`Again: npm run simulate -- --seed ${seed}${options}`);
  if (options !== '') print(`The whole of it: npm run simulate -- --seed ${seed}`);
}

function tellCounts({ counts }: Result): void {
  for (const [name, times] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    print(`${times}\t${name}`);
}

function seconds({ ms }: Result): string {
  return (ms / 1000).toFixed(1);
}
