import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { outputOf } from '../prepare/run-step.mjs';

const graceMs = 2_000; // A killed child needs a moment to go.

/**
 * Processes that outlived the test run: of its process group or, where the system tells (Linux), with the run's
 * mark in their environment, which a child keeps even if it leaves the group. Stops them, and says which.
 */
export async function endLeftoverProcesses({ group, mark }) {
  let left = [];
  for (const until = Date.now() + graceMs; ; await sleep(50)) {
    left = findProcesses({ group, mark });
    if (left.length === 0 || Date.now() > until) break;
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself since.
    }
  }
  return left;
}

/** Living processes of the group, or with the mark. Zombies are dead and only wait to be collected. */
export function findProcesses(run) {
  return existsSync('/proc/self/stat') ? findInProc(run) : findWithPs(run);
}

function findInProc({ group, mark }) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const read = (name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    try {
      // After the name in brackets come state, parent and group.
      const [state, , itsGroup] = read('stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      const isOfRun = Number(itsGroup) === group || (mark && read('environ').split('\0').includes(mark));
      if (state === 'Z' || !isOfRun) return [];
      return [{ pid: Number(pid), command: read('cmdline').replaceAll('\0', ' ').trim() }];
    } catch {
      return []; // Gone since, or somebody else's.
    }
  });
}

function findWithPs({ group }) {
  const lines = outputOf('ps', ['-A', '-o', 'pid=,pgid=,command=']).split('\n');
  return lines.flatMap((line) => {
    const [, pid, itsGroup, command] = line.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/) ?? [];
    return Number(itsGroup) === group ? [{ pid: Number(pid), command }] : [];
  });
}
