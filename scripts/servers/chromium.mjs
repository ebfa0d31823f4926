import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../prepare/lock.mjs';
import { outputOf, runStep } from '../prepare/run-step.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macPaths = ['Chromium', 'Google Chrome'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/**
 * A browser for tests: the one of CHROMIUM_PATH, of this machine, or on Debian as root a freshly installed one (`mayInstall`).
 * Gives `{ path, version, origin }`, or `{ missing }` with the reason when there is none to be had.
 * TIDINGS_CHROMIUM=none does without.
 */
export function findChromium({ mayInstall = false } = {}) {
  if (process.env.TIDINGS_CHROMIUM === 'none')
    return { missing: 'TIDINGS_CHROMIUM=none asks to do without.' };
  const given = process.env.CHROMIUM_PATH ?? '';
  if (given !== '') return tried(given, 'CHROMIUM_PATH');
  const local = localPath();
  if (local !== undefined) return tried(local, `local browser ${local}`);
  const isDebianRoot = process.getuid?.() === 0 && outputOf('apt-get', ['--version']) !== '';
  if (!mayInstall || !isDebianRoot) {
    return {
      missing: 'None is on this machine. Install Chromium or Chrome, or set CHROMIUM_PATH to one.',
    };
  }
  try {
    withLock('chromium', install);
  } catch (error) {
    return { missing: error.message };
  }
  const installed = localPath();
  return installed === undefined
    ? { missing: 'apt-get has installed chromium, and there is none on PATH.' }
    : tried(installed, 'package chromium, installed for this run');
}

/** Asked whether it starts before every browser test fails one by one. */
function tried(path, origin) {
  const version = /Chrom(?:e|ium)\D*(\d[\d.]*)/.exec(outputOf(path, ['--version']))?.[1];
  return version === undefined
    ? { missing: `${path} (${origin}) does not start as a Chromium.` }
    : { path, version, origin };
}

function localPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...macPaths].find(
    isProgram,
  );
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function install() {
  if (localPath() !== undefined) return; // Another process has, while this one waited.
  const quietly = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y'];
  runStep('Reading the list of Debian packages', 'env', [...quietly, 'update']);
  const options = ['install', '--no-install-recommends', 'chromium'];
  runStep('Installing Chromium for the tests (apt-get install chromium)', 'env', [...quietly, ...options]);
}
