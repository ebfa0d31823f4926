import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../prepare/lock.mjs';
import { outputOf, runStep } from '../prepare/run-step.mjs';
import { root } from '../root.mjs';

const cache = join(root, '.cache/redis');
const names = ['redis-server', 'valkey-server'];

/**
 * The program of a Redis server, for tests that start it, flush it and kill it; hence never somebody's own of REDIS_URL.
 * The one of REDIS_SERVER_PATH, one on PATH, or on Debian a package that is fetched and unpacked into .cache, and not installed (`mayFetch`).
 * Gives `{ path, version, origin }`, or `{ missing }` with the reason when there is none to be had.
 * TIDINGS_REDIS=fetched goes straight to the fetched one, TIDINGS_REDIS=none does without.
 */
export function findRedis({ mayFetch = true } = {}) {
  const wanted = process.env.TIDINGS_REDIS ?? '';
  if (wanted === 'none') return { missing: 'TIDINGS_REDIS=none asks to do without.' };
  const given = process.env.REDIS_SERVER_PATH ?? '';
  if (given !== '') return tried(given, 'REDIS_SERVER_PATH');
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const local = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
  if (wanted !== 'fetched' && local !== undefined) return tried(local, `local server ${local}`);
  if (!mayFetch || process.platform !== 'linux' || outputOf('apt-get', ['--version']) === '')
    return { missing: 'None is on this machine. Install Redis or Valkey, or set REDIS_SERVER_PATH to one.' };
  try {
    const folder = withLock('redis', fetchOnce);
    return tried(join(folder, 'usr/bin/redis-server'), 'Debian package redis-server, unpacked for the tests');
  } catch (error) {
    return { missing: error.message };
  }
}

/** Asked whether it starts before every test of it fails one by one. */
function tried(path, origin) {
  const libraries = librariesFor(path);
  const version = /v=(\d[\d.]*)/.exec(
    outputOf('env', [`LD_LIBRARY_PATH=${libraries}`, path, '--version']),
  )?.[1];
  return version === undefined
    ? { missing: `${path} (${origin}) does not start as a Redis server.` }
    : { path, version, origin, libraries };
}

/** As LD_LIBRARY_PATH: what an unpacked server needs lies beside it. */
function librariesFor(path) {
  const folder = join(cache, 'usr/lib');
  if (!path.startsWith(cache) || !existsSync(folder)) return process.env.LD_LIBRARY_PATH ?? '';
  return [folder, ...readdirSync(folder).map((name) => join(folder, name))].join(delimiter);
}

/** The server with its libraries; apt-get downloads without being root, and nothing of the system is changed. */
function fetchOnce() {
  const folder = cache;
  const complete = join(folder, 'complete'); // Written last: half a download is none.
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) runStep('Reading the list of Debian packages', 'apt-get', ['-q', 'update']);
  const packages = [
    'redis-server',
    'redis-tools',
    'libjemalloc2',
    'liblzf1',
    'libatomic1',
    'libssl3',
    'libsystemd0',
  ];
  const known = packages.filter((name) => outputOf('apt-cache', ['show', name]) !== '');
  const script = `cd "$0" && apt-get -q download "$@" && for file in *.deb; do dpkg -x "$file" . || exit 1; rm "$file"; done`;
  runStep('Fetching Redis for the tests (apt-get download redis-server)', 'sh', [
    '-c',
    script,
    folder,
    ...known,
  ]);
  writeFileSync(complete, '');
  return folder;
}
