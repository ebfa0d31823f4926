/**
 * A stranger's text without what looks like an address, for where it is stored or logged. It looks left and right from each
 * @, so that it takes no longer than the text is long, whatever is in it.
 */
export function withoutAddresses(text: string): string {
  if (!/@|%40/.test(text)) return text;
  const plain = text.replaceAll('%40', '@');
  let result = '';
  let copied = 0;
  for (let at = plain.indexOf('@'); at !== -1; at = plain.indexOf('@', at + 1)) {
    let start = at;
    while (start > copied && isPart(plain.charAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < plain.length && isPart(plain.charAt(end))) end += 1;
    // A package in a stack trace (`/@scope/name`) is none, and neither is an @ that stands alone.
    if (start === at || end === at + 1 || plain.charAt(at - 1) === '/') continue;
    result += `${plain.slice(copied, start)}[address]`;
    copied = end;
    at = end - 1;
  }
  return result + plain.slice(copied);
}

function isPart(sign: string): boolean {
  return !/[\s"<>()[\]\\,;:@]/.test(sign);
}

const lengthMax = 500;

/** What was thrown, as a sentence that may be kept with a delivery: errors of databases and sources repeat what they were given. */
export function thrownText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`;
  // PostgreSQL stores no NUL.
  return withoutAddresses(text.slice(0, 4 * lengthMax).replaceAll('\0', '')).slice(0, lengthMax);
}
