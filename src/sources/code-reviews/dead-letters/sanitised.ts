import { withoutAddresses } from '../../../std/without-addresses.ts';

const lengthMax = 300;

/**
 * A provider's or a template's words for a list that many may read: no address, no key, no password, one line. They are cleaned where
 * they come in as well; this list promises it for whatever was written by whomever.
 */
export function sanitised(text: string): string {
  const line = text
    // Blanks first: an address that is cut in half behind many of them would look like none.
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .slice(0, 4 * lengthMax)
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 [secret]')
    .replace(/\b(?:re|whsec|sk|pk|key|token|ghp|xox[a-z])_[\w-]{6,}/gi, '[secret]')
    .replace(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '[secret]')
    .replace(/\b(password|secret|token|api[_-]?key)(["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi, '$1$2[secret]');
  return withoutAddresses(line).slice(0, lengthMax).trim();
}
