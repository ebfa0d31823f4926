import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { runStep, StepFailed } from './run-step.mjs';

const lockfile = join(root, 'package-lock.json');
const stamp = join(root, 'node_modules/.tidings-stamp');

export function isInstalled() {
  const digest = digestOfLockfile();
  if (readIfThere(stamp) === digest) return true;
  if (!agreesWithNpm()) return false;
  writeFileSync(stamp, digest);
  return true;
}

export function install() {
  try {
    // npm would leave out the compiler under NODE_ENV=production.
    runStep('Installing packages (npm ci)', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  } catch (error) {
    throw error instanceof StepFailed && isUnreachable.test(error.message)
      ? new StepFailed(`${error.message}\n\n${unreachable}`)
      : error;
  }
  writeFileSync(stamp, digestOfLockfile());
}

/** As Node calls it in what npm prints, among much else. */
const isUnreachable = /\b(EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT)\b/;
const unreachable =
  'The npm registry cannot be reached. Is there a network, or a proxy that npm must be told of (npm config set proxy)?';

/**
 * npm keeps its own account of what it installed. Reading it spares whoever ran `npm install` by hand
 * a second install, and one that would pull node_modules away under a running process.
 */
function agreesWithNpm() {
  const account = readIfThere(join(root, 'node_modules/.package-lock.json'));
  if (account === undefined) return false;
  const installed = JSON.parse(account).packages;
  return Object.entries(JSON.parse(readFileSync(lockfile, 'utf8')).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true; // Other platforms' binaries.
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function digestOfLockfile() {
  return createHash('sha256').update(readFileSync(lockfile)).digest('hex');
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
