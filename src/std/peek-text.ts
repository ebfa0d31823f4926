import { Refusal } from './refusal.ts';

/** The first sign that is no white space, and everything from the beginning all the same. */
export async function peekText(
  chunks: AsyncIterable<string>,
): Promise<{ first: string; all: AsyncIterable<string> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = '';
  let isDone: boolean | undefined = false;
  while (start.trim() === '' && !isDone) {
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
  return { first: start.trimStart().charAt(0), all: all() };
}
