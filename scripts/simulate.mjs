// `npm run simulate -- --seeds 20000`: the engine in a world that fails; simulation/simulate.ts says what else there is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';

prepare();
const args = ['--import', 'tsx', join('simulation', 'simulate.ts'), ...process.argv.slice(2)];
const simulation = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => simulation.kill(signal));
const [code] = await once(simulation, 'close');
process.exitCode = code ?? 1;
