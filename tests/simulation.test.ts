import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { plantedBugs } from '../simulation/planted-bugs.ts';

/** `npm run proof` runs fifty times as many. From 2,000 on a run fails, too, if a fault or an arrow never happened. */
it('2,000 worlds that fail: every promise is kept, every fault and every arrow has happened', async ({
  signal,
}) => {
  const args = ['--import', 'tsx', 'simulation/simulate.ts', '--seeds', '2000', '--json'];
  // A test that is given up leaves no worker behind.
  const run = promisify(execFile)(process.execPath, args, { signal });
  // Of a seed that broke, the story is on stderr.
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  const { seeds, broken, missed } = JSON.parse(stdout || '{}');
  expect({ seeds, broken, missed }, stderr).toEqual({ seeds: 2_000, broken: null, missed: [] });
}, 1_200_000);

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
