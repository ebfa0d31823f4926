/** A stranger's text without what looks like an address, for where it is stored or logged. */
export function withoutAddresses(text: string): string {
  // Looked for first: almost no text has one.
  return text.includes('@') ? text.replace(addressLike, '[address]') : text;
}

/** A package in a stack trace (`/@scope/name`) is none: nothing stands before its @. */
const addressLike = /[^\s"'`<>()[\]{}\\,;:=/@]+@[^\s"'`<>()[\]{}\\,;:=/@]+/g;

const lengthMax = 500;

/** What was thrown, as a sentence that may be kept with a delivery: errors of databases and sources repeat what they were given. */
export function thrownText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`;
  // PostgreSQL stores no NUL.
  return withoutAddresses(text.slice(0, 4 * lengthMax).replaceAll('\0', '')).slice(0, lengthMax);
}
