import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { plantedBugs } from '../../simulation/planted-bugs.ts';

/** `npm run mutations` takes a quarter of an hour; that a patch no longer applies is known at once. */
describe('planted bugs', () => {
  test.each(plantedBugs)('$name: what it changes stands in the source once', ({ edits }) => {
    const found = edits.map(({ file, find }) => {
      const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
      return { file, find, times: text.split(find).length - 1 };
    });
    expect(found.filter(({ times }) => times !== 1)).toEqual([]);
  });

  test('each has a name of its own', () => {
    const names = plantedBugs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
