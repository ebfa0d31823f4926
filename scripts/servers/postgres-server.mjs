import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { outputOf } from '../prepare/run-step.mjs';
import { copyFor, isOpenToAll, makeFolderFor, unprivilegedUser } from './unprivileged.mjs';

const readyMaxMs = 30_000; // Half a second is usual; a loaded machine may take much longer.

/** Starts a server on a free port of 127.0.0.1, in a fresh folder; throws with the reason if it cannot. */
export async function startThrowAwayServer(guard, { bin, origin, movable }, isDurable) {
  const user = unprivilegedUser();
  const folder = guard.folder(makeFolderFor(user, 'tidings-postgres-'));
  const server = {
    guard,
    user,
    folder,
    bin,
    isDurable,
    data: join(folder, 'data'),
    log: join(folder, 'log'),
  };
  if (user && movable && !isOpenToAll(bin)) {
    copyFor(user, movable, join(folder, 'server'));
    server.bin = join(folder, 'server/bin');
  }
  await initialise(server);
  const port = await listen(server);
  const url = `postgres://tidings@127.0.0.1:${port}/postgres`;
  const version = versionOf(bin);
  const restarting = () => restart(server, port);
  return { url, version, origin, drop: async () => {}, stop: guard.end, restart: restarting };
}

async function initialise(server) {
  const options = ['--auth=trust', '--username=tidings', '--locale=C', '--encoding=UTF8', '--no-sync'];
  const [code] = await once(start(server, 'initdb', ['-D', server.data, ...options]), 'exit');
  if (code !== 0) throw new Error(`${server.bin}/initdb ended with ${code}: ${tailOf(server.log)}`);
}

/** Resolves to the port once connections are accepted. */
async function listen(server) {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    const port = await findFreePort();
    if (await isUp(server, port)) return port;
    // Between finding a free port and taking it, somebody else may have.
    const problem = tailOf(server.log);
    if (triesLeft === 1 || !problem.includes('could not bind')) {
      throw new Error(`${server.bin}/postgres does not get ready: ${problem}`);
    }
  }
}

/** Without a goodbye to anybody, as after a fault of the machine: it comes back by what its log says. */
async function restart(server, port) {
  const gone = once(server.postgres, 'exit');
  server.postgres.kill('SIGQUIT'); // Its immediate shutdown.
  await gone;
  if (!(await isUp(server, port)))
    throw new Error(`${server.bin}/postgres does not come back: ${tailOf(server.log)}`);
}

/** Starts the server and answers whether it takes connections. */
async function isUp(server, port) {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=', // The path of a temp folder may be too long for a socket.
    // Nothing outlives a test run; a measurement must pay what production pays.
    ...(server.isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
    'max_connections=200', // Test files run side by side, each with pools of its own.
  ].flatMap((setting) => ['-c', setting]);
  server.postgres = start(server, 'postgres', ['-D', server.data, '-p', String(port), ...settings]);
  return isReady(server.postgres, server.data);
}

function start({ guard, user, folder, bin, log }, command, args) {
  const output = openSync(log, 'a');
  const child = guard.spawn(join(bin, command), args, {
    ...user,
    cwd: folder, // Where we are now, that user may not be allowed to be.
    env: { ...withoutPostgresVariables(process.env), LC_ALL: 'C' },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.on('error', () => {}); // A command that cannot be started has an exit code like one that failed.
  return child;
}

/** The server writes its state into its pid file, which is where its own pg_ctl looks too. */
async function isReady(postgres, data) {
  for (const until = Date.now() + readyMaxMs; Date.now() < until; await sleep(20)) {
    if (postgres.exitCode !== null || postgres.signalCode !== null) return false;
    const [pid, , , , , , , state] = readIfThere(join(data, 'postmaster.pid')).split('\n');
    if (Number(pid) === postgres.pid && state?.trim() === 'ready') return true;
  }
  return false;
}

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** PGSSLMODE, PGOPTIONS and their like are meant for somebody's own server, not for this one. */
export function withoutPostgresVariables(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PG[A-Z]+$/.test(name)));
}

function versionOf(bin) {
  return outputOf(join(bin, 'postgres'), ['--version']).match(/\d[\w.]*/)?.[0] ?? 'unknown';
}

function tailOf(path) {
  return readIfThere(path).trim().split('\n').slice(-5).join('\n');
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
