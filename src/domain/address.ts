import { domainToASCII, domainToUnicode } from 'node:url';
import { Refusal } from '../std/refusal.ts';

/**
 * One mail address of one mailbox, in its canonical form: the local part as it was written (only the receiving
 * host may say that two spellings are one mailbox), the domain in lower case and A-labels. It is made here and
 * nowhere else. The parser is narrower than RFC 5322 on purpose: whatever a mail library or a provider could
 * read as a second address, a header or a route is refused, never repaired.
 */
export type Address = string & { readonly __brand: 'Address' };

export type ParsedAddress =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly code: AddressProblem; readonly sentence: string };

export function parseAddress(text: unknown): ParsedAddress {
  if (typeof text !== 'string') return refused('not_text');
  if (text === '') return refused('empty');
  // Before any pattern runs, so that a hostile megabyte costs nothing. It is more than 254 because the canonical
  // form of a non-ASCII domain can be shorter than what was typed.
  if (text.length > inputCharactersMax) return refused('too_long');
  if (!welcomeAlone.test(text))
    for (const [pattern, code] of unwelcome) if (pattern.test(text)) return refused(code);

  const [local, domain, ...more] = text.split('@');
  if (local === undefined || domain === undefined) return refused('no_at_sign');
  if (more.length > 0) return refused('several_at_signs');
  const localProblem = checkLocalPart(local);
  if (localProblem) return refused(localProblem);
  const canonical = canonicalDomain(domain);
  if (!canonical.ok) return refused(canonical.code);

  const address = `${local}@${canonical.domain}`;
  if (address.length > addressOctetsMax) return refused('too_long');
  return { ok: true, address: address as Address };
}

/** Of what a provider says that a mail went to: null where that is nobody, or more than one. */
export function onlyAddressIn(to: unknown): Address | null {
  const address = parseAddress(Array.isArray(to) && to.length === 1 ? to[0] : to);
  return address.ok ? address.address : null;
}

/** For a caller's input that has no other way to go on. */
export function requireAddress(text: unknown): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Refusal('invalid_address', parsed.sentence, { problem: parsed.code });
  return parsed.address;
}

/**
 * What suppressions and recipients are compared by. By the RFC a local part may be case-sensitive; in practice
 * none is, and mailing `Ana@` after `ana@` has complained would be the worse mistake.
 */
export function addressKey(address: Address): string {
  return address.toLowerCase();
}

const inputCharactersMax = 1000;
const addressOctetsMax = 254; // RFC 5321 4.5.3.1.3 with erratum 1690: a path of 256 less its angle brackets.
const localPartOctetsMax = 64; // RFC 5321 4.5.3.1.1
const domainOctetsMax = 253; // RFC 1035 2.3.4: 255 octets on the wire, in text two fewer.
const labelOctetsMax = 63; // RFC 1035 2.3.4

// The sentences never quote the address: they end up in logs, and addresses stay out of those.
const sentences = {
  not_text: 'The address is not text; give one e-mail address as a string.',
  empty: 'The address is empty; give one e-mail address such as name@example.com.',
  too_long: 'The address is longer than 254 characters; no mail system accepts it. Check what was pasted.',
  broken_unicode: 'The address holds half of a Unicode character; type it again.',
  control_character: 'The address holds a line break or another control character; remove it.',
  invisible_character: 'The address holds an invisible character; type it instead of pasting it.',
  display_name:
    'The address has a name or angle brackets around it; give only the part like name@example.com.',
  quoted_local_part:
    'Quoted local parts and backslashes are not accepted, nobody uses them; remove the quotes.',
  ip_address: 'An IP address in place of a domain is not accepted, nobody uses them; give a domain name.',
  comment: 'The address has a comment in parentheses; remove it.',
  several_addresses:
    'A comma, semicolon or colon makes this a list, a group or a route; give one address at a time.',
  surrounding_space: 'The address begins or ends with white space; remove it.',
  inner_space: 'The address has white space in it; remove it.',
  no_at_sign: 'The address has no @; give one like name@example.com.',
  several_at_signs: 'The address has more than one @; give one address at a time.',
  local_part_missing: 'Nothing stands before the @; give the whole address.',
  local_part_too_long: 'The part before the @ is longer than 64 characters; no mail system accepts it.',
  local_part_not_ascii:
    'The part before the @ has characters other than unaccented letters, digits and signs, which not every mail system delivers; give another address.',
  encoded_word:
    'The part before the @ holds an encoded word (=?…?=), which some programs read as another address; give it as it is.',
  local_part_dots: 'The part before the @ begins or ends with a dot or has two in a row; check it.',
  domain_missing: 'Nothing stands after the @; give the whole address.',
  domain_character: 'The domain has a character that no domain can have; check the part after the @.',
  domain_invalid: 'The domain is not a valid internationalised name; check the part after the @.',
  domain_dots: 'The domain begins or ends with a dot or has two in a row; check the part after the @.',
  domain_one_label: 'The domain has no dot; give the full name, such as example.com.',
  domain_label:
    'A part of the domain begins or ends with a hyphen or is longer than 63 characters; check it.',
  domain_too_long: 'The domain is longer than 253 characters; no such domain exists.',
} as const;

