/**
 * The elements of a long JSON list, one at a time: a list of a million is never in memory as a whole. One that is broken is
 * told of, and the next goes on as far as brackets and quotation marks can tell where it begins.
 */
export type JsonRecord = JsonPlace & ({ value: unknown } | { problem: string });

export interface JsonPlace {
  /** The line on which it begins, from 1. */
  line: number;
  /** Which of a list it is, from 1: all of them may stand in one line. */
  number?: number;
}

/** As a sentence about a file names it: `Line 4`, or `Line 1, entry 3`. */
export const placeInFile = ({ line, number }: JsonPlace) =>
  `Line ${line}${number === undefined ? '' : `, entry ${number}`}`;

/** A text that begins with `[`. What stands in an object may be followed by whatever else is in that object. */
export async function* readJsonList(
  chunks: AsyncIterable<string>,
  { isWrapped = false } = {},
): AsyncGenerator<JsonRecord> {
  let [line, startLine, depth, number] = [1, 1, 0, 1];
  let [isOpen, isClosed, isInText, isEscaped] = [false, false, false, false];
  let text = '';
  for await (const chunk of chunks) {
    for (const sign of chunk) {
      if (sign === '\n') line += 1;
      const isBlank = text === '' && /[\s\ufeff]/.test(sign);
      if (isBlank) continue;
      if (isClosed && isWrapped) return;
      if (isClosed) return yield { line, problem: 'Something follows after the end of the list; remove it.' };
      if (!isOpen) {
        isOpen = true;
        continue;
      }
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (sign === '\\') isEscaped = true;
        else if (sign === '"') isInText = false;
      } else if (depth === 0 && (sign === ',' || sign === ']')) {
        if (text.length > recordCharactersMax) yield { line: startLine, number, problem: tooLong };
        else if (text !== '') yield { ...recordOf(text, startLine), number };
        number += 1;
        text = '';
        isClosed = sign === ']';
        continue;
      } else if (sign === '"') isInText = true;
      else if (sign === '{' || sign === '[') depth += 1;
      else if (sign === '}' || sign === ']') depth = Math.max(0, depth - 1);
      if (text === '') startLine = line;
      // What is too long is not kept, and refused when it ends.
      if (text.length <= recordCharactersMax) text += sign;
    }
  }
  if (!isClosed) yield { line: startLine, number, problem: notClosed };
}

export function recordOf(text: string, line: number): JsonRecord {
  try {
    return { line, value: JSON.parse(text) };
  } catch {
    return { line, problem: 'This is not JSON; check its quotation marks, commas and brackets.' };
  }
}

const recordCharactersMax = 10_000;
const tooLong = `What begins here is longer than ${recordCharactersMax} characters; shorten it.`;
const notClosed =
  'What begins here is not closed; what follows could not be read. Check brackets and quotation marks.';
