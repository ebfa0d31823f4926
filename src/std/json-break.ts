/** Where a text stops being JSON, in words; undefined where it is JSON. Of what stands there it has one character at most. */
export function jsonBreak(text: string): string | undefined {
  const message = problemOf(text);
  if (message === undefined) return undefined;
  const position = /at position (\d+)/.exec(message)?.[1] ?? positionOfToken(text, message);
  if (position !== undefined) {
    const before = text.slice(0, Number(position)).split('\n');
    return `it breaks at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  const token = /Unexpected token '(.)'/u.exec(message)?.[1];
  return token === undefined ? 'it ends too early' : `there is a ${token} where none may be`;
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** It is parsed once for each halving: seventeen times, which of so much takes some milliseconds. */
const searchedMax = 100_000;

const hasToken = (message: string | undefined) => message?.includes('Unexpected token') === true;

/**
 * Node names the position, or one character, or says that there is no more. Of a character the position is looked for: what ends before
 * it only ends too early, and what ends behind it breaks at it.
 */
function positionOfToken(text: string, message: string): number | undefined {
  if (!hasToken(message) || text.length > searchedMax) return undefined;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (hasToken(problemOf(text.slice(0, middle)))) bad = middle;
    else good = middle;
  }
  return good;
}
