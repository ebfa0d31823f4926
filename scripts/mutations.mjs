// `npm run mutations`: does the simulator notice the bugs that are planted? simulation/mutations.ts says what else there is.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';

const isInterrupted = stopOnSignals();
prepare();
const guard = createGuard();
// The copies of the source are made in here: whoever is killed leaves none of them behind, either.
const folder = guard.folder(
  mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-mutations-')),
);
const args = ['--import', 'tsx', join('simulation', 'mutations.ts'), ...process.argv.slice(2)];
const mutations = guard.spawn(process.execPath, args, {
  cwd: root,
  env: { ...process.env, TIDINGS_TEST_TMP: folder },
  stdio: 'inherit',
});
const [code] = await once(mutations, 'close');
await endGuards();
if (!isInterrupted()) process.exitCode = code ?? 1;
