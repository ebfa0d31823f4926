/** Undefined for what is none. `URL.canParse` is not asked: in Node 20, once it is hot, it refuses whatever has a letter beyond ASCII. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
