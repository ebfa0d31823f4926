import { counted, readOptions, someOf, wholeNumber } from './options.ts';
import { runClean, runPlanted } from './planted/plant.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';
import { promises } from './promises.ts';
import type { Broken } from './seeds.ts';

/**
 * Every planted bug in a copy of the source of its own, until a seed breaks a promise: a bug that no seed notices is a hole in
 * the simulator, and one whose patch no longer applies proves nothing. Either fails the run. So does a simulator that raises an
 * alarm about the source as it is: an alarm counts only where the same seed is quiet without the bug.
 */
const usage = `npm run mutations -- [options]
  --only NAME,NAME     these alone
  --seeds N            seeds 1 to N for each (1000)
  --workers N          so many bugs at a time (2)
  --story              and what happened in the run that broke a promise, with the commands that show it again and shorten it
  --json               the result as one line of JSON, and everything else on stderr`;
const values = readOptions(usage, {
  only: { type: 'string' },
  seeds: { type: 'string' },
  workers: { type: 'string' },
  story: { type: 'boolean' },
  json: { type: 'boolean' },
});

/** What came of one bug. */
interface Finding {
  name: string;
  rule: string;
  /** The first that noticed. Null where none did, or where it could not be run. */
  seed: number | null;
  seconds: number;
  /** The promise that was broken, by its name. Null where there is no seed. */
  promise: string | null;
  /** How it was broken, or why nothing can be said. */
  what: string;
  lines: readonly string[];
}

const seeds = wholeNumber('seeds', values.seeds) ?? 1_000;
const workers = wholeNumber('workers', values.workers) ?? 2;
const controlSeeds = 20;
const chosen = values.only === undefined ? plantedBugs : named(values.only);
const table = values.json ? process.stderr : process.stdout;
const nameWidth = Math.max(...chosen.map(({ name }) => name.length));
const ruleWidth = Math.max(...chosen.map(({ rule }) => rule.length));
const promiseWidth = Math.max(...Object.keys(promises).map((name) => name.length));

// Whoever is interrupted leaves no copy behind, and no worker: that is done on the way out.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

await refuseFalseAlarms();
const findings: Finding[] = [];
const waiting = [...chosen];
const startedAt = performance.now();
// Side by side, and the seeds of each one after the other: so the seed that is named is the first that notices.
await Promise.all(Array.from({ length: Math.min(workers, waiting.length) }, runOneByOne));
tellEnd();

/** An alarm about a source that has no planted bug would make every bug look caught. */
async function refuseFalseAlarms(): Promise<void> {
  const { broken } = await runClean({ first: 1, count: controlSeeds, workers: 1 });
  if (!broken) return;
  const { seed, violation } = broken;
  process.stderr.write(`Seed ${seed}, without a bug: ${violation.promise}: ${violation.sentence}\n`);
  process.stderr.write('The simulator itself raises an alarm: nothing can be concluded.\n');
  process.exit(1);
}

async function runOneByOne(): Promise<void> {
  for (let bug = waiting.shift(); bug; bug = waiting.shift()) {
    const finding = await find(bug);
    findings.push(finding);
    showProgress('');
    table.write(`${rowOf(finding)}\n`);
    if (values.story) tellStory(finding);
    showProgress(`${findings.length} of ${chosen.length}`);
  }
}

function tellStory({ name, seed, lines }: Finding): void {
  if (seed === null) return;
  const again = `npm run simulate -- --planted ${name} --seed ${seed}`;
  for (const line of [...lines, `Again: ${again}`, `Shorter: ${again} --shrink`])
    table.write(`    ${line}\n`);
}

async function find(bug: PlantedBug): Promise<Finding> {
  const { name, rule, because } = bug;
  const beganAt = performance.now();
  const finding = (what: string, found?: Broken): Finding => ({
    ...{ name, rule, seed: found?.seed ?? null, seconds: secondsSince(beganAt) },
    ...{ promise: found?.violation.promise ?? null, what, lines: found?.lines ?? [] },
  });
  const onProgress = (count: number) =>
    showProgress(`${findings.length} of ${chosen.length}; ${name}: seed ${count}`);
  try {
    const { broken, objection } = await runPlanted(bug, { first: 1, count: seeds, workers: 1, onProgress });
    if (!broken) return finding(`NOT CAUGHT by ${counted(seeds, 'seed')}: ${because}`);
    if (objection !== null) return finding(`NOT CAUGHT: ${objection}`);
    return finding(broken.violation.sentence, broken);
  } catch (error) {
    return finding(`NOT RUN: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function rowOf({ name, rule, seed, seconds, promise, what }: Finding): string {
  const caught = seed === null ? '' : `seed ${seed}`;
  const cells = [name.padEnd(nameWidth), rule.padEnd(ruleWidth), caught.padStart(9)];
  return [...cells, `${seconds.toFixed(1)} s`.padStart(8), (promise ?? '').padEnd(promiseWidth), what].join(
    '  ',
  );
}

/** On a terminal only, on a line that is written over. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function tellEnd(): void {
  const caughtBy = findings.flatMap(({ seed }) => (seed === null ? [] : [seed]));
  const latestSeed = caughtBy.length === 0 ? null : Math.max(...caughtBy);
  const latest = latestSeed === null ? '' : `, the latest by seed ${latestSeed}`;
  showProgress('');
  table.write(`${counted(chosen.length, 'planted bug')}, ${caughtBy.length} caught${latest}\n`);
  if (values.json) {
    const counts = { planted: chosen.length, caught: caughtBy.length, latestSeed, seeds };
    const bugs = findings.map(({ lines: _, ...finding }) => finding);
    process.stdout.write(`${JSON.stringify({ ...counts, seconds: secondsSince(startedAt), bugs })}\n`);
  }
  process.exitCode = caughtBy.length === chosen.length ? 0 : 1;
}

function secondsSince(at: number): number {
  return Math.round((performance.now() - at) / 100) / 10;
}

function named(only: string): PlantedBug[] {
  const names = plantedBugs.map(({ name }) => name);
  const wanted = someOf(only, names, {
    kind: 'planted bug',
    all: 'docs/proof-in-detail.md has all of them.',
  });
  return plantedBugs.filter(({ name }) => wanted.includes(name));
}
