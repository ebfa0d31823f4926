import { parseArgs } from 'node:util';
import { type Result, root, runMany, runWithout } from './many.ts';
import { type RuleOff, rulesOff } from './rules-off.ts';
import { runSeed } from './run.ts';
import { openStage } from './stage.ts';

/**
 * The engine in a world that fails, again and again, with nothing left to chance but the seed.
 *   --seeds N            seeds 1 to N, in two processes; stops at the first that breaks a promise
 *   --seed S             one seed, told in full
 *   --without RULE       the same on a copy of the source that lacks a rule: it must break
 *   --rules-off          every rule in turn
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    without: { type: 'string' },
    'rules-off': { type: 'boolean' },
    workers: { type: 'string' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const linesShown = 60;
const workers = Number(values.workers ?? 2);
const first = values.seed === undefined ? 1 : Number(values.seed);
const count = Number(values.seeds ?? (values.seed === undefined ? 1_000 : 1));
if (![workers, first, count].every((number) => Number.isSafeInteger(number) && number >= 1)) {
  fail('--seeds, --seed and --workers need a whole number from 1.');
}

if (values['rules-off']) await runRulesOff(Number(values.seeds ?? 5_000));
else if (values.without !== undefined) await runOneRule(named(values.without));
else if (values.seed !== undefined && values.seeds === undefined) await tellSeed(first);
else await runSeeds();

async function runSeeds(): Promise<void> {
  const onProgress = (done: number) => {
    if (done % 1_000 === 0) process.stderr.write(`${done} seeds\n`);
  };
  const result = await runMany({ first, count, workers, folder: root, onProgress });
  if (result.broken) return tellBroken(result, '');
  print(`${result.count} seeds kept every promise, in ${seconds(result)} s.`);
}

async function tellSeed(seed: number): Promise<void> {
  const stage = await openStage();
  const run = await runSeed(seed, stage);
  const again = await runSeed(seed, stage);
  for (const line of run.lines) print(line);
  print(run.violation === null ? 'Every promise was kept.' : `Broken: ${run.violation}`);
  print(`sha256 ${run.hash}`);
  if (again.hash !== run.hash) print(`Run again, it was another run: ${again.hash}`);
  process.exitCode = run.violation === null && again.hash === run.hash ? 0 : 1;
}

async function runOneRule(rule: RuleOff): Promise<void> {
  const result = await runWithout(rule, { first, count, workers: Math.min(workers, count) });
  tellBroken(result, ` --without ${rule.name}`);
  if (!result.broken) print(`${result.count} seeds did not notice that ${rule.name} had taken a rule away.`);
  // Here it is the silence that is a failure.
  process.exitCode = result.broken ? 0 : 1;
}

async function runRulesOff(most: number): Promise<void> {
  for (const rule of rulesOff) {
    const result = await runWithout(rule, { first: 1, count: most, workers });
    if (result.broken) {
      print(
        `${rule.name}: found by seed ${result.broken.seed}, ${seconds(result)} s: ${result.broken.violation}`,
      );
    } else {
      print(`${rule.name}: NOT FOUND in ${result.count} seeds, ${seconds(result)} s`);
      process.exitCode = 1;
    }
  }
}

function tellBroken({ broken }: Result, more: string): void {
  if (!broken) return;
  const { seed, violation, lines } = broken;
  for (const line of count === 1 ? lines : lines.slice(-linesShown)) print(line);
  print(`Seed ${seed} broke a promise: ${violation}`);
  print(`Again: npm run simulate -- --seed ${seed}${more}`);
  process.exitCode = 1;
}

function named(name: string): RuleOff {
  const rule = rulesOff.find((each) => each.name === name);
  return rule ?? fail(`There is no rule ${name}. There are: ${rulesOff.map((each) => each.name).join(', ')}`);
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function seconds({ ms }: Result): string {
  return (ms / 1000).toFixed(1);
}
