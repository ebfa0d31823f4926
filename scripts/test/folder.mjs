import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps this folder in memory. */
const memory = '/dev/shm';
/** A run leaves some hundred megabytes there for a while; in a container there are often only 64. */
const freeMin = 2 * 1024 ** 3;

/**
 * Where the tests of a run keep their files: in memory where there is room, because a test that kills a process proves nothing
 * about disks, and every commit would wait for one.
 */
export function folderForTests() {
  return mkdtempSync(join(hasRoom(memory) ? memory : tmpdir(), 'tidings-test-'));
}

function hasRoom(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= freeMin;
  } catch {
    return false;
  }
}
