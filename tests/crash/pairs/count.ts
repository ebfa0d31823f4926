import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from './ledger-provider.ts';

/** What one file of pairs has counted. */
export interface PairsCount {
  points: number;
  pairs: number;
  /** Third lives: images that differ. */
  lives: number;
  /** Pairs after which something was wrong, and points after which it was so without a second death. */
  broken: number;
}

export interface PairsTotal extends PairsCount {
  /** Those of which there is no count: their file did not run to its end, and nobody knows. */
  missing: Kind[];
}

export const countFile = (folder: string, kind: Kind) => join(folder, `${kind}.json`);

const kinds = ['resend', 'smtp'] as const satisfies Kind[];

/** All that was counted in this folder. */
export function addUp(folder: string): PairsTotal {
  const total: PairsTotal = { points: 0, pairs: 0, lives: 0, broken: 0, missing: [] };
  for (const kind of kinds) {
    const count = countOf(countFile(folder, kind));
    if (count === undefined) total.missing.push(kind);
    else for (const what of ['points', 'pairs', 'lives', 'broken'] as const) total[what] += count[what];
  }
  return total;
}

function countOf(path: string): PairsCount | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PairsCount;
  } catch {
    return undefined;
  }
}
