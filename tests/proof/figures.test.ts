import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What `npm test -- --figures` and `npm run proof -- --write` put into docs/proof.md, and when it may be called right. */
const script = <T>(path: string) =>
  import(new URL(`../../scripts/${path}`, import.meta.url).href) as Promise<T>;
const { withFigures, testLine } = await script<{
  withFigures(page: string, name: string, text: string): string;
  testLine(run: { size?: string; passed: number; seconds: number; files: object[] }): string;
}>('test/figures.mjs');
const { rowOf } = await script<{
  rowOf(
    name: string,
    run: { figures: object[]; ending: string },
    order: object,
  ): { what: string; result: string; isRight: boolean };
}>('proof/verdicts.mjs');

const page = readFileSync(new URL('../../docs/proof.md', import.meta.url), 'utf8');

it.each(['test', 'proof'])(
  'docs/proof.md has a place for the figures of %s, and only that is written to',
  (name) => {
    const written = withFigures(page, name, 'A line of figures.');
    const place = `<!-- figures: ${name} -->\nA line of figures.\n<!-- end: ${name} -->`;
    expect(written.split(place)).toHaveLength(2);
    const [before = '', after = ''] = written.split(place);
    expect(page.startsWith(before) && page.endsWith(after)).toBe(true);
    expect(withFigures(written, name, 'A line of figures.')).toBe(written);
  },
);

it('a page without a place for them is not written to', () => {
  expect(() => withFigures(page, 'weather', 'rain')).toThrow('no place for the figures of weather');
});

it('the line about all tests says how many, how long, and what the great ones among them ran', () => {
  const killed = (where: string) => ({
    assertionResults: [
      {
        ancestorTitles: [`killed at every await (${where})`],
        title: 'and started again',
        duration: 20_400,
      },
    ],
  });
  const worlds = {
    ancestorTitles: [],
    title: '2,000 worlds that fail: every promise is kept',
    duration: 99_600,
  };
  const files = [killed('sqlite, smtp'), { assertionResults: [worlds] }, killed('postgres, smtp')];
  expect(testLine({ passed: 1_234, seconds: 301.7, files })).toMatch(
    /^`npm test`: 1,234 passed, 0 failed, nothing skipped, in 5 min 1 s; 2,000 seeds in 100 s; killed at every await in 41 s \(postgres, smtp; sqlite, smtp\)\. On \d+ cores \(.+\), Node [\d.]+(, commit [0-9a-f]+( \+ changes)?)?, \d{4}-\d\d-\d\d\.$/,
  );
  expect(testLine({ size: 'all', passed: 1, seconds: 1, files })).toMatch(/^`npm test -- --all`: 1 passed, /);
});

