import { refusals } from '../../src/std/refusals.ts';
import { testsByCode } from '../../tests/refusals/tried.ts';
import { code, madeFrom, table } from './markdown.ts';

/** docs/errors.md: every code that somebody is refused with, and what to do about it. */
export function errorsPage(): string {
  const tests = testsByCode();
  const linkTo = (path: string | undefined) => (path === undefined ? '' : `[${nameOf(path)}](../${path})`);
  return `${madeFrom('src/std/request-refusals.ts and command-refusals.ts')}

# Errors

A mistake that somebody can mend is refused with a sentence that says what to do, and with a code that stays. The API answers
\`{ "error": sentence, "code", "traceId", "details" }\` with the status of the table. The command line prints the sentence, or with
\`--json\` the same object, on standard error.

${table(
  ['exit code of the command line', 'meaning'],
  [
    ['0', 'done'],
    [
      '1',
      'something failed that is not yours: a service is away (`redis_away`), a bug (`unexpected`), a mail that was given up, a part of a list that could not be done',
    ],
    [
      '2',
      'your mistake: one of the codes below, or a word on the command line that is not understood (`unknown_option`, `unknown_command`, `invalid_argument`, `missing_argument` …), with the help to look at',
    ],
  ],
)}

A code without a status is met at the start of a server or at the command line, never by a request. *Tried by* is a test that gets exactly this
refusal; a code without one fails \`npm test\`, and one that is not here does not compile.

${table(
  ['code', 'HTTP', 'what to do', 'tried by'],
  refusals.map(({ code: name, status, cure }) => [
    code(name),
    status === null ? '' : String(status),
    cure,
    linkTo(tests.get(name)?.[0]),
  ]),
)}

The reasons for which a *delivery* failed (\`last_error\`) are no refusals: [operations](operations.md) says what to do about those.
`;
}

function nameOf(path: string): string {
  return path.replace(/^.*\/([^/]+\/[^/]+)$/, '$1').replace(/\.test\.ts$|\.ts$/, '');
}
