import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** What `npm run proof` keeps of its steps for `--go-on`, and that a run is about one source from its beginning to its end. */
const script = <T>(path: string) =>
  import(new URL(`../../scripts/proof/${path}`, import.meta.url).href) as Promise<T>;
interface Row {
  name: string;
  isRight: boolean;
  turn: number;
}
interface Kept {
  forget(names: string[]): void;
  keep(name: string, stamp: string, row: object): void;
  rowOf(name: string, stamp: string): object | undefined;
}
type Look = Map<string, object>;
const { createKept } = await script<{ createKept(folder: string): Kept }>('kept.mjs');
const { lookAt, stampOf } = await script<{
  lookAt(name: string, from: string): Look;
  stampOf(look: Look, order: object, node?: string): string;
}>('source.mjs');
const { runSteps } = await script<{
  runSteps(run: object): Promise<{ rows: Row[]; changed: string[] }>;
}>('run-steps.mjs');
const { endingOf } = await script<{
  endingOf(run: { rows: Row[]; changed: string[]; part: object | null }): {
    table: string;
    sentence: string;
    isRight: boolean;
    canBeWritten: boolean;
  };
}>('ending.mjs');
const { partOf, fullSize } = await script<{
  fullSize: { seeds: number; kills: number; images: number };
  partOf(run: { names: string[]; all: string[]; order: object }): object | null;
}>('size.mjs');

const order = { seeds: 10, kills: 5, images: 7 };
const steps = ['simulate', 'points', 'pairs', 'kills', 'images', 'mutations', 'fuzz'];
const files = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'scripts/deep/run.mjs',
  'src/rule.ts',
  'simulation/world.ts',
];
let from: string;
let kept: Kept;
let turn: number;

beforeEach(() => {
  from = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-go-on-'));
  kept = createKept(join(from, '.cache/proof'));
  turn = 0;
  for (const path of [...files, 'tests/rule.test.ts', 'docs/proof.md']) write(path, 'as it was');
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(from, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(from, path)), { recursive: true });
  writeFileSync(join(from, path), text);
}

/** The clock of a file system may stand still for some milliseconds; nobody's editor is that quick. */
function editAndUndo(path: string): void {
  const changedAt = () => statSync(join(from, path), { bigint: true }).ctimeNs;
  const before = changedAt();
  write(path, 'edited');
  while (changedAt() === before) write(path, 'edited');
  write(path, 'as it was');
}

type Deed = () => void;

/** Each step is right unless told otherwise, and does what it is told to while it runs. */
function run(names: string[], more: { isGoingOn?: boolean; during?: Record<string, Deed>; wrong?: string }) {
  const { isGoingOn = true, during = {}, wrong } = more;
  const runStep = async (name: string) => {
    during[name]?.();
    turn += 1;
    return { name, turn, isRight: name !== wrong, what: name, result: '', seconds: 1, origin: 'commit abc' };
  };
  return runSteps({ ...{ names, order, isGoingOn, runStep, from, kept }, isInterrupted: () => false });
}

/** The steps that a run runs, and does not take from before. */
async function stepsOf(names: string[]): Promise<string[]> {
  const before = turn;
  const { rows } = await run(names, {});
  return rows.flatMap((row) => (row.turn > before ? [row.name] : []));
}

it('what a step has shown is there for the same source, and a step that was wrong is run again', async () => {
  const { rows } = await run(['simulate', 'points', 'fuzz'], { wrong: 'points' });
  expect(await stepsOf(['simulate', 'points', 'fuzz'])).toEqual(['points']);
  expect((await run(['simulate', 'fuzz'], {})).rows).toEqual([rows[0], rows[2]]);
});

it('a step during which the source was edited is kept neither for that source nor for the one before', async () => {
  await run(['simulate', 'points'], { during: { points: () => write('src/rule.ts', 'edited') } });
  expect(await run(['points'], { wrong: 'points' })).toMatchObject({ rows: [{ turn: 3 }] });
  write('src/rule.ts', 'as it was');
  expect(await stepsOf(['simulate', 'points'])).toEqual(['points']);
});

