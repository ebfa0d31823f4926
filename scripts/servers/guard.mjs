import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const guards = new Set();
let areEnded = false;

/**
 * Someone to clean up after this process, however it ends. A guard is a small process on the far end of
 * a pipe: when the pipe closes, because `end()` was called or because this process is gone (kill -9
 * included), it stops every process and deletes every folder it was told of. One way out for all endings,
 * so every ordinary run tests the clean-up of a killed one.
 */
export function createGuard() {
  refuseWhenEnded();
  const child = spawn(process.execPath, [fileURLToPath(new URL('./guard-process.mjs', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // A Ctrl-C in the terminal goes to the whole foreground group; the guard must outlive it.
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.on('error', () => {}); // The guard itself was killed; `ended` says so.
  child.unref();
  child.stdin.unref();
  const tell = (message) => child.stdin.writable && child.stdin.write(`${JSON.stringify(message)}\n`);

  const guard = {
    /** Deletes this folder at the end. */
    folder(path) {
      tell({ folder: path });
      return path;
    },

    /** Spawns a process at the head of a group of its own, and stops that whole group at the end. */
    spawn(command, args, options) {
      refuseWhenEnded();
      const guarded = spawn(command, args, { ...options, detached: true });
      if (guarded.pid === undefined) return guarded;
      tell({ group: guarded.pid });
      // Told at once, because the system may give the number of a dead process to a stranger.
      guarded.once('exit', () => tell({ goneGroup: guarded.pid }));
      return guarded;
    },

    /** Resolves when everything is stopped and deleted. */
    async end() {
      guards.delete(guard);
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
  guards.add(guard);
  return guard;
}

/** For when this process was told to stop: from here on, nothing that would need a guard can be started. */
export async function endGuards() {
  areEnded = true;
  await Promise.all([...guards].map((guard) => guard.end()));
}

function refuseWhenEnded() {
  if (areEnded) throw new Error('This process is about to end and starts nothing any more.');
}
