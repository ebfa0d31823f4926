// `npm test`: the tests with real servers, the checks beside them, then a count that can be trusted. What cannot be run is named and
// skipped; with CI=true it is a failure.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { commandOf, root } from './root.mjs';
import { findChromium } from './servers/chromium.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { startPostgres } from './servers/postgres.mjs';
import { withoutPostgresVariables } from './servers/postgres-server.mjs';
import { findRedis } from './servers/redis.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';
import { testLine } from './test/figures.mjs';
import { folderForTests } from './test/folder.mjs';
import { readLogs } from './test/logs.mjs';
import { endLeftoverProcesses } from './test/processes.mjs';
import { printTally } from './test/tally.mjs';
import { readVitestResult } from './test/vitest-result.mjs';
import { writeFigures } from './test/write-figures.mjs';

const usage = `npm test -- [options]
  --wide          also the doors and the checks, see below: what CI runs
  --all           everything, which takes some twenty minutes on two cores
  --only PART …   only test files whose path contains one of these, and no checks: --only tests/outbox
  --update        lets tests rewrite the checked-in files they maintain (UPDATE=1)
  --figures       after a whole run in which nothing failed and nothing was skipped: a line about it in docs/proof.md
Without options: the engine, its sources and the clauses of the specifications on SQLite, the outbox on PostgreSQL too, 2,000 simulated
worlds, every crash point. With --wide: also command line, HTTP, client and pages in a browser, Redis and several processes, packages and
images; formatting, types, unused code. With --all: every test on both databases, and also what searches for long: fuzzers, query plans,
orders of webhooks, crash points on PostgreSQL.
Anything else is passed on to vitest, as in: npm test -- --only tests/outbox -t 'a lease'
What cannot be run is named and skipped; with CI=true it is a failure.`;
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(usage);
  process.exit(0);
}
const isPartial = args.includes('--only');
const isAll = args.includes('--all');
const isWide = args.includes('--wide');
/** Who asks for some files gets all of what they say. */
const size = isAll || isPartial ? 'all' : isWide ? 'wide' : 'short';
const isShort = size === 'short';
const isUpdate = args.includes('--update');
const isForFigures = args.includes('--figures');
const vitestArgs = args.filter(
  (arg) => !['--only', '--all', '--wide', '--update', '--figures', '--'].includes(arg),
);

const checks = [
  ['biome check .', '@biomejs/biome', 'biome', ['check', '.']],
  ['tsc -p tsconfig.json --noEmit', 'typescript', 'tsc', ['-p', 'tsconfig.json', '--noEmit']],
  ['tsc -p console --noEmit', 'typescript', 'tsc', ['-p', 'console', '--noEmit']],
  ['knip', 'knip', 'knip', []],
];

/** Of this run alone: somebody else may test on the same server. */
const databasePrefix = `tidings_test_${randomBytes(4).toString('hex')}`;

const tally = { passed: 0, failures: [], skipped: [], missing: [] };
/** As vitest reported them. */
let files = [];
const isInterrupted = stopOnSignals();

try {
  await main();
  if (isForFigures && !isInterrupted()) tellFigures();
} catch (error) {
  tally.failures.push(`the test runner itself: ${error.stack}`);
}
await endGuards();
if (!isInterrupted()) {
  process.exitCode = printTally(tally, { isCi: ['true', '1'].includes(process.env.CI), isPartial });
}

function tellFigures() {
  const isWhole = !isPartial && vitestArgs.length === 0;
  const isRight = [tally.failures, tally.skipped, tally.missing].every((list) => list.length === 0);
  if (!isWhole || !isRight) {
    console.log('docs/proof.md stays as it was: its line is about a whole run in which nothing failed.');
    return;
  }
  writeFigures('test', testLine({ size, passed: tally.passed, seconds: performance.now() / 1000, files }));
}

async function main() {
  if (isPartial && vitestArgs.every((arg) => arg.startsWith('-'))) {
    tally.failures.push('--only: needs to be followed by a part of a test file’s path');
    return;
  }
  const problem = prepare({ tests: true });
  if (problem !== undefined) tally.failures.push(problem);
  if (!existsSync(join(root, 'node_modules/vitest'))) return; // Nothing to run with; the problem says why.
  const guard = createGuard();
  const folder = guard.folder(folderForTests());
  // Beside the tests, which wait now and then; one after the other, because each of them takes whole cores.
  const checked = isPartial || isShort ? undefined : runChecks(guard);
  const postgres = await startPostgres();
  if (postgres.missing) tally.missing.push(`PostgreSQL: ${postgres.missing}`);
  else console.log(`PostgreSQL ${postgres.version} (${postgres.origin})`);
  // A few tests are not worth installing them for; where there are none they are named as skipped.
  const chromium = isShort ? {} : findChromium({ mayInstall: isAll || isWide });
  if (chromium.missing) tally.missing.push(`Chromium: ${chromium.missing}`);
  else if (!isShort) console.log(`Chromium ${chromium.version} (${chromium.origin})`);
  const redis = isShort ? {} : findRedis({ mayFetch: isAll || isWide });
  if (redis.missing) tally.missing.push(`Redis: ${redis.missing}`);
  else if (!isShort) console.log(`Redis ${redis.version} (${redis.origin})`);
  await runTests(guard, folder, { postgres, chromium, redis, isBuilt: problem === undefined });
  await checked;
}

