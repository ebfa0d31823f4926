import { codeOnly } from './source-text.ts';

export interface Import {
  /** As it is written; null for an `import(…)` of something that only a run can tell. */
  specifier: string | null;
  /** What is taken, by the names it has over there; `*` for all of it, `default` for the default. */
  names: string[];
  isTypeOnly: boolean;
}

/** All that a file imports or re-exports, in the order of the text. */
export function importsOf(text: string): Import[] {
  const code = codeOnly(text);
  const found: (Import & { at: number })[] = [];
  for (const pattern of [importPattern, exportPattern]) {
    for (const match of code.matchAll(pattern)) {
      const { type, clause = '' } = match.groups ?? {};
      const names = namesIn(clause);
      const isTypeOnly =
        type !== undefined ||
        (names.length > 0 && names.every(({ isType }) => isType) && clause.includes('{'));
      const specifier = quotedAt(text, code, match.index + match[0].length - 1);
      found.push({ at: match.index, specifier, names: names.map(({ name }) => name), isTypeOnly });
    }
  }
  for (const match of code.matchAll(dynamicPattern)) {
    const isLiteral = match.groups?.quote !== undefined;
    const written = isLiteral ? quotedAt(text, code, match.index + match[0].length - 1) : '${';
    const specifier = written.includes('${') ? null : written;
    found.push({ at: match.index, specifier, names: ['*'], isTypeOnly: false });
  }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...rest }) => rest);
}

const importPattern =
  /(?<![\w$.])import\b(?:\s+(?<type>type)\b(?!\s*(?:from\b|,)))?\s*(?:(?<clause>[\w$*{][\w$\s,{}*]*?)\s*\bfrom\s*)?['"]/g;
const exportPattern =
  /(?<![\w$.])export\b\s*(?:(?<type>type)\b\s*)?(?<clause>\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*['"]/g;
const dynamicPattern = /(?<![\w$.])import\s*\(\s*(?<quote>['"`])?/g;

/** Strings are blank in `code`, so the next quote there is the closing one. */
function quotedAt(text: string, code: string, at: number): string {
  return text.slice(at + 1, code.indexOf(code.charAt(at), at + 1));
}

function namesIn(clause: string): { name: string; isType: boolean }[] {
  const braces = /\{(?<inside>[^}]*)\}/.exec(clause);
  const named = (braces?.groups?.inside ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const isType = /^type\s+(?!as\b)/.test(part);
      const name = part.replace(/^type\s+(?!as\b)/, '').split(/\s+as\s+/)[0] ?? '';
      return { name, isType };
    });
  const rest = clause.replace(/\{[^}]*\}/, '');
  if (rest.includes('*')) return [{ name: '*', isType: false }, ...named];
  return /[\w$]/.test(rest) ? [{ name: 'default', isType: false }, ...named] : named;
}
