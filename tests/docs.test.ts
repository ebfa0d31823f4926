import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../scripts/docs/generated.ts';
import { drawMap } from '../scripts/docs/map.ts';
import { layout } from '../scripts/docs/map-layout.ts';
import { lifecycle } from '../scripts/docs/moves.ts';
import { evidenceEventNames } from '../src/domain/evidence.ts';
import { workEvents } from '../src/domain/lifecycle.ts';
import { statusNames } from '../src/domain/status.ts';
import { programOutside, readSources } from './architecture/source-files.ts';
import { expectPicture } from './support/expect-picture.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : '');

describe('what is made from the code', () => {
  test.each(Object.entries(generatedFiles))('%s is up to date', (path, make) => {
    expect(read(path) === make(), `${path} is out of date. Run: npm run docs`).toBe(true);
  });

  test('the page of the life cycle names every status and every event', () => {
    const page = read('docs/lifecycle.md');
    const named = (name: string) => page.includes(`| \`${name}\` |`) || page.includes(`**\`${name}\`**`);
    expect([...statusNames, ...workEvents, ...evidenceEventNames].filter((name) => !named(name))).toEqual([]);
  });
});

test('of each large file of src the architecture says which one idea it holds', () => {
  const page = read('docs/architecture.md');
  const program = programOutside(readSources(), []);
  const large = program.filter(({ text }) => text.split('\n').length > 261).map(({ path }) => path);
  expect(large.length).toBeGreaterThan(0);
  expect(large.filter((path) => !page.includes(`](../${path}) | `))).toEqual([]);
});

describe('the table of log events', () => {
  const page = read('docs/operations.md');
  const [, table = ''] = /^\| log event .*\n([\s\S]*?)\n\n/m.exec(page) ?? [];
  const cells = table.split('\n').map((line) => line.split('|')[1] ?? '');
  const told = cells.flatMap((cell) => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name));
  const program = programOutside(readSources(), []).map(({ text }) => text);

  test('has each that may be a warning or an error', () => {
    const loud = /\blog(?:\.(?:warn|error)|\[[^\]\n]*\])\(\s*'([\w.]+)'/g;
    const events = program.flatMap((text) => [...text.matchAll(loud)].map(([, name = '']) => name));
    expect(events.length).toBeGreaterThan(50);
    expect([...new Set(events)].filter((name) => !told.includes(name))).toEqual([]);
  });

  test('has none that nobody logs', () => {
    // What an operator does is logged by the name of its verb.
    const known = (name: string) =>
      /^operator\./.test(name) || program.some((text) => text.includes(`'${name}'`));
    expect(told.length).toBeGreaterThan(100);
    expect(told.filter((name) => !known(name))).toEqual([]);
  });
});

