// `npm run bench -- claim`, `-- seats-poll`, …: runs that file of bench/ against SQLite and a PostgreSQL that pays for every commit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { endGuards } from './servers/guard.mjs';
import { startPostgres } from './servers/postgres.mjs';
import { findRedis } from './servers/redis.mjs';

const known = readdirSync(join(root, 'bench')).flatMap((file) => file.match(/^(.+)\.ts$/)?.[1] ?? []);
const [name = '', ...rest] = process.argv.slice(2);
if (!known.includes(name)) {
  console.error(`Say which: npm run bench -- ${known.join(' | ')}`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => endGuards().then(() => process.exit(1)));
prepare();
const postgres = await startPostgres({ isDurable: true });
console.error(postgres.missing ?? `PostgreSQL ${postgres.version} (${postgres.origin})`);
// As `tidings` runs: a template is rendered several times as fast.
const { DATABASE_URL, ...env } = { NODE_ENV: 'production', ...process.env };
if (postgres.url) env.TIDINGS_TEST_POSTGRES_URL = postgres.url;
if (name === 'queues') {
  const redis = findRedis();
  console.error(redis.missing ?? `Redis ${redis.version} (${redis.origin})`);
  if (redis.path)
    Object.assign(env, { TIDINGS_TEST_REDIS: redis.path, TIDINGS_TEST_REDIS_LIBRARIES: redis.libraries });
}
const bench = spawn(process.execPath, ['--import', 'tsx', join('bench', `${name}.ts`), ...rest], {
  cwd: root,
  env,
  stdio: 'inherit',
});
const [code] = await once(bench, 'close');
process.exitCode = code ?? 1;
await endGuards();
