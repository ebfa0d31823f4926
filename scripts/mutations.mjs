// `npm run mutations`: does the simulator notice the bugs that are planted? simulation/mutations.ts says what else there is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';

prepare();
const args = ['--import', 'tsx', join('simulation', 'mutations.ts'), ...process.argv.slice(2)];
const mutations = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => mutations.kill(signal));
const [code] = await once(mutations, 'close');
process.exitCode = code ?? 1;
