import { codeOnly, regionsOf } from '../architecture/source-text.ts';

/**
 * The names of the tests in a file, read from its text: what stands as the first word of `it(…)`, `test(…)`, `describe(…)` or of one
 * with a table (`it.each(…)(…)`). Nothing in a comment or in another text is one, nor is the name of a test that is put off.
 */
export function testNamesIn(text: string): string[] {
  const code = codeOnly(text);
  return regionsOf(text)
    .filter(({ kind, start }) => (kind === 'string' || kind === 'template') && isTestName(code, start))
    .map(({ start, end }) => text.slice(start, end));
}

/** The numbers of clauses in a name: `004-28 004-29 After the pause …` proves both. */
export function clausesIn(name: string): string[] {
  return name.match(/\b\d{3}-[A-Z0-9][A-Z0-9.]*(?:-\d+)*(?![\w-])/g) ?? [];
}

/** Tests that are there and do not run. */
export function putOffIn(text: string): string[] {
  return codeOnly(text).match(/\b(?:it|test|describe)\.(?:skip|todo|only|fails)\b/g) ?? [];
}

const callOfTest = /(?<![\w$.])(?:it|test|describe)(?:\.each|\.for)?$/;

function isTestName(code: string, start: number): boolean {
  // Before the text stand its quotation mark and the bracket of the call.
  const before = code.slice(0, start - 1).trimEnd();
  if (!before.endsWith('(')) return false;
  const called = before.slice(0, -1).trimEnd();
  const isOfTable = called.endsWith(')');
  const name = isOfTable ? called.slice(0, openingOf(called)) : called;
  return callOfTest.test(name) && /\.(?:each|for)$/.test(name) === isOfTable;
}

/** Where the bracket was opened with whose end this code ends. */
function openingOf(code: string): number {
  let depth = 0;
  for (let at = code.length - 1; at >= 0; at -= 1) {
    if (code[at] === ')') depth += 1;
    if (code[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}
