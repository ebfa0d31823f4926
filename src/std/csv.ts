import { Refusal } from './refusal.ts';

/**
 * Tables as text. What is written can be opened in a spreadsheet without anything in it being run, and is read back as it was;
 * what others have written may have commas, semicolons or tabs, any line ends, and a byte order mark.
 */
export function csvLine(fields: readonly (string | null)[]): string {
  return fields.map((field) => quoted(guarded(field ?? ''))).join(',');
}

export type CsvRecord =
  /** The line on which it begins, from 1. */
  { line: number; fields: string[] } | { line: number; problem: string };

/** Records as they come; empty lines are none. A record that cannot be read is told of, and the next line goes on. */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const lines = readEnded(chunks);
  const ahead: EndedLine[] = [];
  const readAhead = async () => {
    const { value, done } = await lines.next();
    if (!done) ahead.push(value);
    return !done;
  };
  let separator: string | undefined;
  for (let line = 1; ahead.length > 0 || (await readAhead()); line++) {
    let { text, end } = ahead.shift() as EndedLine;
    separator ??= separatorIn(text);
    let fields = splitFields(text, separator ?? ',');
    // A quotation mark that is open goes on in the next line; one that nobody closes must not swallow the rest of the file.
    let taken = 0;
    while (fields === 'open' && text.length <= recordCharactersMax) {
      if (taken >= ahead.length && !(await readAhead())) break;
      const more = ahead[taken] as EndedLine;
      text += `${end}${more.text}`;
      end = more.end;
      taken += 1;
      if (more.text.includes('"')) fields = splitFields(text, separator ?? ',');
    }
    if (typeof fields === 'string') {
      yield { line, problem: problems[fields] };
      continue;
    }
    ahead.splice(0, taken);
    if (text.trim() !== '') yield { line, fields: fields.map(unguarded) };
    line += taken;
  }
}

/** Lines without their ends, whichever they are, and without the mark that some programs begin a file with. */
export async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const { text } of readEnded(chunks)) yield text;
}

interface EndedLine {
  text: string;
  end: string;
}

async function* readEnded(chunks: AsyncIterable<string>): AsyncGenerator<EndedLine> {
  let rest = '';
  let isFirst = true;
  for await (const chunk of chunks) {
    rest += isFirst ? chunk.replace(/^\ufeff/, '') : chunk;
    if (chunk !== '') isFirst = false;
    // A carriage return at the end may be half of a line end.
    const known = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    let from = 0;
    for (const { 0: end, index } of rest.slice(0, known).matchAll(lineEnd)) {
      yield { text: rest.slice(from, index), end };
      from = index + end.length;
    }
    rest = rest.slice(from);
    if (rest.length > lineCharactersMax)
      throw new Refusal('line_too_long', 'A line has more than a million characters: this is not a table.');
  }
  const text = rest.replace(/\r$/, '');
  if (rest !== '') yield { text, end: rest.slice(text.length) };
}

const lineEnd = /\r\n|\n|\r/g;
const lineCharactersMax = 1_000_000;
const recordCharactersMax = 10_000;

const problems = {
  open: 'A quotation mark is opened and not closed; close it, or double it where one is meant.',
  trailing:
    'Something stands between a closing quotation mark and the next column; double the marks that are meant.',
} as const;

/** Whichever is first outside of quotation marks; none yet in a list of one column. */
function separatorIn(text: string): string | undefined {
  return /[,;\t]/.exec(text.replaceAll(/"(?:[^"]|"")*(?:"|$)/g, ''))?.[0];
}

function splitFields(text: string, separator: string): string[] | keyof typeof problems {
  const fields: string[] = [];
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      let end = at + 1;
      while (end < text.length && (text[end] !== '"' || text[end + 1] === '"'))
        end += text[end] === '"' ? 2 : 1;
      if (end >= text.length) return 'open';
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
      if (at < text.length && text[at] !== separator) return 'trailing';
    } else {
      const end = text.indexOf(separator, at);
      fields.push(text.slice(at, end === -1 ? undefined : end));
      at = end === -1 ? text.length : end;
    }
    if (at >= text.length) return fields;
    at += 1;
  }
}

function quoted(field: string): string {
  return /["\r\n;\t,]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** A spreadsheet runs what begins with one of these. An apostrophe before it is how they are told not to. */
function guarded(field: string): string {
  return /^'*[=+\-@\t\r]/.test(field) ? `'${field}` : field;
}

function unguarded(field: string): string {
  return /^'+[=+\-@\t\r]/.test(field) ? field.slice(1) : field;
}
