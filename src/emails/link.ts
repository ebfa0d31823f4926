import { parseAddress } from '../domain/address.ts';
import { parseUrl } from '../std/url.ts';

/**
 * What may stand in an `href`: http, https or mailto, spelled out in full. Only the signs of RFC 3986, so that the address that
 * is shown is the address that is opened: no letters that look like others, no white space or control character that a reader's
 * program drops, no quote that ends an attribute. Whoever has other letters passes them percent-encoded (`new URL(x).href`).
 */
export function isSafeLink(text: string): boolean {
  if (text.length > linkCharactersMax || !rfc3986.test(text)) return false;
  if (/^mailto:/i.test(text)) return isSafeMailbox(text.slice('mailto:'.length));
  // `https:host` and `https:/host` are read in different ways by different programs.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  // What stands before an @ is taken for the host by people, and for a password by programs.
  return authority !== undefined && !authority.includes('@') && parseUrl(text) !== undefined;
}

export const linkCharactersMax = 2048; // The longest that old programs open.
const rfc3986 = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/**
 * One address and nothing else: a `?bcc=` would write to people whom the reader does not see, and what is percent-encoded is
 * decoded by programs that trust it.
 */
function isSafeMailbox(text: string): boolean {
  const parsed = parseAddress(text);
  return parsed.ok && parsed.address === text && /^[\w.+-]+@/.test(text);
}
