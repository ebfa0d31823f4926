// `npm run proof`: everything that a sceptic would run, at its full size, and one table of what came of it. It takes about an
// hour on two cores.
//   --only simulate,kills …   some of it: simulate, pairs, kills, images, mutations, fuzz
//   --seeds N --kills N       smaller, or larger
//   --write                   puts the table into docs/proof.md
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { commandOf, root } from './root.mjs';
import { withFigures } from './test/figures.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '500' },
    images: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
  },
});

/** Each runs a command that anybody can run by itself, reads its figures, and says in a line what they show. */
const steps = {
  simulate: {
    run: () =>
      script('simulate', ['--seeds', values.seeds, '--workers', String(availableParallelism()), '--json']),
    tell([{ seeds, broken, missed, happenings, workers, ms, heapMb }]) {
      const rate = Math.round(seeds / (ms / 1000) / workers);
      const memory = `a worker held ${heapMb[0]} MB in the second quarter, ${heapMb[1]} MB in the last`;
      return {
        what: `simulated worlds, ${rate} a second and core; ${memory}`,
        result: `${number(seeds)} seeds, ${number(happenings)} faults and arrows, ${missed.length} of their kinds missed, ${broken === null ? 0 : 1} broken`,
        isRight: broken === null && missed.length === 0,
      };
    },
  },
  pairs: {
    run: () => vitest(['--project', 'pairs'], {}, true),
    tell: ([{ points, pairs, broken }]) => ({
      what: 'every pair of crash points, SQLite',
      result: `${points} points, ${number(pairs)} pairs, ${broken} broken`,
      isRight: broken === 0 && pairs > 0,
    }),
  },
  kills: {
    run: () => script('crashtest', ['--database', 'both', '--kills', values.kills, '--json']),
    tell: (results) => ({
      what: 'real processes ended by SIGKILL',
      result: results
        .map(
          ({ database, kills, inFlightKills, intents, accepted, twice, lost, stuck }) =>
            `${database}: ${kills} kills (${inFlightKills} with mail on its way), ${number(intents)} intents, ` +
            `${number(accepted)} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck`,
        )
        .join('; '),
      isRight:
        results.length === 2 &&
        results.every(({ twice, lost, stuck, wrong }) => twice + lost + stuck + wrong === 0),
    }),
  },
  images: {
    run: () => script('crashtest', ['--images', values.images, '--json']),
    tell: ([{ images, reopened, wrong }]) => ({
      what: 'crash-consistent images of a SQLite database',
      result: `${images} instants, ${number(reopened)} databases reopened, ${wrong} wrong`,
      isRight: wrong === 0,
    }),
  },
  mutations: {
    run: () => script('mutations', ['--json', '--workers', String(availableParallelism())]),
    tell: ([{ planted, caught, latestSeed }]) => ({
      what: 'bugs planted on purpose',
      result: `${planted} planted, ${caught} caught, the latest by seed ${latestSeed}`,
      isRight: planted === caught,
    }),
  },
  fuzz: {
    run: () => vitest(['tests/fuzz'], { TIDINGS_FUZZ_RUNS: '20' }, false),
    tell: ([{ passed, failed }]) => ({
      what: 'fuzzers, twenty times as long as in npm test',
      result: `${passed} passed, ${failed} failed`,
      isRight: failed === 0 && passed > 0,
    }),
  },
};

const chosen = values.only?.split(',') ?? Object.keys(steps);
const unknown = chosen.find((name) => !(name in steps));
if (unknown !== undefined) {
  console.error(`There is no step ${unknown}. There are: ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
    process.exitCode = 130;
  });
}

prepare({ tests: true });
const folder = mkdtempSync(join(tmpdir(), 'tidings-proof-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const rows = [];
for (const name of chosen) {
  if (process.exitCode === 130) break;
  console.error(`\n${name} …`);
  const startedAt = performance.now();
  rows.push({ ...(await tellOf(name)), seconds: Math.round((performance.now() - startedAt) / 1000) });
}
const isRight = rows.length === chosen.length && rows.every((row) => row.isRight);
const text = tableOf(rows);
console.log(`\n${text}`);
console.log(isRight ? 'Every promise was kept.' : 'NOT every promise was kept.');
if (values.write) {
  const path = join(root, 'docs/proof.md');
  writeFileSync(path, withFigures(readFileSync(path, 'utf8'), 'proof', text));
}
process.exitCode ||= isRight ? 0 : 1;

async function tellOf(name) {
  try {
    const figures = await steps[name].run();
    if (figures.length === 0) return { what: name, result: 'it said nothing', isRight: false };
    return steps[name].tell(figures);
  } catch (error) {
    return { what: name, result: `it did not run: ${error.message}`, isRight: false };
  }
}

/** The lines of JSON that it prints; the rest is shown. */
async function script(name, args) {
  const output = await outputOf([join('scripts', `${name}.mjs`), ...args], {});
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

async function vitest(args, env, hasOwnReport) {
  const out = join(folder, `${args.at(-1).replaceAll('/', '-')}.json`);
  const report = hasOwnReport ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${out}`];
  await outputOf([commandOf('vitest'), 'run', ...args, ...report], { ...env, TIDINGS_PROOF_OUT: out });
  const figures = JSON.parse(readFileSync(out, 'utf8'));
  return [hasOwnReport ? figures : { passed: figures.numPassedTests, failed: figures.numFailedTests }];
}

async function outputOf(args, env) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const chunks = [];
  child.stdout.on('data', (chunk) => {
    chunks.push(chunk);
    process.stderr.write(chunk);
  });
  await once(child, 'close');
  children.delete(child);
  return Buffer.concat(chunks).toString();
}

function tableOf(all) {
  const lines = all.map(
    ({ what, result, seconds, isRight: isKept }) =>
      `| ${what} | ${isKept ? '' : '**WRONG** '}${result} | ${seconds} s |`,
  );
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`;
  return ['| what | result | time |', '|---|---|---|', ...lines, '', `On ${machine}.`].join('\n');
}

function number(value) {
  return value.toLocaleString('en-GB');
}
