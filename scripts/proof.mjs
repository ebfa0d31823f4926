// `npm run proof`: everything that a sceptic would run, at its full size, and one table of what came of it. It takes about
// an hour and a half on two cores.
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { endingOf } from './proof/ending.mjs';
import { runSteps } from './proof/run-steps.mjs';
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
  --only simulate,kills …           some of it: simulate, points, pairs, kills, images, mutations, fuzz
  --seeds N --kills N --images N    smaller, or larger
  --go-on                           leaves out what an earlier run has shown of the very same source, for one that was broken off
  --write                           puts the table into docs/proof.md, if all of it ran and all of it is right`;
const values = readOptions();
const order = { seeds: Number(values.seeds), kills: Number(values.kills), images: Number(values.images) };
const cores = String(availableParallelism());

/** Each runs a command that anybody can run by itself; proof/verdicts.mjs says what its figures show. */
const steps = {
  simulate: () => script('simulate', ['--seeds', values.seeds, '--workers', cores, '--json']),
  points: () => runTests('points', ['--project', 'crash'], { TIDINGS_CRASH_ALL: '1' }),
  pairs: () => runPairs(),
  kills: () => script('crashtest', ['--database', 'both', '--kills', values.kills, '--json']),
  images: () => script('crashtest', ['--images', values.images, '--json']),
  mutations: () => script('mutations', ['--json', '--workers', cores]),
  fuzz: () => runTests('fuzz', ['tests/fuzz'], { TIDINGS_FUZZ_RUNS: '20' }),
};
const all = Object.keys(verdicts);
const chosen = values.only?.split(',') ?? all;
const unknown = chosen.find((name) => !all.includes(name));
if (unknown !== undefined) stop(2, `There is no step ${unknown}. There are: ${all.join(', ')}`);
if (!Object.values(order).every((number) => Number.isSafeInteger(number) && number >= 1)) {
  stop(2, '--seeds, --kills and --images need a whole number from 1.');
}

const isInterrupted = stopOnSignals();
// On the way out, because a signal ends this process wherever it is.
process.once('exit', () => {
  if (isInterrupted()) console.error(`Broken off. ${howToGoOn()} leaves out the steps that were done.`);
});
const problem = prepare({ tests: true });
if (problem !== undefined) stop(1, `${problem}\nNothing was run, and nothing is proved.`);
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
const { rows, changed } = await runSteps(run);
if (!isInterrupted()) tellEnd();
await endGuards();

function tellEnd() {
  const isWhole = all.every((name) => chosen.includes(name));
  const { table, sentence, isRight, canBeWritten } = endingOf({ rows, changed, isWhole });
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
  const { output, ending } = await runNode([join('scripts', `${name}.mjs`), ...args], process.env);
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

function readOptions() {
  const options = {
    only: { type: 'string' },
    seeds: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '500' },
    images: { type: 'string', default: '200' },
    'go-on': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  };
  try {
    const { values } = parseArgs({ options });
    if (values.help) stop(0, usage);
    return values;
  } catch (error) {
    return stop(2, `${error.message}\n${usage}`);
  }
}

function stop(code, sentence) {
  console.error(sentence);
  process.exit(code);
}
