import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile, isCompiled } from './prepare/compile.mjs';
import { declare } from './prepare/declare.mjs';
import { install, isInstalled } from './prepare/install.mjs';
import { withLock } from './prepare/lock.mjs';
import { StepFailed } from './prepare/run-step.mjs';
import { root } from './root.mjs';

/**
 * Makes a clone runnable: packages as package-lock.json names them, dist as src says. Silent and quick when
 * nothing is missing. It ends the process when it cannot, with a sentence; for a test run (`tests`) it
 * returns that sentence instead, so that the run can count it. `rebuild` builds even when dist is fresh; `types` adds
 * the types of the client, which nobody needs but whoever installs the package.
 */
export function prepare({ tests = false, rebuild = false, types = false } = {}) {
  refuseOldNode();
  // A published package has dist and no src: there is nothing to make, and nothing to make it with.
  if (!existsSync(join(root, 'src'))) return undefined;
  try {
    if (rebuild || types || !isReady()) withLock('prepare', () => makeReady({ rebuild, types }));
    return undefined;
  } catch (error) {
    const problem = sentenceOf(error);
    if (tests) return problem;
    console.error(problem);
    process.exit(1);
  }
}

/** A service often runs as a user who may not write to the checkout, and who cannot mend that: no stack would help them. */
function sentenceOf(error) {
  if (error instanceof StepFailed) return error.message;
  if (['EACCES', 'EROFS'].includes(error.code))
    return "This folder is not this user's, and its build is missing or old: run `npm ci && npm run build` as its owner.";
  return `Preparing failed: ${error.stack}`;
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Tidings needs Node.js 20.19 or newer, and this is ${process.version}. Please install a newer one.`,
  );
  process.exit(2);
}

function isReady() {
  return isInstalled() && isCompiled();
}

/** Asks again under the lock: another process may have done the work while this one waited. */
function makeReady({ rebuild, types }) {
  if (!isInstalled()) install();
  if (rebuild || !isCompiled()) compile();
  if (types) declare();
}
