import { importsOf } from './imports.ts';
import { isIn, programOutside, type Rule, type SourceFile } from './source-files.ts';
import { codeOnly } from './source-text.ts';

/** Something whose result does not follow from its arguments. */
interface Impurity {
  what: string;
  pattern: RegExp;
}

const clockReads: readonly Impurity[] = [
  { what: 'Date.now', pattern: /\bDate\s*\.\s*now\b/ },
  // With an argument it only converts.
  { what: 'new Date()', pattern: /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/ },
  { what: 'Date()', pattern: /(?<!\bnew\s+)(?<![\w$.])Date\s*\(/ },
  { what: 'Temporal.Now', pattern: /\bTemporal\s*\.\s*Now\b/ },
  { what: 'performance', pattern: /(?<![\w$.])performance\s*\./ },
  { what: 'process.hrtime', pattern: /\bprocess\s*\.\s*hrtime\b/ },
  { what: 'setTimeout', pattern: /(?<![\w$])setTimeout\b/ },
  { what: 'setInterval', pattern: /(?<![\w$])setInterval\b/ },
  { what: 'setImmediate', pattern: /(?<![\w$])setImmediate\b/ },
  { what: 'AbortSignal.timeout', pattern: /\bAbortSignal\s*\.\s*timeout\b/ },
];
const clockModules = /^(?:node:)?(?:timers|timers\/promises|perf_hooks)$/;

const diceRolls: readonly Impurity[] = [
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/ },
  { what: 'randomUUID', pattern: /\brandomUUID\b/ },
  { what: 'randomBytes', pattern: /\brandomBytes\b/ },
  { what: 'randomInt', pattern: /\brandomInt\b/ },
  { what: 'getRandomValues', pattern: /\b(?:getRandomValues|randomFill|randomFillSync)\b/ },
];

const effects: readonly Impurity[] = [
  { what: 'process', pattern: /(?<![\w$.])process\s*[.[]/ },
  { what: 'async', pattern: /(?<![\w$.])async\b(?!\s*[:,)}=])/ },
  { what: 'await', pattern: /(?<![\w$.])await\b(?!\s*[:,)}=])/ },
  { what: 'Promise', pattern: /(?<![\w$.])Promise\b/ },
  { what: 'fetch', pattern: /(?<![\w$.])fetch\s*\(/ },
  { what: "the system's clock, ids or dice", pattern: /\bsystem(?:Clock|Ids|Random)\b/ },
];

function usesIn(text: string, impurities: readonly Impurity[]): string[] {
  const code = codeOnly(text);
  return impurities.filter(({ pattern }) => pattern.test(code)).map(({ what }) => what);
}

/** What domain/ may take from outside src: hashing, and the spelling of host names. */
const domainMayImport: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'hash'],
  'node:url': ['domainToASCII', 'domainToUnicode', 'URL'],
};

export const domainIsPure: Rule = (files) =>
  programOutside(files, [])
    .filter(({ path }) => isIn(path, 'src/domain'))
    .flatMap(({ path, text }) => {
      const used = usesIn(text, [...clockReads, ...diceRolls, ...effects]).map((what) => `uses ${what}`);
      const imported = importsOf(text).flatMap(({ specifier, names }) => {
        if (specifier === null || specifier.startsWith('.')) return [];
        const allowed = domainMayImport[specifier] ?? [];
        const wrong = names.filter((name) => !allowed.includes(name));
        const isFine = wrong.length === 0 && names.length > 0;
        return isFine ? [] : [`imports ${wrong.join(', ') || 'all'} from ${specifier}`];
      });
      return [...used, ...imported].map(
        (does) =>
          `${path} ${does}: domain is pure, because what it decides must follow from its arguments alone.`,
      );
    });

/** Real time where the world is real, too. One that nobody uses any more must go. */
export const clockExceptions: readonly { path: string; what: string; because: string }[] = [
  {
    path: 'src/cli/checkup.ts',
    what: 'AbortSignal.timeout',
    because: 'the check-up asks a server that is really there, and is never simulated',
  },
];

export const onlyTheClockReadsTheClock: Rule = (files) => {
  const uses = clockUses(files);
  const isExcepted = (one: ClockUse) => clockExceptions.some((other) => isSame(one, other));
  const unused = clockExceptions.filter((one) => !uses.some((other) => isSame(one, other)));
  return [
    ...uses
      .filter((use) => !isExcepted(use))
      .map(
        ({ path, what }) =>
          `${path} uses ${what}: only src/std/clock.ts reads the clock (and src/std/log.ts, to date its lines), because tests and the simulator decide what time it is. Take a Clock.`,
      ),
    ...unused
      .filter(({ path }) => files.some((file) => file.path === path))
      .map(
        ({ path, what }) =>
          `${path} does not use ${what} any more: remove the exception from tests/architecture/purity-rules.ts.`,
      ),
  ];
};

interface ClockUse {
  path: string;
  what: string;
}

const isSame = (one: ClockUse, other: ClockUse) => one.path === other.path && one.what === other.what;

function clockUses(files: readonly SourceFile[]): ClockUse[] {
  return programOutside(files, ['src/std/clock.ts', 'src/std/log.ts', 'src/domain']).flatMap(
    ({ path, text }) => {
      const modules = importsOf(text).map(({ specifier }) => specifier ?? '');
      const whats = [...usesIn(text, clockReads), ...modules.filter((name) => clockModules.test(name))];
      return whats.map((what) => ({ path, what }));
    },
  );
}

export const onlyTheDiceRoll: Rule = (files) =>
  programOutside(files, ['src/std/random.ts', 'src/std/ids.ts', 'src/domain']).flatMap(({ path, text }) =>
    usesIn(text, diceRolls).map(
      (what) =>
        `${path} uses ${what}: only src/std/random.ts and src/std/ids.ts make randomness, because a simulated run is replayed from its seed. Take Random or Ids.`,
    ),
  );

const environmentRead = /\bprocess\s*(?:\.\s*env\b|\[)|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/;

export const onlyConfigReadsTheEnvironment: Rule = (files) =>
  programOutside(files, ['src/config.ts'])
    .filter(
      ({ text }) =>
        environmentRead.test(codeOnly(text)) ||
        importsOf(text).some(
          ({ specifier, names }) => /^(?:node:)?process$/.test(specifier ?? '') && names.includes('env'),
        ),
    )
    .map(
      ({ path }) =>
        `${path} reads process.env: only src/config.ts may, because a setting that is read in two places is checked in neither.`,
    );

export const onlyTheCommandLinePrints: Rule = (files) =>
  programOutside(files, ['src/cli'])
    .filter(({ text }) => /(?<![\w$.])console\s*\./.test(codeOnly(text)))
    .map(
      ({ path }) =>
        `${path} uses console: only src/cli prints, because everybody else has a Log, whose lines can be searched.`,
    );