it('what this suite calls its great tests is what the line looks for', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(read('../simulation.test.ts')).toMatch(/it\('[\d,]+ worlds that fail/);
  expect(read('../crash/crash.ts')).toMatch(/describe\(`killed at every await \(/);
});

it('every bug that docs/proof.md tells of by its seed has a test that carries it', () => {
  const stories = page.split('## Bugs that this has found')[1] ?? '';
  const seeds = [...stories.matchAll(/\*\*(?:Seed|Fuzzer, seed) (\d+):/g)].map(([, seed]) => seed);
  expect(seeds.length).toBeGreaterThanOrEqual(4);
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const tests = ['src', 'tests'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  );
  const isNamed = (seed = '') =>
    tests.some((text) => new RegExp(`['\`](fuzzer )?seed ${seed}[:,]`).test(text));
  expect(seeds.filter((seed) => !isNamed(seed))).toEqual([]);
});

const order = { seeds: 1_000, kills: 5, images: 7 };
const right = {
  simulate: [
    {
      ...{ seeds: 1_000, broken: null, allBroken: [], missed: [], happenings: 9, workers: 1, ms: 10 },
      ...{ heapMb: [20, 24], rssMb: [150, 180] },
    },
  ],
  pairs: [{ points: 3, pairs: 9, broken: 0, missing: [] }],
  kills: ['sqlite', 'postgres'].map((database) => ({
    ...{ database, kills: 5, inFlightKills: 1, intents: 8, accepted: 8 },
    ...{ twice: 0, lost: 0, stuck: 0, wrong: 0 },
  })),
  images: [{ images: 7, reopened: 9, wrong: 0 }],
  mutations: [{ planted: 30, caught: 30, latestSeed: 4 }],
  points: [{ passed: 7, failures: [], skipped: [] }],
  fuzz: [{ passed: 4, failures: [], skipped: [] }],
};
const steps = Object.keys(right) as (keyof typeof right)[];
const row = (name: keyof typeof right, figures: object[], ending = 'exit code 0') =>
  rowOf(name, { figures, ending }, order);

it.each(steps)('proof: %s is right when all that was asked was seen and nothing is wrong', (name) => {
  expect(row(name, right[name])).toMatchObject({ isRight: true });
});

it.each(steps)(
  'proof: %s is wrong when its process failed or said nothing, whatever its figures are',
  (name) => {
    expect(row(name, right[name], 'exit code 1')).toMatchObject({
      isRight: false,
      result: expect.stringContaining('it ended with exit code 1'),
    });
    expect(row(name, right[name], 'SIGKILL').isRight).toBe(false);
    expect(row(name, []).isRight).toBe(false);
  },
);

it.each([
  ['simulate', { seeds: 999 }],
  ['simulate', { broken: 12 }],
  ['simulate', { missed: ['a fault'] }],
  ['simulate', { missed: null, broken: 12 }],
  ['simulate', { heapMb: [20, 25] }],
  ['simulate', { rssMb: [150, 181] }],
  ['simulate', { heapMb: null }],
  ['simulate', { rssMb: null }],
  ['pairs', { broken: 1 }],
  ['pairs', { pairs: 0 }],
  ['pairs', { missing: ['smtp'] }],
  ['kills', { kills: 4 }],
  ['kills', { intents: 0, accepted: 0 }],
  ['kills', { accepted: 7 }],
  ['kills', { inFlightKills: 0 }],
  ['kills', { wrong: 1 }],
  ['kills', { stuck: 1 }],
  ['kills', { database: 'another' }],
  ['images', { reopened: 0 }],
  ['images', { images: 6 }],
  ['images', { wrong: 1 }],
  ['mutations', { planted: 0, caught: 0 }],
  ['mutations', { caught: 29 }],
  ['points', { passed: 0 }],
  ['points', { failures: ['a file that does not load'] }],
  ['points', { skipped: ['a test'] }],
  ['fuzz', { passed: 0 }],
  ['fuzz', { failures: ['a file that does not load'] }],
  ['fuzz', { skipped: ['a test'] }],
] as const)('proof: %s is wrong with %j', (name, more) => {
  const [first, ...others] = right[name];
  expect(row(name, [{ ...first, ...more }, ...others]).isRight).toBe(false);
});

it('proof: the memory of a worker is told, of JavaScript and of all of it, and so is that it grew', () => {
  const [figures] = right.simulate;
  expect(row('simulate', [{ ...figures }]).what).toContain(
    'a worker held 20 MB of JavaScript and 150 MB in all in the second quarter, 24 MB and 180 MB in the last',
  );
  expect(row('simulate', [{ ...figures, rssMb: [150, 300] }]).result).toMatch(/0 broken; memory grew$/);
});

it('proof: a run too small to have quarters is judged without its memory', () => {
  const [figures] = right.simulate;
  const small = { ...figures, workers: 2, heapMb: null, rssMb: null };
  expect(row('simulate', [small])).toMatchObject({
    isRight: true,
    what: expect.stringContaining('memory not measured'),
  });
});

it('proof: kinds that nobody looked for are not called found', () => {
  const [figures] = right.simulate;
  const result = (more: object, seeds: number) =>
    rowOf(
      'simulate',
      { figures: [{ ...figures, seeds, ...more }], ending: 'exit code 0' },
      { ...order, seeds },
    );
  expect(result({ missed: null }, 1_999)).toMatchObject({
    isRight: true,
    result: expect.stringContaining('kinds not checked below 2,000 seeds'),
  });
  expect(result({ missed: null }, 2_000).isRight).toBe(false);
  expect(result({ missed: null, broken: 5, allBroken: [5, 7] }, 2_000).result).toContain(
    'kinds not checked because a seed broke, 2 broken',
  );
  expect(result({ missed: ['a fault', 'an arrow'] }, 2_000).result).toContain('2 of their kinds missed');
});

it('proof: one is one, and a slow machine is not one that does nothing', () => {
  const [figures] = right.simulate;
  const slow = row('simulate', [{ ...figures, seeds: 1, ms: 9_000, heapMb: null, rssMb: null }]);
  expect(slow.what).toContain('less than 1 a second and core');
  expect(slow.result).toMatch(/^1 seed, /);
  const [sqlite] = right.kills;
  expect(row('kills', [{ ...sqlite, kills: 1, intents: 1, inFlightKills: 0 }]).result).toContain(
    'sqlite: 1 kill (none of them with mail on its way), 1 intent, 8 accepted',
  );
});