export type AddressProblem = keyof typeof sentences;

/** Nearly every address is made of these alone, and one pattern costs less than ten. */
const welcomeAlone = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~@-]+$/;

/** In the order that finds the most helpful sentence: `Ana <ana@example.com>` has a space, but that isn't the point. */
const unwelcome: readonly (readonly [RegExp, AddressProblem])[] = [
  [/\p{Cs}/u, 'broken_unicode'],
  [/[\p{Cc}\p{Zl}\p{Zp}]/u, 'control_character'],
  // The two joiners have a meaning in some scripts' domains; whether they stand where they may is IDNA's business.
  [/(?![\u200c\u200d])\p{Cf}/u, 'invisible_character'],
  [/[<>]/, 'display_name'],
  [/["\\]/, 'quoted_local_part'],
  [/[[\]]/, 'ip_address'],
  [/[()]/, 'comment'],
  [/[,;:]/, 'several_addresses'],
  [/^\s|\s$/, 'surrounding_space'],
  [/\s/, 'inner_space'],
];

function refused(code: AddressProblem): ParsedAddress {
  return { ok: false, code, sentence: sentences[code] };
}

function checkLocalPart(local: string): AddressProblem | undefined {
  if (local === '') return 'local_part_missing';
  if (local.length > localPartOctetsMax) return 'local_part_too_long';
  // SMTPUTF8 is promised by neither provider, and without it such a mail bounces.
  if (!/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/.test(local)) return 'local_part_not_ascii';
  // RFC 2047 5: programs that decode it all the same may find an @ and a comma in it, and a second mailbox.
  if (local.includes('=?')) return 'encoded_word';
  if (local.split('.').includes('')) return 'local_part_dots';
  return undefined;
}

type CanonicalDomain = { ok: true; domain: string } | { ok: false; code: AddressProblem };

/** Most people are at a few domains, and to look one up costs more than all the rest of an address. */
const known = new Map<string, CanonicalDomain>();
const knownMax = 1_000;

function canonicalDomain(typed: string): CanonicalDomain {
  const before = known.get(typed);
  if (before) return before;
  const found = canonicalForm(typed);
  if (known.size === knownMax) known.clear();
  known.set(typed, found);
  return found;
}

function canonicalForm(typed: string): CanonicalDomain {
  const no = (code: AddressProblem) => ({ ok: false, code }) as const;
  if (typed === '') return no('domain_missing');
  // `domainToASCII` is the host parser of URLs: it would decode %61, stop at # and /, and rewrite 0x7f.1.
  // So only letters, digits, hyphens, dots and non-ASCII go in, and what comes out is checked from scratch.
  if (!/^[A-Za-z0-9.\u0080-\u{10ffff}-]+$/u.test(typed)) return no('domain_character');
  if (endsInNumber(typed)) return no('ip_address');
  const domain = domainToASCII(typed);
  if (domain === '') return no('domain_invalid');
  if (endsInNumber(domain)) return no('ip_address');
  if (domain.length > domainOctetsMax) return no('domain_too_long');
  const labels = domain.split('.');
  if (labels.includes('')) return no('domain_dots');
  if (labels.length < 2) return no('domain_one_label');
  for (const label of labels) {
    if (label.length > labelOctetsMax || label.startsWith('-') || label.endsWith('-'))
      return no('domain_label');
    if (!/^[a-z0-9-]+$/.test(label)) return no('domain_character');
  }
  // Some malformed A-labels pass the conversion (`xn---ihx` for `xn--ihx`): a second spelling of one domain.
  if (domainToASCII(domainToUnicode(domain)) !== domain) return no('domain_invalid');
  return { ok: true, domain };
}

function endsInNumber(domain: string): boolean {
  return /^\d+$/.test(domain.slice(domain.lastIndexOf('.') + 1));
}
