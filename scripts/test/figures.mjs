import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { root } from '../root.mjs';

/** Figures of a real run in a page: between two marks, so that the words around them are anybody's to change. */
export function withFigures(page, name, text) {
  const [begin, end] = [`<!-- figures: ${name} -->`, `<!-- end: ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined)
    throw new Error(`The page has no place for the figures of ${name}: ${begin} … ${end}`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}

/** Where a run was, of what, and when. */
export function runAndMachine() {
  const commit = commitOf();
  return [
    `On ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}`,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    new Date().toISOString().slice(0, 10),
  ].join(', ');
}

/** Undefined where there is no git. The page that figures are written to does not count as a change. */
function commitOf() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const commit = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain', '--', '.', ':!docs/proof.md') === '' ? commit : `${commit} + changes`;
  } catch {
    return undefined;
  }
}

/** The one line about a run in which nothing failed and nothing was skipped. */
export function testLine({ size = 'short', passed, seconds, files }) {
  const time = `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  const run = `\`npm test${size === 'short' ? '' : ` -- --${size}`}\`: ${passed.toLocaleString('en-GB')} passed, 0 failed, nothing skipped, in ${time}`;
  return [run, ...provedBy(files).map((one) => `; ${one}`), `. ${runAndMachine()}.`].join('');
}

/** What the names of the tests say of how much they ran; each has its time, in which others ran beside it. */
function provedBy(files) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const timeOf = (some) =>
    `${Math.round(some.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000)} s`;
  const seeds = tests.filter(({ title }) => /^[\d,]+ worlds that fail/.test(title));
  const points = tests.filter(({ ancestorTitles }) =>
    ancestorTitles.some((title) => title.startsWith(killed)),
  );
  const worlds = points.map(({ ancestorTitles }) => /\((.+)\)/.exec(ancestorTitles.join(' '))?.[1]);
  return [
    ...seeds.map((test) => `${test.title.split(' ')[0]} seeds in ${timeOf([test])}`),
    ...(points.length === 0 ? [] : [`${killed} in ${timeOf(points)} (${worlds.sort().join('; ')})`]),
  ];
}

const killed = 'killed at every await';
