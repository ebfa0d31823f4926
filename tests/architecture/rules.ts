import { posix } from 'node:path';
import { type Import, importsOf } from './imports.ts';
import { exceptions, layerKey, layerOf } from './layers.ts';
import { codeOnly, withoutComments } from './source-text.ts';

/**
 * The house rules, as functions from files to sentences: what is wrong where, what is allowed, and why. They see text
 * only, so that the test can also give them files with planted mistakes.
 */
export interface SourceFile {
  path: string;
  text: string;
}

type Rule = (files: readonly SourceFile[]) => string[];

const isTest = ({ path }: SourceFile) => /\.test\.tsx?$/.test(path);
const program = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file));
const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

// Imports

export const importsFollowTheTable: Rule = (files) =>
  files.flatMap((file) => importsOf(file.text).flatMap((one) => importProblem(file.path, one)));

function importProblem(path: string, { specifier, isTypeOnly }: Import): string[] {
  const layer = layerOf(path);
  if (!layer) return [unknownFolder(path)];
  if (specifier === null) {
    return [`${path} imports what only a run can tell: write the path out, because imports are checked by reading.`];
  }
  if (!specifier.startsWith('.')) return [];
  const target = posix.join(posix.dirname(path), specifier);
  if (!isIn(target, 'src')) {
    return [`${path} imports ${target}: nothing in src may import from outside it, because only src is shipped.`];
  }
  if (layerKey(target) === layerKey(path) || layer.may.some((place) => isIn(target, `src/${place}`))) return [];
  const exception = exceptions.find(({ from, to }) => from === path && to === target);
  if (exception && (isTypeOnly || !exception.typesOnly)) return [];
  if (exception) {
    return [`${path} imports ${target} with values: it may import types only, because ${exception.because}.`];
  }
  return [`${path} imports ${target}: ${layer.name} may import only ${listed(layer.may)}, because ${layer.because}.`];
}

const unknownFolder = (path: string) =>
  `${path} is in no layer: say in tests/architecture/layers.ts whom ${layerKey(path)} may import, and why.`;

function listed(places: readonly string[]): string {
  return places.length === 0 ? 'itself' : `${places.join(', ')} and itself`;
}

/** Also for files that import nothing. */
export const everyFolderIsInTheTable: Rule = (files) =>
  [...new Map(files.filter(({ path }) => !layerOf(path)).map(({ path }) => [layerKey(path), path])).values()].map(
    unknownFolder,
  );

export const exceptionsAreNeeded: Rule = (files) =>
  exceptions
    .filter(({ from, to }) => {
      const file = files.find(({ path }) => path === from);
      const targets = importsOf(file?.text ?? '').map(({ specifier }) => posix.join(posix.dirname(from), specifier ?? ''));
      return !targets.includes(to);
    })
    .map(({ from, to }) => `${from} does not import ${to} any more: remove the exception from tests/architecture/layers.ts.`);

// Purity

interface Impurity {
  what: string;
  pattern: RegExp;
}

const clockReads: readonly Impurity[] = [
  { what: 'Date.now', pattern: /\bDate\s*\.\s*now\b/ },
  { what: 'new Date()', pattern: /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/ },
  { what: 'Date()', pattern: /(?<!\bnew\s+)(?<![\w$.])Date\s*\(/ },
  { what: 'Temporal.Now', pattern: /\bTemporal\s*\.\s*Now\b/ },
  { what: 'performance', pattern: /(?<![\w$.])performance\s*\./ },
  { what: 'process.hrtime', pattern: /\bprocess\s*\.\s*(?:hrtime|uptime)\b/ },
  { what: 'a timer', pattern: /(?<![\w$])(?:setTimeout|setInterval|setImmediate)\b|\bAbortSignal\s*\.\s*timeout\b/ },
];
const diceRolls: readonly Impurity[] = [
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/ },
  { what: 'crypto', pattern: /\b(?:randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b/ },
];
const effects: readonly Impurity[] = [
  { what: 'process', pattern: /(?<![\w$.])process\s*\./ },
  { what: 'async', pattern: /(?<![\w$.])async\b(?!\s*[:,)}=])/ },
  { what: 'await', pattern: /(?<![\w$.])await\b(?!\s*[:,)}=])/ },
  { what: 'Promise', pattern: /(?<![\w$.])Promise\b/ },
  { what: 'fetch', pattern: /(?<![\w$.])fetch\s*\(/ },
  { what: "the system's clock, ids or dice", pattern: /\bsystem(?:Clock|Ids|Random)\b/ },
];

const usesIn = (text: string, impurities: readonly Impurity[]) => {
  const code = codeOnly(text);
  return impurities.filter(({ pattern }) => pattern.test(code)).map(({ what }) => what);
};

/** What domain/ may take from outside: hashing and the spelling of host names depend on their arguments only. */
const domainMayImport: Readonly<Record<string, readonly string[] | 'anything'>> = {
  'node:crypto': ['createHash'],
  'node:url': 'anything',
};