test('the recipe for a provider names every file that knows Postmark', () => {
  const recipe = read('docs/recipes/add-a-provider.md');
  const patterns = [...recipe.matchAll(/`((?:src|tests|docs)\/[^`]+|[A-Z]+\.md)`/g)].map(
    ([, path = '']) =>
      new RegExp(
        `^${path
          .replace(/(?<![a-z])x(?![a-z])/, 'postmark')
          .replaceAll('.', '\\.')
          .replaceAll('*', '[^/]*')}${path.endsWith('/') ? '' : '$'}`,
      ),
  );
  const folders = ['src', 'tests', 'docs', 'console/src', 'scripts', 'simulation', 'bench'];
  const files = [...folders.flatMap(filesBelow), 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'];
  // This test, and the recipe itself.
  const own = ['tests/docs.test.ts', 'docs/recipes/add-a-provider.md'];
  const knowing = files.filter((path) => !own.includes(path) && /postmark/i.test(read(path)));
  expect(knowing.length).toBeGreaterThan(30);
  expect(knowing.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
});

function filesBelow(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|sql|md|json)$/.test(entry.name))
    .map((entry) => posix.join(entry.parentPath.slice(root.length), entry.name))
    .filter((path) => !path.includes('node_modules') && !path.startsWith('bench/results'));
}

describe('the life-cycle map', () => {
  const svg = read('docs/lifecycle.svg');

  test('names every status, and the evidence that leads to it', () => {
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    expect(texts).toEqual(expect.arrayContaining(statusNames));
    expect(texts).toEqual(expect.arrayContaining(evidenceEventNames.map((event) => `◆ ${event}`)));
  });

  test('draws every move of the table, and no other', () => {
    const drawn = [...svg.matchAll(/<g class="route work" data-moves="([^"]*)"><path/g)]
      .flatMap(([, moves]) => moves?.split(' ') ?? [])
      .map((move) => move.replace('&gt;', '>'));
    const moves = lifecycle.moves.map(({ from, to }) => `${from}>${to}`);
    expect([...new Set(drawn)].sort()).toEqual(moves.sort());
  });

  test('is well-formed, says what it is, and loads nothing', () => expectPicture(svg, 'map'));

  test('is refused for a status that has no place', () => {
    const statuses = {
      ...lifecycle.statuses,
      lost: { meaning: 'nobody knows', mailExists: 'no', colour: 'good' as const },
    };
    expect(() => drawMap({ ...lifecycle, statuses })).toThrow(
      'The status lost has no place on the life-cycle map: give it one in scripts/docs/map-layout.ts.',
    );
  });

  test('is refused for a move that has no line, and for a line that is no move', () => {
    const moves = [...lifecycle.moves, { from: 'delivered', to: 'pending', events: ['undone'] }];
    expect(() => drawMap({ ...lifecycle, moves })).toThrow(
      'The move delivered>pending has no line on the life-cycle map: give it one in scripts/docs/map-layout.ts.',
    );
    const fewer = lifecycle.moves.filter(({ events }) => !events.includes('doubted'));
    expect(() => drawMap({ ...lifecycle, moves: fewer })).toThrow(
      'The life-cycle map draws sent>reconciling, which the table does not have: remove it in scripts/docs/map-layout.ts.',
    );
  });

  test('is refused where it would lie about whether a mail may exist', () => {
    const stations = {
      ...layout.stations,
      needs_review: { x: 104, y: 336, width: 124 },
    };
    expect(() => drawMap(lifecycle, { ...layout, stations })).toThrow(
      'The life-cycle map shows needs_review under "no mail can exist", but the table says "perhaps": move it in scripts/docs/map-layout.ts.',
    );
  });

  test('is refused where a text would lie across the border of its box, or the edge', () => {
    const third = { event: 'asked_to_wait', next: 'failed_transient' };
    expect(() => drawMap({ ...lifecycle, evidence: [...lifecycle.evidence, third] })).toThrow(
      '"◆ asked_to_wait" lies across the border of failed_transient on the life-cycle map: make room for it in scripts/docs/map-layout.ts.',
    );
    const stations = { ...layout.stations, needs_review: { x: 468, y: 336, width: 100 } };
    expect(() => drawMap(lifecycle, { ...layout, stations })).toThrow(
      '"needs_review" lies across the border of needs_review',
    );
    expect(() => drawMap(lifecycle, { ...layout, height: 560 })).toThrow(
      '"requeued · resumed by an operator" lies across the edge of the life-cycle map: move it in scripts/docs/map-layout.ts.',
    );
  });
});

const otherFolders = /^(?:node_modules|dist|data|coverage|\..*)$/;

function markdownBelow(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return otherFolders.test(entry.name) ? [] : markdownBelow(`${path}/`);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = markdownBelow('').map((path) => ({ path, text: read(path) }));

type Page = (typeof pages)[number];

/** Links in code are examples. */
const withoutCode = (text: string) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');

function linksOf({ text }: Page): string[] {
  const prose = withoutCode(text);
  return [
    /\]\(\s*<?([^\s)>]+)/g,
    /^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm,
    /(?:src|srcset|href)="([^"\s]+)/g,
  ].flatMap((pattern) => [...prose.matchAll(pattern)].flatMap(([, target]) => target ?? []));
}

function brokenLinks(page: Page): string[] {
  return linksOf(page)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .flatMap((target) => {
      const [file = '', anchor] = decodeURI(target).split('#');
      const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
      if (path.startsWith('..') || file.startsWith('/'))
        return [`${page.path} links to ${target}, outside the project`];
      if (file !== '' && !existsSync(root + path))
        return [`${page.path} links to ${target}, which is not there`];
      if (!anchor || !path.endsWith('.md')) return [];
      return anchorsOf(file === '' ? page.text : read(path)).includes(anchor)
        ? []
        : [`${page.path} links to ${target}: no heading has that name`];
    });
}

/** As GitHub makes them; a heading that is there twice gets a number. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  const headings = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm);
  return [...headings].map(([, heading = '']) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Readers have this project and nothing else: what a page speaks of must be theirs too. */
function strangersIn({ path, text }: Page): string[] {
  const folders = [posix.dirname(path), '.', ...new Set(pages.map((page) => posix.dirname(page.path)))];
  const isHere = (name: string) => folders.some((folder) => existsSync(root + posix.join(folder, name)));
  const prose = text.replace(/https?:\/\/\S+/g, '');
  const pagesNamed = [...prose.matchAll(/(?<![\w/.-])[\w./-]+\.md\b/g)].map(([name]) => name);
  const unknown = pagesNamed.filter((name) => !isHere(name));
  return [
    ...unknown.map((name) => `${path} speaks of ${name}, which is not in the project`),
    ...strangers.flatMap(({ what, pattern }) => {
      const [match] = text.match(pattern) ?? [];
      return match === undefined ? [] : [`${path} names ${what}: ${match.trim()}`];
    }),
  ];
}

const strangers = [
  {
    what: "a folder of somebody's machine",
    pattern: /(?<![\w.~/-])\/(?:home|root|Users|work|mnt)\/[\w./-]+/,
  },
  {
    what: 'a host that readers cannot reach',
    pattern: /https?:\/\/[^\s/)>"'`]*(?:registry|\.internal|\.local|\.corp)\b[^\s)>"'`]*/,
  },
  // Brackets, so that these words are not in this file either.
  { what: 'how it was written instead of what it is', pattern: /\b(?:assistan[t]s?|chatbo[t]s?|LL[M]s?)\b/i },
];