async function runChecks(guard) {
  for (const check of checks) await runCheck(guard, ...check);
}

async function runCheck(guard, title, packageName, command, commandArgs) {
  const startedAt = performance.now();
  const child = guard.spawn(process.execPath, [commandOf(packageName, command), ...commandArgs], {
    cwd: root,
  });
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL); // Some tests look at the clock; these do not.
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  if (code === 0) tally.passed += 1;
  else tally.failures.push(title);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${title}: ${code === 0 ? 'passed' : 'failed'}, ${seconds} s`);
  if (code !== 0) console.log(Buffer.concat(output).toString());
}

async function runTests(guard, folder, { postgres, chromium, redis, isBuilt }) {
  const report = join(folder, 'report.json');
  const testFolder = join(folder, 'tmp');
  mkdirSync(testFolder);
  const logFolder = join(folder, 'logs');
  mkdirSync(logFolder);
  // A forgotten `it.only` would quietly leave out all the rest.
  const options = [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    '--allowOnly=false',
  ];
  const vitest = guard.spawn(process.execPath, [commandOf('vitest'), 'run', ...options, ...vitestArgs], {
    cwd: root,
    env: {
      ...testEnvironment(testFolder, postgres, chromium, redis),
      // Vitest keeps a folder there that it leaves behind when it is interrupted.
      TMPDIR: folder,
      TIDINGS_TEST_LOGS: logFolder,
      // What tests start as processes need not be compiled by each of them.
      ...(isBuilt ? { TIDINGS_TEST_BUILT: '1' } : {}),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(vitest, 'close');
  // Test files hand their databases on to each other, and the last one has nobody to hand them to.
  await postgres.drop?.(databasePrefix);
  const result = readVitestResult(report, signal ?? `exit code ${code}`);
  files = result.files;
  tally.passed += result.passed;
  tally.failures.push(...result.failures);
  tally.skipped.push(...result.skipped);
  if (result.passed + result.failures.length === 0 && tally.missing.length === 0) {
    tally.failures.push('vitest: skipped every test');
  }
  const processes = await endLeftoverProcesses({ group: vitest.pid, mark: `TIDINGS_TEST_TMP=${testFolder}` });
  for (const { pid, command } of processes) tally.failures.push(`left over: process ${pid}, ${command}`);
  for (const name of readdirSync(testFolder)) tally.failures.push(`left over: $TIDINGS_TEST_TMP/${name}`);
  const logs = readLogs(logFolder);
  tally.failures.push(...logs.problems);
  if (logs.problems.length === 0 && logs.lines > 0) {
    tally.passed += 1;
    console.log(`logs: ${logs.lines} lines of the tests, no address, no token, no key`);
  }
}

function testEnvironment(testFolder, postgres, chromium, redis) {
  // No test may find somebody's database, or another browser than was said.
  const { DATABASE_URL, REDIS_URL, ...given } = process.env;
  const rest = Object.fromEntries(
    Object.entries(given).filter(([name]) => !name.startsWith('TIDINGS_TEST_')),
  );
  return {
    ...(postgres.origin === 'DATABASE_URL' ? rest : withoutPostgresVariables(rest)),
    TIDINGS_TEST_TMP: testFolder,
    TIDINGS_TEST_POSTGRES_PREFIX: databasePrefix,
    ...(postgres.url === undefined ? {} : { TIDINGS_TEST_POSTGRES_URL: postgres.url }),
    ...(chromium.path === undefined ? {} : { TIDINGS_TEST_CHROMIUM: chromium.path }),
    ...(redis.path === undefined
      ? {}
      : { TIDINGS_TEST_REDIS: redis.path, TIDINGS_TEST_REDIS_LIBRARIES: redis.libraries }),
    TIDINGS_TEST_SIZE: size,
    ...(isUpdate ? { UPDATE: '1' } : {}),
  };
}
