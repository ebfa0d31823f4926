// `npm run proof`: everything that a sceptic would run, at its full size, and one table of what came of it. It takes about
// an hour and a half on two cores.
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { endingOf } from './proof/ending.mjs';
import { runSteps } from './proof/run-steps.mjs';
import { fullSize, partOf, stepOf } from './proof/size.mjs';
import { rowOf, verdicts } from './proof/verdicts.mjs';
import { commandOf, root } from './root.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { startPostgres } from './servers/postgres.mjs';
import { withoutPostgresVariables } from './servers/postgres-server.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';
import { runAndMachine } from './test/figures.mjs';
import { folderForTests } from './test/folder.mjs';
import { readVitestResult } from './test/vitest-result.mjs';
import { writeFigures } from './test/write-figures.mjs';

const usage = `npm run proof -- [options]
  --only simulate,kills …   some of it: simulate, points, pairs, kills, images, mutations, fuzz
  --seeds N                 so many simulated worlds (100,000)
  --kills N                 so many processes killed on each database (500)
  --images N                so many copies of a SQLite database (200)
  --go-on                   leaves out what an earlier run has shown of the very same source, for one that was broken off
  --write                   puts the table into docs/proof.md, if all of it ran, at full size, and all of it is right
At full size it takes about an hour and a half on two cores. A look at what it does: --only simulate --seeds 100`;
const problem = prepare({ tests: true });
if (problem !== undefined) stop(1, `${problem}\nNothing was run, and nothing is proved.`);
// By what the simulator reads its own with; only now is it certain that there is a compiler.
const { tsImport } = await import('tsx/esm/api');
const { readOptions, someOf, wholeNumber } = await tsImport('../simulation/options.ts', import.meta.url);
const values = readOptions(usage, {
  only: { type: 'string' },
  seeds: { type: 'string' },
  kills: { type: 'string' },
  images: { type: 'string' },
  'go-on': { type: 'boolean' },
  write: { type: 'boolean' },
});
const sizes = Object.keys(fullSize);
const order = Object.fromEntries(
  sizes.map((size) => [size, wholeNumber(size, values[size]) ?? fullSize[size]]),
);
const cores = String(availableParallelism());

/** Each runs a command that anybody can run by itself; proof/verdicts.mjs says what its figures show. */
const steps = {
  simulate: () => script('simulate', ['--seeds', String(order.seeds), '--all', '--workers', cores, '--json']),
  points: () => runTests('points', ['--project', 'crash'], { TIDINGS_CRASH_ALL: '1' }),
  pairs: () => runPairs(),
  kills: () => script('crashtest', ['--database', 'both', '--kills', String(order.kills), '--json']),
  images: () => script('crashtest', ['--images', String(order.images), '--json']),
  mutations: () => script('mutations', ['--json', '--workers', cores]),
  fuzz: () => runTests('fuzz', ['tests/fuzz', 'tests/emails/hostile'], { TIDINGS_FUZZ_RUNS: '20' }),
};
const all = Object.keys(verdicts);
const parts = { kind: 'step', all: `There are: ${all.join(', ')}.` };
const chosen = values.only === undefined ? all : someOf(values.only, all, parts);
const part = partOf({ names: chosen, all, order });
const useless = sizes.find((size) => values[size] !== undefined && !chosen.includes(stepOf[size]));
if (useless !== undefined)
  stop(2, `--${useless} is about the step ${stepOf[useless]}, which --only leaves out.`);
if (values.write && part !== null) {
  stop(
    2,
    `--write is for a run of everything at full size, and this is ${part.what}: leave out --write, or the rest.`,
  );
}

