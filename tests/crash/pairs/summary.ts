import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { PairsCount } from './pairs.ts';

/** Adds up what the files have counted: for people as one line, for a program in the file that TIDINGS_PROOF_OUT names. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-pairs-counts-'));
  project.provide('pairsFolder', folder);
  return () => {
    const counts = readdirSync(folder)
      .sort()
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as PairsCount);
    rmSync(folder, { recursive: true });
    if (counts.length === 0) return;
    const sum = (what: 'points' | 'pairs' | 'lives' | 'broken') =>
      counts.reduce((total, count) => total + count[what], 0);
    const total = { points: sum('points'), pairs: sum('pairs'), lives: sum('lives'), broken: sum('broken') };
    process.stdout.write(`${total.points} points, ${total.pairs} pairs, ${total.broken} broken\n`);
    const out = process.env.TIDINGS_PROOF_OUT;
    if (out) writeFileSync(out, `${JSON.stringify({ ...total, providers: counts })}\n`);
  };
}