describe('the pages', () => {
  test('are there', () => {
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['docs/architecture.md', 'docs/glossary.md', 'docs/decisions/README.md']),
    );
  });

  test('every decision is in the list of decisions', () => {
    const listed = linksOf({ path: '', text: read('docs/decisions/README.md') });
    const decisions = pages.map(({ path }) => path).filter((path) => /^docs\/decisions\/\d/.test(path));
    expect(listed).toEqual(decisions.map((path) => posix.basename(path)).sort());
  });

  test.each(pages)('$path: its links lead somewhere', (page) => expect(brokenLinks(page)).toEqual([]));
  test.each(pages)('$path speaks of what its readers have', (page) => expect(strangersIn(page)).toEqual([]));
});

describe('the checks on pages', () => {
  const page = (text: string): Page => ({ path: 'docs/planted.md', text });

  test.each([
    ['[a](nowhere.md)', 'docs/planted.md links to nowhere.md, which is not there'],
    ['![a](picture.svg "A title")', 'docs/planted.md links to picture.svg, which is not there'],
    ['<img src="picture.svg">', 'docs/planted.md links to picture.svg, which is not there'],
    ['[a][b]\n\n[b]: ../nothing.md', 'docs/planted.md links to ../nothing.md, which is not there'],
    ['[a](../../other/page.md)', 'docs/planted.md links to ../../other/page.md, outside the project'],
    ['[a](lifecycle.md#nothing)', 'docs/planted.md links to lifecycle.md#nothing: no heading has that name'],
  ])('%s', (text, problem) => expect(brokenLinks(page(text))).toEqual([problem]));

  test.each([
    '[a](lifecycle.md#may-a-mail-exist)',
    '# A *b*: `c_d`\n\n[a](#a-b-c_d)',
    '`[a](nowhere.md)`',
    '```\n[a](nowhere.md)\n```',
    '[a](https://example.com/x.md)',
  ])('is fine: %s', (text) => {
    expect(brokenLinks(page(text))).toEqual([]);
    expect(strangersIn(page(text.replace('nowhere', 'lifecycle')))).toEqual([]);
  });

  test.each([
    ['See PLAN.md.', 'docs/planted.md speaks of PLAN.md, which is not in the project'],
    ['In `/home/ada/tidings`.', "docs/planted.md names a folder of somebody's machine: /home/ada/tidings"],
    [
      'From https://registry.example.com/x.',
      'docs/planted.md names a host that readers cannot reach: https://registry.example.com/x.',
    ],
  ])('%s', (text, problem) => expect(strangersIn(page(text))).toEqual([problem]));
});