/** The steps that a run with --go-on leaves out. */
const kept = [];
const isInterrupted = stopOnSignals();
// On the way out, because a signal ends this process wherever it is.
process.once('exit', () => {
  if (!isInterrupted()) return;
  console.error(
    kept.length === 0
      ? 'Broken off before a step was done: there is nothing to go on from.'
      : `Broken off. ${howToGoOn()} leaves out what is done: ${kept.join(', ')}.`,
  );
});
// Of this run, from before it: a row that is kept, and a table that is written, are of the source as it was now.
const origin = runAndMachine();
// However this process ends, what it started is stopped, and its folder is deleted.
const guard = createGuard();
const folder = guard.folder(folderForTests());
const testFolder = join(folder, 'tmp');
mkdirSync(testFolder);
// TMPDIR, because vitest keeps a folder there that it leaves behind when it is interrupted.
const testFolders = { TIDINGS_TEST_TMP: testFolder, TMPDIR: folder };
const run = { names: chosen, order, isGoingOn: values['go-on'], runStep: timed, isInterrupted };
const { rows, changed } = await runSteps({ ...run, onKept: (name) => kept.push(name) });
if (!isInterrupted()) tellEnd();
await endGuards();

function tellEnd() {
  const { table, sentence, isRight, canBeWritten } = endingOf({ rows, changed, part });
  console.log(`\n${table}\n${sentence}`);
  process.exitCode = isRight ? 0 : 1;
  if (!values.write) return;
  if (canBeWritten) writeFigures('proof', table);
  else console.log('docs/proof.md stays as it was: it is written when every step has run and is right.');
}

/** With the same sizes, because what was shown with others does not count. */
function howToGoOn() {
  const given = process.argv.slice(2).filter((argument) => argument !== '--go-on');
  return ['npm run proof -- --go-on', ...given].join(' ');
}

async function timed(name) {
  const startedAt = performance.now();
  const row = await runStep(name);
  return { ...row, name, origin, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

async function runStep(name) {
  try {
    return rowOf(name, await steps[name](), order);
  } catch (error) {
    return { what: name, result: `it did not run: ${error.message}`, isRight: false };
  }
}

/** Its figures are the lines of JSON that it prints; the rest is shown. */
async function script(name, args) {
  const env = { ...process.env, TIDINGS_STARTED_BY_PROOF: '1' };
  const { output, ending } = await runNode([join('scripts', `${name}.mjs`), ...args], env);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return { figures: lines.map((line) => JSON.parse(line)), ending };
}

async function runPairs() {
  const out = join(folder, 'pairs.json');
  const env = { ...process.env, ...testFolders, TIDINGS_PROOF_OUT: out };
  const { ending } = await runNode([commandOf('vitest'), 'run', '--project', 'pairs'], env);
  return { figures: [JSON.parse(readFileSync(out, 'utf8'))], ending };
}

/** Some of the tests, for longer than `npm test` does. */
async function runTests(name, which, more) {
  const out = join(folder, `${name}.json`);
  const postgres = await startPostgres();
  const { TIDINGS_TEST_POSTGRES_URL, ...rest } = process.env;
  const env = {
    ...(postgres.origin === 'DATABASE_URL' ? rest : withoutPostgresVariables(rest)),
    ...(postgres.url === undefined ? {} : { TIDINGS_TEST_POSTGRES_URL: postgres.url }),
    ...{ ...testFolders, ...more },
  };
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${out}`, '--allowOnly=false'];
  const { ending } = await runNode([commandOf('vitest'), 'run', ...which, ...reports], env);
  const result = readVitestResult(out, ending);
  for (const failure of result.failures) console.error(`failed: ${failure}`);
  if (postgres.missing) console.error(`PostgreSQL: ${postgres.missing}`);
  return { figures: [result], ending };
}

async function runNode(args, env) {
  const child = guard.spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => {
    chunks.push(chunk);
    process.stderr.write(chunk);
  });
  const [code, signal] = await once(child, 'close');
  return { output: Buffer.concat(chunks).toString(), ending: signal ?? `exit code ${code}` };
}

function stop(code, sentence) {
  console.error(sentence);
  process.exit(code);
}
