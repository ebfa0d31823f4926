import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { root, runMany } from '../../simulation/many.ts';
import { runPlanted } from '../../simulation/planted/plant.ts';
import { addUp, countFile } from '../crash/pairs/count.ts';

/** Those who count for the proof: what they say is so, and what they did not see they do not call right. */
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-many-'));
  folders.push(folder);
  return folder;
}

/** A folder whose workers do as they are told here, in the place of a simulator. */
function workersThat(script: string): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'simulation'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const head = `
    import { setTimeout as sleep } from 'node:timers/promises';
    const [first, count, stride] = process.argv.slice(2).map(Number);
    const kept = (count) => process.send({ kind: 'progress', count, counts: {}, memory: { heapMb: 1, rssMb: 1 } });
    const broke = (seed, lines = []) =>
      process.send({ kind: 'broken', seed, violation: { promise: 'story', sentence: '' }, lines, shrunk: null });
  `;
  writeFileSync(join(folder, 'simulation/seeds.ts'), `${head}\n${script}\nprocess.disconnect();`);
  return folder;
}

const seeds = { first: 1, count: 8, workers: 2 };

it('of two seeds that break a promise the first by number is told, though the other was found first', async () => {
  const folder = workersThat(`
    if (first === 1) { await sleep(700); kept(1); broke(3); kept(0); }
    else { broke(4); kept(1); }
  `);
  expect((await runMany({ ...seeds, folder })).broken?.seed).toBe(3);
});

it('all that break are told where all are asked for, in their order and as soon as they are met', async () => {
  const folder = workersThat(`
    const isForAll = process.argv[6];
    if (first === 1) { await sleep(300); kept(1); broke(3); kept(2); }
    else { broke(4 * Number(isForAll)); kept(3); }
  `);
  const met: number[] = [];
  const onBroken = ({ seed }: { seed: number }) => met.push(seed);
  const { count, broken, allBroken } = await runMany({ ...seeds, folder, isForAll: true, onBroken });
  expect([count, broken?.seed, allBroken.map(({ seed }) => seed), met]).toEqual([6, 3, [3, 4], [4, 3]]);
});

it('whoever has passed the seed that broke is stopped', async () => {
  const folder = workersThat(`
    if (first === 1) { kept(1); await sleep(100); kept(1); await sleep(600_000); }
    else { broke(2); kept(0); }
  `);
  expect((await runMany({ ...seeds, folder })).broken?.seed).toBe(2);
});

it('seeds that nobody ran are missed', async () => {
  const folder = workersThat('kept(first === 1 ? 4 : 3);');
  await expect(runMany({ ...seeds, folder })).rejects.toThrow('8 seeds were to be run, and 7 were');
  const whole = workersThat('for (let done = 0; done < 4; done++) kept(1);');
  expect(await runMany({ ...seeds, folder: whole })).toMatchObject({ count: 8, broken: null });
});

it('a worker that ends by itself is no alarm, and no silence either', async () => {
  const folder = workersThat('kept(1); process.exit(1);');
  await expect(runMany({ ...seeds, folder })).rejects.toThrow('a worker ended with exit code 1');
});

/** Its workers see whether the bug is there. */
function sourceWhoseWorkers(script: string): string {
  const folder = workersThat(`
    import { readFileSync } from 'node:fs';
    const hasBug = readFileSync('src/rule.ts', 'utf8') === 'bug';
    ${script}
  `);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/rule.ts'), 'rule');
  writeFileSync(join(folder, 'tsconfig.json'), '{}');
  return folder;
}

const bug = { edits: [{ file: 'rule.ts', find: 'rule', replace: 'bug' }] };
const eight = { first: 1, count: 8, workers: 1 };

it('a bug is caught where a seed breaks a promise with it, keeps it without it, and something was sent', async () => {
  const from = sourceWhoseWorkers(`
    if (hasBug) { kept(3); broke(4, ['#1: claimed → sending']); }
    else kept(count);
  `);
  expect(await runPlanted(bug, { ...eight, from })).toMatchObject({ broken: { seed: 4 }, objection: null });
});

it('a bug that needs a campus is looked for in those seeds alone, and the seed that is named is one of them', async () => {
  const from = sourceWhoseWorkers(`
    const mine = [];
    for (let seed = first; seed < first + count; seed += stride) mine.push(seed);
    if (hasBug) { kept(1); broke(mine[1], [mine.join(' '), '#1: claimed → sending']); }
    else kept(mine.length);
  `);
  const { broken } = await runPlanted({ ...bug, where: 'on a campus' }, { ...eight, count: 70, from });
  expect(broken).toMatchObject({ seed: 40, lines: ['20 40 60', '#1: claimed → sending'] });
});

it('of every twentieth seed as many are run as there are, whoever shares them', async () => {
  const folder = workersThat('for (let seed = first; seed < first + count; seed += stride) kept(1);');
  const some = { first: 20, count: 81, every: 20, folder };
  expect(await runMany({ ...some, workers: 1 })).toMatchObject({ count: 5, broken: null });
  expect(await runMany({ ...some, workers: 2 })).toMatchObject({ count: 5, broken: null });
});

it('a seed that breaks a promise without the bug as well is a false alarm, whatever it says with it', async () => {
  const from = sourceWhoseWorkers(`broke(first, ['#1: claimed → sending']);`);
  const { objection } = await runPlanted(bug, { ...eight, from });
  expect(objection).toContain('a false alarm, seed 1 breaks a promise without the bug as well (story)');
});

it('a source with which nothing is ever sent is no bug that was caught, and one bad run is not enough for that', async () => {
  const still = sourceWhoseWorkers('if (hasBug) broke(first, []); else kept(count);');
  expect((await runPlanted(bug, { ...eight, from: still })).objection).toContain('nothing is ever sent');
  const once = sourceWhoseWorkers('if (hasBug && first === 1) broke(1, []); else kept(count);');
  expect((await runPlanted(bug, { ...eight, from: once })).objection).toBeNull();
});

it('a source that does not load is no bug that was caught', async () => {
  const from = sourceWhoseWorkers(`if (hasBug) throw new Error('no use');`);
  await expect(runPlanted(bug, { ...eight, from })).rejects.toThrow('a worker ended with exit code 1');
});

it('pairs of crash points that nobody reported are named, not left out of the sum', () => {
  const folder = newFolder();
  expect(addUp(folder).missing).toEqual(['resend', 'smtp']);
  const count = { points: 2, pairs: 4, lives: 3, broken: 1 };
  writeFileSync(countFile(folder, 'resend'), JSON.stringify(count));
  expect(addUp(folder)).toEqual({ ...count, missing: ['smtp'] });
  writeFileSync(countFile(folder, 'smtp'), '{');
  expect(addUp(folder)).toEqual({ ...count, missing: ['smtp'] });
  writeFileSync(countFile(folder, 'smtp'), JSON.stringify(count));
  expect(addUp(folder)).toEqual({ points: 4, pairs: 8, lives: 6, broken: 2, missing: [] });
});