it('a step during which the source was edited, and the edit undone, is not kept', async () => {
  await run(['simulate', 'points'], { during: { points: () => editAndUndo('src/rule.ts') } });
  expect(await stepsOf(['simulate', 'points'])).toEqual(['points']);
});

it('a step that begins on a source other than that of the run is not kept: its row would name the wrong commit', async () => {
  const edit = () => write('tests/rule.test.ts', 'edited');
  await run(['simulate', 'points'], { during: { simulate: edit } });
  write('tests/rule.test.ts', 'as it was');
  expect(await stepsOf(['simulate', 'points'])).toEqual(['points']);
});

it('a file that is made or deleted while a step runs is an edit', async () => {
  const make = () => write('src/another.ts', '');
  const remove = () => rmSync(join(from, 'tsconfig.json'));
  expect((await run(['simulate'], { during: { simulate: make } })).changed).toEqual(['src/another.ts']);
  expect((await run(['simulate'], { during: { simulate: remove } })).changed).toEqual(['tsconfig.json']);
});

it.each(files)('%s belongs to every step', (path) => {
  const stamps = () => steps.map((name) => stampOf(lookAt(name, from), order));
  const before = stamps();
  write(path, 'edited');
  expect(stamps().filter((stamp, index) => stamp === before[index])).toEqual([]);
  write(path, 'as it was');
  expect(stamps()).toEqual(before);
});

it('tests belong to the steps that run some of them, docs to none', () => {
  const stamps = () => new Map(steps.map((name) => [name, stampOf(lookAt(name, from), order)]));
  const before = stamps();
  write('docs/proof.md', 'edited');
  expect(stamps()).toEqual(before);
  write('tests/rule.test.ts', 'edited');
  const after = stamps();
  expect(steps.filter((name) => after.get(name) === before.get(name))).toEqual(['simulate', 'mutations']);
});

it('another Node, or another size, is another run', () => {
  const look = lookAt('simulate', from);
  const stamps = [
    stampOf(look, order),
    stampOf(look, order, 'v0.0.1'),
    stampOf(look, { ...order, seeds: 11 }),
  ];
  expect(new Set(stamps).size).toBe(3);
  expect(stampOf(look, order, process.version)).toBe(stamps[0]);
});

const ending = ({ rows, changed }: { rows: Row[]; changed: string[] }) =>
  endingOf({ rows, changed, part: null });

it('a run on one source is right, and is written with its commit', async () => {
  const { table, sentence, isRight, canBeWritten } = ending(await run(steps, { isGoingOn: false }));
  expect({ isRight, canBeWritten, sentence }).toEqual({
    ...{ isRight: true, canBeWritten: true },
    sentence: 'Every promise was kept.',
  });
  expect(table).toMatch(/\n\ncommit abc\.$/);
});

it('some of the steps, a smaller size, or one that is wrong, is not written, and the first two are called what they are', async () => {
  const part = (names: string[], sizes: object) =>
    partOf({ names, all: steps, order: { ...fullSize, ...sizes } });
  const some = await run(['simulate', 'fuzz'], {});
  expect(endingOf({ ...some, part: part(['simulate', 'fuzz'], { seeds: 5, kills: 1 }) })).toMatchObject({
    ...{ isRight: true, canBeWritten: false },
    sentence:
      '2 of 7 steps, 5 of 100,000 seeds: nothing wrong in these. Not run: points, pairs, kills, images, mutations.',
  });
  const small = await run(steps, { isGoingOn: false });
  expect(endingOf({ ...small, part: part(steps, { kills: 3, images: 199 }) })).toMatchObject({
    ...{ isRight: true, canBeWritten: false },
    sentence: '7 of 7 steps, 3 of 500 kills, 199 of 200 images: nothing wrong in these.',
  });
  expect(part(steps, { seeds: 200_000 })).toBeNull();
  const wrong = ending(await run(steps, { isGoingOn: false, wrong: 'kills' }));
  expect(wrong).toMatchObject({ isRight: false, canBeWritten: false });
});

