// `npm run simulate -- --seeds 20000`: the engine in a world that fails; simulation/simulate.ts says what else there is.
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
// With --planted a copy of the source is made in here: whoever is killed leaves none behind.
const folder = guard.folder(mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-simulate-')));
const args = ['--import', 'tsx', join('simulation', 'simulate.ts'), ...process.argv.slice(2)];
// With its workers: they are of its group.
const simulation = guard.spawn(process.execPath, args, {
  cwd: root,
  env: { ...process.env, TIDINGS_TEST_TMP: folder },
  stdio: 'inherit',
});
const [code] = await once(simulation, 'close');
await endGuards();
if (!isInterrupted()) process.exitCode = code ?? 1;
