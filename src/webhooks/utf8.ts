const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are no text: what is read must be what was sent, and nothing like it. */
export function utf8(body: Buffer): string | undefined {
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}
