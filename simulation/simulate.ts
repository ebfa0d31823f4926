import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.ts';
import { cutOf } from './cut.ts';
import { quartersOf, type Result, root, runMany } from './many.ts';
import { counted, readOptions, refuse, suggestion, wholeNumber } from './options.ts';
import { simulateOnCopy } from './planted/plant.ts';
import { plantedBugs } from './planted-bugs.ts';
import { createProgress } from './progress.ts';
import { neverHappened } from './tally.ts';
import type { Violation } from './watch.ts';

/** The engine in a world that fails, again and again, with nothing left to chance but the seed. */
const usage = `npm run simulate -- [options]
  --seeds N [--seed S]   N seeds (1,000) from S on (1); stops at the first that breaks a promise, and shortens it
  --all                  goes on behind a seed that breaks a promise, and names each
  --seed S               one seed, told in full
  --shrink               and, if it breaks a promise, once more with as little happening as it takes
  --counts               how often each fault and each arrow of the life cycle happened
  --workers N            so many processes (2), for many seeds
  --planted NAME         all that on a copy of the source that has this bug of npm run mutations
  --json                 the result as one line of JSON, and everything else on stderr
Without options: 1,000 seeds, a minute or two on two cores.
What a shrunk run was made with: --seed S --without-steps 3,7 --without-faults 12.1`;
const values = readOptions(usage, {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  workers: { type: 'string' },
  all: { type: 'boolean' },
  shrink: { type: 'boolean' },
  counts: { type: 'boolean' },
  planted: { type: 'string' },
  json: { type: 'boolean' },
  'without-steps': { type: 'string' },
  'without-faults': { type: 'string' },
});
/** For people. A program that reads stdout gets one line. */
const print = (line: string) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const printJson = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
const linesShown = 60;
/** From here on everything there is must have happened. */
const fullSize = 2_000;
const workers = wholeNumber('workers', values.workers) ?? 2;
const first = wholeNumber('seed', values.seed) ?? 1;
const count = wholeNumber('seeds', values.seeds) ?? 1_000;
const isOneSeed = values.seed !== undefined && values.seeds === undefined;
const command = `npm run simulate --${values.planted === undefined ? '' : ` --planted ${values.planted}`}`;
/** Set for the process that runs on the copy. */
const isOnCopy = process.env.TIDINGS_SIMULATE_ON_COPY !== undefined;
const cut =
  cutOf({ steps: values['without-steps'], faults: values['without-faults'] }) ??
  refuse('--without-steps needs numbers from 1, as in 3,7; --without-faults needs step.number, as in 12.1.');
refuseWhatHasNoMeaning();

if (values.planted !== undefined && !isOnCopy) await runOnCopy(values.planted);
else if (isOneSeed) await runOneSeed();
else await runSeeds();

function refuseWhatHasNoMeaning(): void {
  const isCut = cut.steps.size + cut.faults.size > 0;
  if (isCut && !isOneSeed)
    refuse('--without-steps and --without-faults are for one seed: --seed S, and no --seeds.');
  if (isOneSeed && values.workers !== undefined)
    refuse('--workers is for many seeds: add --seeds N, or leave it out.');
  if (isOneSeed && values.all) refuse('--all is for many seeds: add --seeds N, or leave it out.');
}

async function runOnCopy(name: string): Promise<void> {
  const bug = plantedBugs.find((each) => each.name === name);
  if (!bug) {
    const names = plantedBugs.map((each) => each.name);
    refuse(
      `There is no planted bug ${name}.${suggestion(name, names)} docs/proof-in-detail.md has all of them.`,
    );
  }
  print(`On a copy of the source with ${name}: ${bug.because}`);
  process.exitCode = await simulateOnCopy(bug, process.argv.slice(2));
}

async function runOneSeed(): Promise<void> {
  const { shrink: isToShrink = false, counts: areCountsAsked } = values;
  // Only here is the whole engine needed.
  const { file, remove } = await bundle(root, 'tell-seed');
  const { tellSeed }: typeof import('./tell-seed.ts') = await import(pathToFileURL(file).href);
  const { isRight, counts, ...summary } = await tellSeed({ seed: first, cut, isToShrink, command }, print);
  remove();
  if (areCountsAsked) tellCounts(counts);
  if (values.json) printJson({ ...summary, ...(areCountsAsked && { counts }) });
  process.exitCode = isRight ? 0 : 1;
}

async function runSeeds(): Promise<void> {
  const progress = createProgress(count);
  process.once('SIGINT', () => {
    progress.tellInterrupted();
    process.exit(130);
  });
  const { all: isForAll = false } = values;
  const result = await runMany({
    ...{ first, count, workers, folder: root, isForAll, isToShrink: !isForAll, onProgress: progress.show },
    // At once: the seeds before it may take an hour.
    onBroken: ({ seed, violation }) => progress.note(`Seed ${seed}: ${sentenceOf(violation)}`),
  });
  progress.end();
  const missed = result.count < fullSize || result.broken ? null : neverHappened(result.counts);
  if (values.counts) tellCounts(result.counts);
  if (result.broken) tellBroken(result.broken);
  else print(`${counted(result.count, 'seed')} kept every promise, in ${seconds(result)} s.`);
  for (const name of missed ?? []) print(`Never happened in ${counted(result.count, 'seed')}: ${name}`);
  if (values.json)
    printJson({ ...summaryOf(result, missed), ...(values.counts && { counts: result.counts }) });
  process.exitCode = result.broken || (missed ?? []).length > 0 ? 1 : 0;
}

function summaryOf(
  { count, broken, allBroken, counts, heapMb, rssMb, ms }: Result,
  missed: readonly string[] | null,
) {
  const faults = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return {
    ...{ seeds: count, broken: broken?.seed ?? null, allBroken: allBroken.map(({ seed }) => seed) },
    // Null where it was not looked at: in fewer seeds, or when one of them broke.
    ...{ missed, happenings: faults, workers, ms: Math.round(ms) },
    // Of one worker, in the second quarter of the run and in the last.
    heapMb: quartersOf(heapMb)?.map(Math.round) ?? null,
    rssMb: quartersOf(rssMb)?.map(Math.round) ?? null,
  };
}

/** Sentence and story are of the same run: a shorter one numbers its deliveries anew. */
function tellBroken({ seed, shrunk, ...whole }: NonNullable<Result['broken']>): void {
  const shown = shrunk ?? { ...whole, lines: whole.lines.slice(-linesShown), options: '' };
  for (const line of shown.lines) print(line);
  print(`Seed ${seed} broke a promise ${sentenceOf(shown.violation)}`);
  print(`Again: ${command} --seed ${seed}${shown.options}`);
  if (shown.options !== '') print(`The whole of it: ${command} --seed ${seed}`);
}

function sentenceOf({ promise, sentence }: Violation): string {
  return `(${promise}): ${sentence}`;
}

function tellCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, times] of Object.entries(counts).sort(([, a], [, b]) => b - a))
    print(`${times}\t${name}`);
}

function seconds({ ms }: Result): string {
  return (ms / 1000).toFixed(1);
}
