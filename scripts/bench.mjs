// `npm run bench`: every measurement of docs/performance.md, one after the other, and then that page. An hour, on a machine at rest.
//   npm run bench -- throughput               one of them, or another file of bench/
//   npm run bench -- claim --rows 100000 --rounds 2   a trial, which is kept apart from the page's figures
//   npm run bench -- throughput --write       and the page, with what the others measured last
// Against SQLite and a PostgreSQL that pays for every commit.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofTheTable, withPeers, withRedis } from './bench/benches.mjs';
import { readOptions } from './bench/options.mjs';
import { installPeers } from './bench/packages.mjs';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { startPostgres } from './servers/postgres.mjs';
import { findRedis } from './servers/redis.mjs';

const known = readdirSync(join(root, 'bench')).flatMap((file) => file.match(/^(.+)\.ts$/)?.[1] ?? []);
const { problem, name, size, isTrial, isPage } = readOptions(process.argv.slice(2), known);
if (problem) {
  console.error(problem);
  process.exit(2);
}
const names = name ? [name] : ofTheTable.filter((each) => known.includes(each));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => endGuards().then(() => process.exit(1)));
prepare();
if (names.some((each) => withPeers.includes(each))) installPeers();
// Whatever a measurement starts or writes goes with it, also when it is ended in the middle.
const guard = createGuard();
const postgres = await startPostgres({ isDurable: true });
console.error(postgres.missing ?? `PostgreSQL ${postgres.version} (${postgres.origin})`);
// As `tidings` runs: a template is rendered several times as fast.
const { DATABASE_URL, ...env } = { NODE_ENV: 'production', ...process.env, ...size };
env.TMPDIR = guard.folder(mkdtempSync(join(tmpdir(), 'tidings-bench-')));
env.TIDINGS_BENCH_RESULTS = join(root, 'bench/results', isTrial ? 'trial' : '');
if (postgres.url)
  Object.assign(env, { TIDINGS_TEST_POSTGRES_URL: postgres.url, TIDINGS_BENCH_POSTGRES: postgres.version });
if (names.some((each) => withRedis.includes(each))) {
  const redis = findRedis();
  console.error(redis.missing ?? `Redis ${redis.version} (${redis.origin})`);
  if (redis.path)
    Object.assign(env, {
      ...{ TIDINGS_TEST_REDIS: redis.path, TIDINGS_TEST_REDIS_LIBRARIES: redis.libraries },
      TIDINGS_BENCH_REDIS: redis.version,
    });
}
for (const each of names) {
  if (!name) console.log(`\n## ${each}`);
  if ((await run(`${each}.ts`)) !== 0) process.exitCode = 1; // The others are measured all the same.
}
if (isPage || (!name && existsSync(env.TIDINGS_BENCH_RESULTS)))
  if ((await run('report/page-process.ts', isPage ? ['--write'] : [])) !== 0) process.exitCode = 1;
await endGuards();

async function run(file, args = []) {
  const child = guard.spawn(process.execPath, ['--import', 'tsx', join('bench', file), ...args], {
    ...{ cwd: root, env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
}
