import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { quartersOf, root, runMany } from '../../simulation/many.ts';

/** What a run of the simulator says about memory: whether it is measured at all, and what is made of it. */
it('a worker of the simulator tells what JavaScript holds, and what the whole process holds', async () => {
  const { heapMb, rssMb } = await runMany({ first: 1, count: 2, workers: 1, folder: root });
  expect([heapMb.length, rssMb.length]).toEqual([1, 1]);
  expect(heapMb[0]).toBeGreaterThan(1);
  expect(rssMb[0]).toBeGreaterThan(heapMb[0] ?? Number.POSITIVE_INFINITY);
});

it('a worker can collect its garbage, and what one of several has measured is told in its order', async () => {
  const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'simulation'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const worker = `
    const [first] = process.argv.slice(2).map(Number);
    const kept = (heapMb, rssMb) => process.send({ kind: 'progress', count: 1, counts: {}, memory: { heapMb, rssMb } });
    globalThis.gc();
    kept(first * 10, first * 100);
    kept(first * 10 + 1, first * 100 + 1);
    process.disconnect();
  `;
  writeFileSync(join(folder, 'simulation/seeds.ts'), worker);
  expect(await runMany({ first: 1, count: 4, workers: 2, folder })).toMatchObject({
    heapMb: [10, 11],
    rssMb: [100, 101],
  });
});

it.each([
  [[], null],
  [[1, 2, 3], null],
  [
    [1, 2, 3, 4],
    [2, 4],
  ],
  [
    [9, 9, 2, 4, 9, 9, 6, 8],
    [3, 7],
  ],
  [
    [9, 9, 2, 4, 9, 9, 9, 9, 6, 8],
    [3, 7],
  ],
])('of %j the second quarter and the last are %j', (measured, quarters) => {
  expect(quartersOf(measured)).toEqual(quarters);
});
