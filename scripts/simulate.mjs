// `npm run simulate -- --seeds 20000`: the engine in a world that fails; simulation/simulate.ts says what else there is.
import { once } from 'node:events';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { stopOnSignals } from './servers/stop-on-signals.mjs';

const isInterrupted = stopOnSignals();
prepare();
const args = ['--import', 'tsx', join('simulation', 'simulate.ts'), ...process.argv.slice(2)];
// With its workers: they are of its group.
const simulation = createGuard().spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
const [code] = await once(simulation, 'close');
await endGuards();
if (!isInterrupted()) process.exitCode = code ?? 1;
