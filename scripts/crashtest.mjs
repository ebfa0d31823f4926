// `npm run crashtest -- --kills 100`: real processes, killed at random instants; simulation/crashtest.ts says what else there is.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { startPostgres } from './servers/postgres.mjs';
import { withoutPostgresVariables } from './servers/postgres-server.mjs';
import { findRedis } from './servers/redis.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';

const isInterrupted = stopOnSignals();

prepare();
// A mistake, or a question for help, is answered before a server is started.
const { tsImport } = await import('tsx/esm/api');
const { readCrashOptions } = await tsImport('../simulation/crashtest/options.ts', import.meta.url);
const { database, images, isDeployment } = readCrashOptions();
const needsPostgres = database !== 'sqlite' && images === undefined;

// The group of the guarded process is that of all processes it starts: however this one ends, they end with it.
const guard = createGuard();
const folder = guard.folder(mkdtempSync(join(tmpdir(), 'tidings-crashtest-')));
// What a deployment goes through is nothing for somebody's own servers.
const postgres = needsPostgres
  ? await startPostgres({ isDurable: true, isOwn: isDeployment })
  : { missing: 'It was not asked for.' };
const redis = isDeployment ? findRedis() : { missing: 'It was not asked for.' };
if (redis.path) console.error(`Redis ${redis.version} (${redis.origin})`);
if (postgres.url) console.error(`PostgreSQL ${postgres.version} (${postgres.origin})`);
const { DATABASE_URL, REDIS_URL, TIDINGS_TEST_POSTGRES_URL, ...rest } = process.env;
const args = ['--import', 'tsx', join('simulation', 'crashtest.ts'), ...process.argv.slice(2)];
const test = guard.spawn(process.execPath, args, {
  cwd: root,
  env: {
    ...(postgres.origin === 'DATABASE_URL' ? rest : withoutPostgresVariables(rest)),
    TIDINGS_TEST_TMP: folder,
    ...(postgres.url
      ? { TIDINGS_TEST_POSTGRES_URL: postgres.url }
      : { TIDINGS_POSTGRES_MISSING: postgres.missing }),
    ...(redis.path
      ? { TIDINGS_TEST_REDIS: redis.path, TIDINGS_TEST_REDIS_LIBRARIES: redis.libraries }
      : { TIDINGS_REDIS_MISSING: redis.missing }),
  },
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
// The one thing that it asks for: PostgreSQL is to be restarted.
test.on('message', async () => {
  const problem = await postgres.restart().then(
    () => undefined,
    (error) => error.message,
  );
  if (test.connected) test.send({ problem });
});
const [code] = await once(test, 'close');
await endGuards();
if (!isInterrupted()) process.exitCode = code ?? 1;