export const domainIsPure: Rule = (files) =>
  program(files)
    .filter(({ path }) => isIn(path, 'src/domain'))
    .flatMap(({ path, text }) => {
      const why = 'domain is pure, because what it decides must follow from its arguments alone';
      const uses = usesIn(text, [...clockReads, ...diceRolls, ...effects]).map((what) => `${path} uses ${what}: ${why}.`);
      const imports = importsOf(text).flatMap(({ specifier, names }) => {
        if (specifier === null || specifier.startsWith('.')) return [];
        const allowed = domainMayImport[specifier] ?? [];
        const wrong = allowed === 'anything' ? [] : names.filter((name) => !allowed.includes(name));
        if (wrong.length === 0 && (names.length > 0 || allowed === 'anything')) return [];
        return [`${path} imports ${wrong.join(', ') || 'all'} from ${specifier}: ${why}.`];
      });
      return [...uses, ...imports];
    });

const clockModules = /^(?:node:)?(?:timers|timers\/promises|perf_hooks)$/;

export const onlyTheClockReadsTheClock: Rule = (files) =>
  elsewhere(files, ['src/std/clock.ts', 'src/std/log.ts', 'src/domain']).flatMap(({ path, text }) => {
    const modules = importsOf(text).flatMap(({ specifier }) => (specifier && clockModules.test(specifier) ? [specifier] : []));
    return [...usesIn(text, clockReads), ...modules].map(
      (what) =>
        `${path} uses ${what}: only src/std/clock.ts reads the clock (and src/std/log.ts, to date its lines), because tests and the simulator decide what time it is; take a Clock.`,
    );
  });

export const onlyTheDiceRoll: Rule = (files) =>
  elsewhere(files, ['src/std/random.ts', 'src/std/ids.ts', 'src/domain']).flatMap(({ path, text }) =>
    usesIn(text, diceRolls).map(
      (what) =>
        `${path} uses ${what}: only src/std/random.ts and src/std/ids.ts make randomness, because a simulated run is replayed from its seed; take Random or Ids.`,
    ),
  );

function elsewhere(files: readonly SourceFile[], places: readonly string[]): SourceFile[] {
  return program(files).filter(({ path }) => !places.some((place) => isIn(path, place)));
}

const environmentRead = /\bprocess\s*\.\s*env\b|\}\s*=\s*process\b|(?<![\w$.])process\s*\[/;

export const onlyConfigReadsTheEnvironment: Rule = (files) =>
  elsewhere(files, ['src/config.ts'])
    .filter(
      ({ text }) =>
        environmentRead.test(codeOnly(text)) ||
        importsOf(text).some(({ specifier }) => specifier === 'node:process' || specifier === 'process'),
    )
    .map(
      ({ path }) =>
        `${path} reads process.env: only src/config.ts may, because a setting that is read in two places is checked in none.`,
    );

export const onlyTheCommandLinePrints: Rule = (files) =>
  elsewhere(files, ['src/cli'])
    .filter(({ text }) => /(?<![\w$.])console\s*\./.test(codeOnly(text)))
    .map(({ path }) => `${path} uses console: only src/cli prints, because everybody else has a Log with fields and no secrets.`);

// The one writer

const table = String.raw`(?:"?\w+"?\.)?["'\`]?deliveries(?!\w)`;
const placeholder = String.raw`\$\{\s*sql\s*\.\s*(?:table|ref|id|raw|lit)\s*\(\s*['"\`]deliveries(?!\w)`;
const writes: readonly RegExp[] = [
  /\.\s*(?:updateTable|insertInto|deleteFrom|replaceInto|mergeInto)\s*(?:<[^>]*>)?\s*\(\s*\[?\s*['"`]deliveries(?!\w)/g,
  // SET, so that a sentence about deliveries is not taken for a statement.
  new RegExp(String.raw`\bUPDATE\s+(?:OR\s+\w+\s+|ONLY\s+)?(?:${table}|${placeholder})[^;\`]{0,120}?\bSET\b`, 'gi'),
  new RegExp(String.raw`\b(?:INSERT|REPLACE|MERGE)\s+(?:OR\s+\w+\s+)?INTO\s+(?:${table}|${placeholder})`, 'gi'),
  new RegExp(String.raw`\bDELETE\s+FROM\s+(?:ONLY\s+)?(?:${table}|${placeholder})`, 'gi'),
];

export const onlyTheOutboxWritesDeliveries: Rule = (files) =>
  elsewhere(files, ['src/outbox', 'src/db/migrations']).flatMap(({ path, text }) => {
    const code = withoutComments(text);
    const found = writes.flatMap((pattern) => [...code.matchAll(pattern)].map(([match]) => match.replace(/\s+/g, ' ').trim()));
    return found.map(
      (match) =>
        `${path} writes deliveries (${match}): only src/outbox may, because a second writer of status is how nobody knows any more what may follow what.`,
    );
  });
