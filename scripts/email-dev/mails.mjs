import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

const folder = join(root, 'src/emails');
const quietMs = 50; // An editor writes a file in several steps.
const makeWithinMs = 60_000;
const outputMax = 50_000_000;

/**
 * All samples as mails, made again whenever something changes below src/emails. They are made by a process of its own each time: so
 * that what is new is really loaded, and what is broken breaks only that. The last good ones stay until there are others.
 */
export function watchMails(guard) {
  const listeners = new Set();
  const state = { mails: [], problem: undefined, version: `${process.pid}-0` };
  let making; // The process that makes them now.
  let isStale = false; // Something has changed since it began.
  let isStopped = false;
  let timer;
  let count = 0;

  async function make() {
    if (isStopped) return;
    if (making) {
      isStale = true;
      return;
    }
    isStale = false;
    const startedAt = performance.now();
    const made = await run();
    making = undefined;
    if (isStopped) return;
    if (isStale) return make();
    count += 1;
    Object.assign(state, made, { version: `${process.pid}-${count}` });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(made.problem === undefined ? `${made.mails.length} mails in ${seconds} s` : made.problem);
    for (const tell of listeners) tell(state.version);
  }

  function run() {
    return new Promise((resolve) => {
      const script = join(root, 'scripts/email-dev/print-mails.ts');
      making = guard.spawn(process.execPath, ['--import', 'tsx', script], {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const child = making;
      const bound = setTimeout(() => child.kill('SIGKILL'), makeWithinMs);
      const output = { stdout: [], stderr: [], length: 0 };
      for (const name of ['stdout', 'stderr']) {
        child[name].on('data', (chunk) => {
          output.length += chunk.length;
          if (output.length > outputMax) child.kill('SIGKILL');
          else output[name].push(chunk);
        });
      }
      child.once('error', (error) => resolve({ problem: error.message }));
      child.once('close', (code, signal) => {
        clearTimeout(bound);
        const said = (name) => Buffer.concat(output[name]).toString();
        if (code === 0) resolve({ mails: JSON.parse(said('stdout')), problem: undefined });
        else
          resolve({
            problem: said('stderr').trim() || `The templates could not be loaded (${signal ?? code}).`,
          });
      });
    });
  }

  // Folder by folder: a file that is replaced is a change of its folder, on every system.
  const watching = [folder, ...foldersIn(folder)].map((each) =>
    watch(each, () => {
      clearTimeout(timer);
      timer = setTimeout(make, quietMs);
    }),
  );

  return {
    state,
    made: make,
    /** Calls back with each new version; answers how to end that. */
    onMade(tell) {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const one of watching) one.close();
    },
  };
}

function foldersIn(above) {
  return readdirSync(above, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
