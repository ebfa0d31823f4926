import { spawnSync } from 'node:child_process';
import { root } from '../root.mjs';

/** Runs a command that a person waits for: says so before, how long it took after, its output only on failure. */
export function runStep(title, command, args) {
  process.stderr.write(`${title} … `);
  const startedAt = performance.now();
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
    shell: process.platform === 'win32' && command === 'npm', // There npm is a .cmd file.
  });
  if (result.status === 0) {
    process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
    return;
  }
  process.stderr.write('failed\n');
  const reason = result.error?.message ?? result.signal ?? `exit code ${result.status}`;
  throw new StepFailed(
    `${title} failed (${reason}).\n${result.stdout ?? ''}${result.stderr ?? ''}`.trimEnd(),
  );
}

/** What a command prints, or nothing if there is no such command. */
export function outputOf(command, args) {
  return spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? '';
}

export class StepFailed extends Error {}
