import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { load } from '../support/program.mjs';

/**
 * Runs commands one after another, each in surroundings of its own, because to load the program takes ten times as long as most of
 * them. A command has ended when nothing keeps the process alive any more: a timer, a socket or a promise that would keep a process
 * from ending keeps this one from answering. What else it leaves behind, for the next one to trip over, is told with the answer.
 */
process.env.NODE_ENV ??= 'production';
process.setSourceMapsEnabled(true);
// Another one where the tests of this file's promises say so.
const [, , planted] = process.argv;
const { run } = planted === undefined ? await load('cli/cli') : await import(planted);
const home = process.cwd();
const listenersAtHome = new Map(
  [process.stdout, process.stderr].map((stream) => [stream, listenersOf(stream)]),
);
// Beyond what the system gives out, so that no server of a test has the same.
let pid = 4_194_304 + process.pid * 10_000;
let command;

process.on('message', begin);
process.on('beforeExit', () => command && end());
// Whoever asked is gone.
process.on('disconnect', () => process.exit(1));

async function begin({ args, env, cwd, input, mark }) {
  process.channel.unref();
  arrange({ args, env: { NODE_ENV: 'production', ...env }, cwd, input });
  command = { mark, before: surroundings() };
  command.code = await run(args);
}

function arrange({ args, env, cwd, input }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...args);
  // What one left behind would otherwise be taken for one's own by the next, as the leases in the database are.
  pid += 1;
  Object.defineProperty(process, 'pid', { value: pid, configurable: true });
  const stdin = Readable.from(piecesOf(input), { objectMode: false });
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
}

/** As much at a time as a pipe holds. */
function* piecesOf(text = '') {
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length; at += 65_536) yield octets.subarray(at, at + 65_536);
}

function end() {
  const { mark, before, code } = command;
  // Nothing is left that could ever answer: so ends a process in the middle of an await.
  if (code === undefined) process.exit(13);
  const after = surroundings();
  const changed = Object.keys(before).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  for (const [stream, listeners] of listenersAtHome) {
    for (const [name, listener] of listenersOf(stream)) {
      const isOld = listeners.some((one) => one[0] === name && one[1] === listener);
      if (!isOld) stream.off(name, listener);
    }
    stream.write(mark);
  }
  process.chdir(home);
  command = undefined;
  process.channel.ref();
  process.send({ code, changed });
}

function surroundings() {
  const listeners = process.eventNames().map((name) => [name, process.listenerCount(name)]);
  return {
    'the environment': { ...process.env },
    'the working folder': process.cwd(),
    'the exit code': process.exitCode,
    'the listeners of the process': listeners,
    'the globals': Object.getOwnPropertyNames(globalThis),
  };
}

function listenersOf(emitter) {
  return emitter
    .eventNames()
    .flatMap((name) => emitter.rawListeners(name).map((listener) => [name, listener]));
}
