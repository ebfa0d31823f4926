import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from '../digest.mjs';
import { root } from '../root.mjs';

/**
 * What each step of `npm run proof` is about: the files that it runs, and those that start it, configure it and judge it. The docs are
 * not among them, because the figures are written there.
 */
const simulated = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'scripts',
  'src',
  'simulation',
];
const tested = [...simulated, 'tests'];
const inputsOf = {
  simulate: simulated,
  mutations: simulated,
  kills: tested, // The crash test has its provider and its databases from tests/support.
  images: tested,
  points: tested,
  pairs: tested,
  fuzz: tested,
};

/**
 * The files of a step as they are now: what is in each, and when it was last changed. The second is for comparing two looks of one
 * run: an edit that was undone has been run all the same.
 */
export function lookAt(name, from = root) {
  const paths = inputsOf[name].filter((path) => existsSync(join(from, path)));
  return new Map(filesOf(paths, from).map((path) => [path, stateOf(join(from, path))]));
}

function stateOf(path) {
  try {
    const { ctimeNs: changedAt } = statSync(path, { bigint: true });
    return { contents: createHash('sha256').update(readFileSync(path)).digest('hex'), changedAt };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { contents: 'gone', changedAt: 0n }; // Since the folder was read.
  }
}

/** What a row is kept for: contents alone, because a checkout or a copy changes every time; the sizes; and what runs it. */
export function stampOf(look, order, node = process.version) {
  const contents = [...look].map(([path, state]) => [path, state.contents]);
  return createHash('sha256')
    .update(JSON.stringify([contents, order, node]))
    .digest('hex');
}

/** The files that were written, made or deleted between two looks, whatever is in them now. */
export function changedBetween(before, after) {
  const isSame = (path) =>
    before.get(path)?.contents === after.get(path)?.contents &&
    before.get(path)?.changedAt === after.get(path)?.changedAt;
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => !isSame(path));
}
