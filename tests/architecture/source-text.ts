/**
 * TypeScript text with parts of it blanked out, so that a rule can look for words in the code alone, or in the code and
 * its strings. Everything keeps its place and its line. It is a scanner, not a parser: it knows where comments, strings,
 * templates and regular expressions begin and end, and nothing else.
 */
export interface Region {
  kind: 'comment' | 'string' | 'template' | 'regex';
  /** Without the quotes; a template's `${…}` is code again. */
  start: number;
  end: number;
}

/** Neither comments nor the contents of strings: what the program does. */
export function codeOnly(text: string): string {
  const code = known.get(text) ?? blanked(text, regionsOf(text));
  known.set(text, code);
  return code;
}

/** Every rule asks for the same few hundred files, and to read them takes longer than to look. */
const known = new Map<string, string>();

/** With strings and templates, where SQL lives. */
export function withoutComments(text: string): string {
  return blanked(
    text,
    regionsOf(text).filter(({ kind }) => kind === 'comment'),
  );
}

function blanked(text: string, regions: readonly Region[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of regions) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    at = end;
  }
  return result + text.slice(at);
}

export function regionsOf(text: string): Region[] {
  const regions: Region[] = [];
  /** One per open `${`: how many braces are open inside it. */
  const braces: number[] = [];
  /** The last sign of code, by which a slash is told from a regular expression. */
  let before = -1;
  let at = 0;

  const add = (kind: Region['kind'], start: number, end: number, next: number) => {
    regions.push({ kind, start, end });
    if (kind !== 'comment') before = next - 1;
    at = next;
  };
  const addTemplate = (start: number) => {
    const end = endOfTemplateText(text, start);
    const opens = text.startsWith('${', end);
    if (opens) braces.push(0);
    add('template', start, end, end + (opens ? 2 : 1));
  };
  const nest = (by: number) => {
    if (braces.length > 0) braces.push((braces.pop() ?? 0) + by);
  };

  while (at < text.length) {
    const sign = text.charAt(at);
    if (text.startsWith('//', at)) add('comment', at, lineEnd(text, at), lineEnd(text, at));
    else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2);
      const end = close < 0 ? text.length : close + 2;
      add('comment', at, end, end);
    } else if (sign === "'" || sign === '"') {
      const end = endOfString(text, at + 1, sign);
      add('string', at + 1, end, end + 1);
    } else if (sign === '`') addTemplate(at + 1);
    else if (sign === '}' && braces.at(-1) === 0) {
      braces.pop();
      addTemplate(at + 1);
    } else {
      const regexEnd = sign === '/' && mayBeginRegex(text, before) ? endOfRegex(text, at + 1) : -1;
      if (regexEnd >= 0) {
        add('regex', at + 1, regexEnd, regexEnd + 1);
        continue;
      }
      if (sign === '{') nest(1);
      if (sign === '}') nest(-1);
      if (sign.trim() !== '') before = at;
      at += 1;
    }
  }
  return regions;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** A string ends on its line: the apostrophe of a word in JSX swallows the rest of that line at most. */
function endOfString(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

function endOfTemplateText(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

function mayBeginRegex(text: string, before: number): boolean {
  if (before < 0) return true;
  const code = text.slice(Math.max(0, before - 12), before + 1);
  return /[(,=:[!&|?{;+\-*%~^]$|=>$|(?<![\w$.])(return|typeof|case|in|of|delete|void|throw|else|do|await|yield)$/.test(
    code,
  );
}

/** Where the closing slash is, or -1 if there is none on this line: then it was a division. */
function endOfRegex(text: string, from: number): number {
  let isInClass = false;
  for (let at = from; at < text.length && text[at] !== '\n'; at += 1) {
    const sign = text[at];
    if (sign === '\\') at += 1;
    else if (sign === '[') isInClass = true;
    else if (sign === ']') isInClass = false;
    else if (sign === '/' && !isInClass) return at === from ? -1 : at;
  }
  return -1;
}