it.each<[string, Record<string, Deed>]>([
  ['edited', { points: () => write('src/rule.ts', 'edited') }],
  ['edited and undone in one step', { points: () => editAndUndo('src/rule.ts') }],
  [
    'edited in one step and undone in the next but one',
    { points: () => write('src/rule.ts', 'edited'), kills: () => write('src/rule.ts', 'as it was') },
  ],
  ['edited in the last step', { fuzz: () => write('src/rule.ts', 'edited') }],
])('a source that is %s makes a run that is not right, is not written, and says so', async (_, during) => {
  const { table, sentence, isRight, canBeWritten } = ending(await run(steps, { isGoingOn: false, during }));
  expect({ isRight, canBeWritten }).toEqual({ isRight: false, canBeWritten: false });
  expect(sentence).toContain('The source was changed while this ran (src/rule.ts)');
  expect(table).toMatch(/commit abc, and changed while this ran\.$/);
});

it('what no chosen step reads may be edited, and so may the docs', async () => {
  const during = {
    simulate: () => {
      write('tests/rule.test.ts', 'edited');
      write('docs/proof.md', 'edited');
    },
  };
  expect((await run(['simulate'], { during })).changed).toEqual([]);
  write('tests/rule.test.ts', 'as it was');
  // What an earlier step has read is seen at the end. The rows are kept: each is of the source that the run began with.
  const { changed } = await run(['points', 'simulate'], { isGoingOn: false, during });
  expect(changed).toEqual(['tests/rule.test.ts']);
  write('tests/rule.test.ts', 'as it was');
  expect(await stepsOf(['points', 'simulate'])).toEqual([]);
});

it('of many files that were changed some are named', () => {
  const changed = Array.from({ length: 8 }, (_, index) => `src/${index}.ts`);
  expect(endingOf({ rows: [], changed, part: null }).sentence).toContain('src/4.ts and 3 more)');
});

it('one step that is run anew leaves the rows of a run that was broken off as they were', async () => {
  await run(['simulate', 'points', 'fuzz'], {});
  const { rows } = await run(['fuzz'], { isGoingOn: false });
  expect(rows.map((row) => row.turn)).toEqual([4]);
  expect(await stepsOf(['simulate', 'points', 'fuzz'])).toEqual([]);
  await run(['fuzz'], { isGoingOn: false, wrong: 'fuzz' });
  expect(await stepsOf(['simulate', 'points', 'fuzz'])).toEqual(['fuzz']);
});

it('a step that was interrupted is not kept, and no other begins', async () => {
  let isInterrupted = false;
  const runStep = async (name: string) => {
    isInterrupted = name === 'points';
    return { name, turn, isRight: true };
  };
  const names = ['simulate', 'points', 'fuzz'];
  const told: string[] = [];
  const onKept = (name: string) => told.push(name);
  const parts = { names, order, isGoingOn: true, runStep, onKept, from, kept };
  const { rows } = await runSteps({ ...parts, isInterrupted: () => isInterrupted });
  expect(rows.map(({ name }) => name)).toEqual(['simulate', 'points']);
  expect(told).toEqual(['simulate']);
  expect(await stepsOf(names)).toEqual(['points', 'fuzz']);
});

it('a row that was broken off while it was written is none', () => {
  kept.keep('fuzz', 'stamp', { isRight: true });
  expect(kept.rowOf('fuzz', 'stamp')).toEqual({ isRight: true });
  expect(kept.rowOf('fuzz', 'another')).toBeUndefined();
  const file = join(from, '.cache/proof/fuzz.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
  expect(kept.rowOf('fuzz', 'stamp')).toBeUndefined();
});
