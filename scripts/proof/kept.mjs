import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/**
 * What the steps of a run have shown, for whoever goes on with it: an hour and a half is long, and a lid is closed in a moment. It
 * counts for the same stamp alone, which source.mjs makes.
 */
export function createKept(folder = join(root, '.cache/proof')) {
  const fileOf = (name) => join(folder, `${name}.json`);
  return {
    /** Of these steps alone: whoever runs one of them anew has nothing against what another run has shown of the others. */
    forget(names) {
      for (const name of names) rmSync(fileOf(name), { force: true });
    },

    keep(name, stamp, row) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(name), JSON.stringify({ stamp, row }));
    },

    rowOf(name, stamp) {
      try {
        const kept = JSON.parse(readFileSync(fileOf(name), 'utf8'));
        return kept.stamp === stamp ? kept.row : undefined;
      } catch {
        return undefined; // Never run, or broken off while it was written.
      }
    },
  };
}
