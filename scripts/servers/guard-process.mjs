// The far end of the pipe that guard.mjs describes. Not to be started by hand.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses } from '../test/processes.mjs';

const politeMs = 5_000; // PostgreSQL's fast shutdown takes well under a second here.
const forcedMs = 2_000;

const folders = new Set();
const groups = new Set();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { folder, group, goneGroup } = JSON.parse(line);
    if (folder) folders.add(folder);
    if (group) groups.add(group);
    if (goneGroup) groups.delete(goneGroup);
  })
  .on('close', async () => {
    await Promise.all([...groups].map(stop));
    for (const folder of folders) {
      // Retried, because the last children of a killed server may still be writing.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  });

async function stop(group) {
  // For PostgreSQL SIGINT means: end the connections, then end. SIGTERM would wait for the clients to leave.
  signal(group, 'SIGINT');
  if (await isGoneWithin(group, politeMs)) return;
  signal(group, 'SIGKILL');
  await isGoneWithin(group, forcedMs);
}

async function isGoneWithin(group, boundMs) {
  for (const until = Date.now() + boundMs; Date.now() < until; await sleep(50)) {
    if (findProcesses({ group }).length === 0) return true;
  }
  return false;
}

function signal(group, name) {
  try {
    process.kill(-group, name);
  } catch {
    // None left.
  }
}
