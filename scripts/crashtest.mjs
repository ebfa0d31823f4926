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
import { stopOnSignals } from './servers/stop-on-signals.mjs';

const isInterrupted = stopOnSignals();

prepare();
// A mistake, or a question for help, is answered before a server is started.
const { tsImport } = await import('tsx/esm/api');
const { readCrashOptions } = await tsImport('../simulation/crashtest/options.ts', import.meta.url);
const { database, images } = readCrashOptions();
const needsPostgres = database !== 'sqlite' && images === undefined;

// The group of the guarded process is that of all processes it starts: however this one ends, they end with it.
const guard = createGuard();
const folder = guard.folder(mkdtempSync(join(tmpdir(), 'tidings-crashtest-')));
const postgres = needsPostgres
  ? await startPostgres({ isDurable: true })
  : { missing: 'It was not asked for.' };
if (postgres.url) console.error(`PostgreSQL ${postgres.version} (${postgres.origin})`);
const { DATABASE_URL, TIDINGS_TEST_POSTGRES_URL, ...rest } = process.env;
const args = ['--import', 'tsx', join('simulation', 'crashtest.ts'), ...process.argv.slice(2)];
const test = guard.spawn(process.execPath, args, {
  cwd: root,
  env: {
    ...(postgres.origin === 'DATABASE_URL' ? rest : withoutPostgresVariables(rest)),
    TIDINGS_TEST_TMP: folder,
    ...(postgres.url
      ? { TIDINGS_TEST_POSTGRES_URL: postgres.url }
      : { TIDINGS_POSTGRES_MISSING: postgres.missing }),
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const [code] = await once(test, 'close');
await endGuards();
if (!isInterrupted()) process.exitCode = code ?? 1;
