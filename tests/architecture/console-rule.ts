import { posix } from 'node:path';
import { type Import, importsOf } from './imports.ts';
import { programOutside, type Rule } from './source-files.ts';

/** What of ours runs in a browser besides the console itself: data and pure functions that would otherwise be written twice. */
export const inTheBrowser: readonly string[] = [
  ...['src/domain/status.ts', 'src/domain/lifecycle.ts', 'src/domain/meanings.ts'],
  ...['src/domain/suppression.ts', 'src/cli/state-meanings.ts'],
  ...['src/sources/course-seats/term.ts', 'src/sources/course-seats/overview/spans.ts'],
  ...['src/sources/newsletters/period.ts', 'src/sources/newsletters/notification-type.ts'],
  'scripts/docs/map-layout.ts',
];

/** The console may take types from anywhere, and these files. What they take themselves comes along: so they may take each other only. */
export const theConsoleTakesLittle: Rule = (files) =>
  programOutside(files, [])
    .filter(({ path }) => path.startsWith('console/') || inTheBrowser.includes(path))
    .flatMap(({ path, text }) => importsOf(text).flatMap((one) => problemOf(path, one)));

function problemOf(path: string, { specifier, isTypeOnly }: Import): string[] {
  if (specifier === null) return [`${path} imports what only a run can tell: write the path out.`];
  if (isTypeOnly) return [];
  const isOfConsole = path.startsWith('console/');
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
  if (isOfConsole && (target === specifier || target.startsWith('console/'))) return [];
  if (inTheBrowser.includes(target)) return [];
  return [
    `${path} imports more than types from ${target}: a browser gets only what tests/architecture/console-rule.ts names, because the console knows the server by its API.`,
  ];
}
