import { Refusal } from './refusal.ts';

/** The beginning of a text, as far as somebody needs it to decide, and everything from the beginning all the same. */
export async function peekText(
  chunks: AsyncIterable<string>,
  isEnough = (start: string) => start.trim() !== '',
): Promise<{ first: string; start: string; all: AsyncIterable<string> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = '';
  let isDone: boolean | undefined = false;
  while (!isDone && !isEnough(start)) {
    const { value, done } = await rest.next();
    isDone = done;
    start += done ? '' : value;
  }
  if (start.includes('\0')) {
    throw new Refusal('not_text', 'This is no text in UTF-8. From a spreadsheet, save it as CSV (UTF-8).');
  }
  async function* all() {
    yield start;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  // The mark of byte order counts as white space.
  return { first: start.trimStart().charAt(0), start, all: all() };
}
