import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

const waitMax = 600_000; // An `npm ci` over a slow line takes minutes; past ten, something is wrong.

/**
 * Runs `work` while no other process of this clone runs work of the same name. A lock whose holder is dead
 * counts for nothing, so a crash never blocks the next start.
 */
export function withLock(name, work) {
  const path = join(root, '.cache', `${name}.lock`);
  takeLock(path, name);
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function takeLock(path, name) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    const startedAt = Date.now();
    // A hard link appears with its content or not at all: nobody can read a lock without a holder's id.
    for (let isFirst = true; !tryLink(own, path); isFirst = false) {
      const holder = readHolder(path);
      if (!isAlive(holder)) rmSync(path, { force: true });
      else if (Date.now() - startedAt > waitMax)
        throw new Error(`process ${holder} holds ${path} for too long`);
      else {
        if (isFirst) console.error(`Waiting for process ${holder}, which is at the same step (${name}) …`);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0; // Released since.
  }
}

function isAlive(pid) {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
