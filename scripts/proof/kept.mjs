import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../digest.mjs';
import { root } from '../root.mjs';

/**
 * What the steps of a run have shown, for whoever goes on with it: an hour and a half is long, and a lid is closed in a moment. It
 * counts for the same source and the same size alone.
 */
const folder = join(root, '.cache/proof');
const inputs = {
  simulated: ['package-lock.json', 'src', 'simulation'],
  tested: ['package-lock.json', 'src', 'tests', 'simulation'],
};
const inputsOf = {
  simulate: inputs.simulated,
  mutations: inputs.simulated,
  kills: inputs.simulated,
  images: inputs.simulated,
  points: inputs.tested,
  pairs: inputs.tested,
  fuzz: inputs.tested,
};
const fileOf = (name) => join(folder, `${name}.json`);

export function forgetRows() {
  rmSync(folder, { recursive: true, force: true });
}

/** Of what it is about; asked for before the step, so that a file that is saved meanwhile makes it another one. */
export const stampOf = (name, order) => `${digestOf(inputsOf[name])} ${JSON.stringify(order)}`;

export function keepRow(name, stamp, row) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(name), JSON.stringify({ stamp, row }));
}

export function keptRow(name, stamp) {
  try {
    const kept = JSON.parse(readFileSync(fileOf(name), 'utf8'));
    return kept.stamp === stamp ? kept.row : undefined;
  } catch {
    return undefined; // Never run, or broken off while it was written.
  }
}
