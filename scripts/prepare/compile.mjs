import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../digest.mjs';
import { commandOf, root } from '../root.mjs';
import { runStep } from './run-step.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.built-from');

export function isCompiled() {
  try {
    return readFileSync(stamp, 'utf8') === digestOfInputs();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Builds beside `dist` and swaps it in whole, so that a failed or killed build leaves the old one as it was.
 * Beside, not in .cache, because source maps hold paths relative to the folder's depth.
 */
export function compile() {
  const digest = digestOfInputs(); // Taken before, so that a file saved during the build is built next time.
  removeRemains();
  const built = join(root, `dist-new-${process.pid}`);
  try {
    runStep('Building', process.execPath, [join(root, 'scripts/prepare/bundle.mjs'), built]);
    runStep('Building the console', process.execPath, [
      ...[commandOf('vite'), 'build', '--config', join(root, 'console/vite.config.ts'), '--logLevel', 'warn'],
      ...['--outDir', join(built, 'console')],
    ]);
    cpSync(join(root, 'src/db/migrations'), join(built, 'db/migrations'), {
      recursive: true,
      filter: (path) => path.endsWith('.sql') || statSync(path).isDirectory(),
    });
    keepForWhoeverIsRunning(built);
    writeFileSync(join(built, '.built-from'), digest);
    const old = join(root, `dist-old-${process.pid}`);
    rmSync(old, { recursive: true, force: true });
    try {
      renameSync(dist, old);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    renameSync(built, dist);
  } finally {
    removeRemains();
  }
}

const dayMs = 86_400_000;

/** A command that is just starting loads the parts of the build that it began with: they stay for a day. */
function keepForWhoeverIsRunning(built) {
  const chunks = join(dist, 'chunks');
  if (!existsSync(chunks)) return;
  for (const name of readdirSync(chunks)) {
    const [old, kept] = [join(chunks, name), join(built, 'chunks', name)];
    const isOld = Date.now() - statSync(old).mtimeMs > dayMs;
    if (!isOld && !existsSync(kept)) cpSync(old, kept, { preserveTimestamps: true });
  }
}

function digestOfInputs() {
  const inputs = ['package-lock.json', 'tsconfig.json', 'scripts/prepare/bundle.mjs', 'src', 'console'];
  inputs.push('scripts/docs/map-layout.ts'); // The console draws the same map.
  return digestOf(inputs, (path) => path.endsWith('.test.ts'));
}

/** Called under the lock only: whatever lies there was left by a build that was killed. */
function removeRemains() {
  for (const name of readdirSync(root)) {
    if (/^dist-(new|old)-\d+$/.test(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
}
