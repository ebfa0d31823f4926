import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { plantedBugs } from '../simulation/planted-bugs.ts';

/** A taste of it with every run; `npm run simulate -- --seeds 20000` is the meal. */
it('the engine keeps its promises in a world that fails, and the same seed tells the same story', async () => {
  const args = ['--import', 'tsx', 'simulation/simulate.ts', '--seeds', '200'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stdout + stderr).toMatch(/200 seeds kept every promise/);
});

it('every place where a bug is planted is still there, once', () => {
  const places = plantedBugs.flatMap(({ name, edits }) =>
    edits.map(({ file, find }) => {
      const text = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8');
      return { name, file, times: text.split(find).length - 1 };
    }),
  );
  expect(places.filter(({ times }) => times !== 1)).toEqual([]);
});

it('every planted bug has a name of its own and changes something', () => {
  const names = plantedBugs.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const idle = plantedBugs.filter(({ edits }) => edits.every(({ find, replace }) => find === replace));
  expect(idle).toEqual([]);
});
