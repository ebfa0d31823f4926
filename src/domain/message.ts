import { hash } from 'node:crypto';
import { isUuid } from '../std/ids.ts';
import { type Address, type AddressProblem, parseAddress } from './address.ts';

/**
 * A mail as it is frozen before its first attempt of a round: all of it that leaves to the provider, and nothing
 * that could differ between two attempts. One key, one body: `bodyHash` is the body, `idempotencyKey`
 * the key. A mail that `checkMail` passes cannot reach a second mailbox or bring headers of its own.
 */
export interface Mail {
  readonly from: Sender;
  readonly to: Address;
  readonly replyTo?: Sender;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** `name@example.com`, `Name <name@example.com>` or `"Name, Inc." <name@example.com>`: made by `parseSender` only. */
export type Sender = string & { readonly __brand: 'Sender' };

type SenderProblem = AddressProblem | 'sender_name';

export type ParsedSender =
  | { readonly ok: true; readonly sender: Sender; readonly name: string; readonly address: Address }
  | { readonly ok: false; readonly code: SenderProblem; readonly sentence: string };

/**
 * The name comes back as people read it, and quoted where RFC 5322 asks for it. Other scripts are kept as they are:
 * a provider that takes JSON wants them so, and one that writes MIME encodes `name` itself.
 */
export function parseSender(text: unknown): ParsedSender {
  const open = typeof text === 'string' && text.endsWith('>') ? text.lastIndexOf('<') : -1;
  if (typeof text !== 'string' || open < 0) {
    const parsed = parseAddress(text);
    return parsed.ok
      ? { ok: true, sender: senderOf('', parsed.address), name: '', address: parsed.address }
      : parsed;
  }
  const name =
    text.length > senderCharactersMax ? undefined : readName(text.slice(0, open).replace(/ +$/, ''));
  if (name === undefined) return { ok: false, code: 'sender_name', sentence: senderNameSentence };
  const parsed = parseAddress(text.slice(open + 1, -1));
  return parsed.ok
    ? { ok: true, sender: senderOf(name, parsed.address), name, address: parsed.address }
    : parsed;
}

const senderCharactersMax = 1000; // Before any pattern; every canonical form is shorter.
const nameCharactersMax = 200; // What is longer is no name, and would not fit the reader's list of mails.
const senderNameSentence =
  'The sender\'s name has a line break, a stray quote or a sign that needs quotes; write "Name, Inc." <name@example.com>.';

function readName(phrase: string): string | undefined {
  // An encoded word would be decoded by the reader's program into something that nobody has checked.
  if (hasControlCharacter(phrase) || phrase.includes('=?')) return undefined;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(phrase)?.[1];
  if (quoted === undefined && /^ |[()<>[\]:;@\\,"]/.test(phrase)) return undefined;
  const name = (quoted?.replace(/\\(["\\])/g, '$1') ?? phrase).trim();
  return name.length > nameCharactersMax ? undefined : name;
}

function senderOf(name: string, address: Address): Sender {
  if (name === '') return address as string as Sender;
  const isPlain = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+( [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(name);
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>` as Sender;
}

const sentences = {
  from_invalid: 'The sender is not one canonical address with an optional name; pass it through parseSender.',
  to_invalid: 'The recipient is not one canonical address; pass it through parseAddress.',
  reply_to_invalid:
    'The reply-to is not one canonical address with an optional name; pass it through parseSender.',
  subject_empty: 'The subject is empty; give one.',
  subject_injection: 'The subject holds a line break or another control character; remove it.',
  subject_encoded:
    'The subject holds an encoded word (=?…?=), which a reader would see as another text; give it as it is to be read.',
  subject_too_long: 'The subject is longer than 998 octets; shorten it.',
  header_name:
    'A header has a name with signs other than letters, digits, - and _, or stands twice; rename it.',
  header_forbidden:
    'A header is among those that are written from the mail itself, such as To or Date; remove it.',
  header_injection: 'A header holds a line break or another control character; remove it.',
  header_too_long: 'A header is longer than 998 octets; shorten it.',
  tag_count: 'There are more than 75 tags; remove some.',
  tag_alphabet:
    'A tag has a name or value other than 1 to 256 of A-Z a-z 0-9 _ -; pass values through tagValue.',
  body_too_big: 'Text and html together are larger than 1 MiB; shorten the mail or link to the details.',
  body_character: 'The text or html holds a NUL or half of a Unicode character; clean the variables.',
  text_empty: 'The mail has no text part; the template must give both text and html.',
  html_empty: 'The mail has no html part; the template must give both text and html.',
  mail_too_big: 'Headers, tags and bodies together are too large; use fewer or shorter headers.',
} as const;

export type MailProblem = keyof typeof sentences;

export type CheckedMail =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: MailProblem; readonly sentence: string };

/** Every door asks. What has passed cannot be changed any more, so that the next one need not look again. */
const passed = new WeakSet<Mail>();

export function checkMail(mail: Mail): CheckedMail {
  if (passed.has(mail)) return { ok: true };
  const code =
    peopleProblem(mail) ??
    subjectProblem(mail) ??
    headersProblem(mail) ??
    tagsProblem(mail) ??
    bodyProblem(mail);
  if (code !== undefined) return { ok: false, code, sentence: sentences[code] };
  for (const part of [mail, mail.headers, mail.tags]) Object.freeze(part);
  passed.add(mail);
  return { ok: true };
}

const lineOctetsMax = 998; // RFC 5322 2.1.1
// Ours, not a provider's: Gmail cuts html off at 102 KB, so what comes near this is a template gone wrong, and
// whole batches of mails are held in memory and written to the database.
const bodyOctetsMax = 1_048_576;
// What 75 full tags, a subject and two dozen headers come to, with room to spare.
const mailOctetsMax = bodyOctetsMax + 131_072;
const tagsMax = 75; // Resend
const tagShape = /^[A-Za-z0-9_-]{1,256}$/; // Resend; 002-P11-11

/** Written by the provider from the mail's own fields, or telling where it has been: a second one would contradict. */
const forbiddenHeader =
  /^(from|to|cc|bcc|subject|date|message-id|sender|reply-to|return-path|received|mime-version|(content|resent)-.*)$/i;

function peopleProblem({ from, to, replyTo }: Mail): MailProblem | undefined {
  if (!isCanonicalSender(from)) return 'from_invalid';
  const parsed = parseAddress(to);
  if (!parsed.ok || parsed.address !== to) return 'to_invalid';
  return replyTo === undefined || isCanonicalSender(replyTo) ? undefined : 'reply_to_invalid';
}

function isCanonicalSender(text: string): boolean {
  const parsed = parseSender(text);
  return parsed.ok && parsed.sender === text;
}

function subjectProblem({ subject }: Mail): MailProblem | undefined {
  if (octets(subject) > lineOctetsMax) return 'subject_too_long';
  if (hasControlCharacter(subject)) return 'subject_injection';
  // A mail program would show what it decodes to, which nobody has checked.
  if (subject.includes('=?')) return 'subject_encoded';
  // Signs without a width are no subject either.
  return /[^\s\p{Cf}\u3164]/u.test(subject) ? undefined : 'subject_empty';
}

function headersProblem({ headers }: Mail): MailProblem | undefined {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    if (octets(`${name}: ${value}`) > lineOctetsMax) return 'header_too_long';
    if (!/^[A-Za-z0-9_-]+$/.test(name) || seen.has(name.toLowerCase())) return 'header_name';
    seen.add(name.toLowerCase());
    if (forbiddenHeader.test(name)) return 'header_forbidden';
    if (hasControlCharacter(value)) return 'header_injection';
  }
  return undefined;
}

function tagsProblem({ tags }: Mail): MailProblem | undefined {
  const entries = Object.entries(tags);
  if (entries.length > tagsMax) return 'tag_count';
  return entries.flat().every((word) => tagShape.test(word)) ? undefined : 'tag_alphabet';
}

function bodyProblem(mail: Mail): MailProblem | undefined {
  const bodyOctets = octets(mail.html) + octets(mail.text);
  if (bodyOctets > bodyOctetsMax) return 'body_too_big';
  if (bodyOctets + headOctets(mail) > mailOctetsMax) return 'mail_too_big';
  // PostgreSQL stores no NUL, and half a character would reach the provider as another one than was hashed.
  for (const body of [mail.text, mail.html])
    if (body.includes('\0') || !body.isWellFormed()) return 'body_character';
  if (mail.text.trim() === '') return 'text_empty';
  return mail.html.trim() === '' ? 'html_empty' : undefined;
}

/** Of all but the bodies. */
function headOctets({ from, to, replyTo, subject, headers, tags }: Mail): number {
  let sum = octets(from) + octets(to) + octets(replyTo ?? '') + octets(subject);
  for (const named of [headers, tags])
    for (const [name, value] of Object.entries(named)) sum += octets(name) + octets(value);
  return sum;
}

function hasControlCharacter(text: string): boolean {
  // Most are plain, which is quicker to see.
  return !/^[\x20-\x7e]*$/.test(text) && /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}

function octets(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** A fingerprint of everything that leaves: two mails have the same one exactly when they are the same mail. */
export function bodyHash(mail: Mail): string {
  return hash('sha256', canonicalForm(mail));
}

/** Of the words alone, before anybody knows to whom they go. */
export function wordsHash({ subject, html, text }: Pick<Mail, 'subject' | 'html' | 'text'>): string {
  return hash('sha256', JSON.stringify([subject, html, text]));
}

/** Unambiguous (JSON quotes what it separates) and free of the order in which headers and tags were added. */
function canonicalForm(mail: Mail): string {
  const sorted = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const { from, to, replyTo, subject, html, text, headers, tags } = mail;
  return JSON.stringify([from, to, replyTo ?? null, subject, html, text, sorted(headers), sorted(tags)]);
}

/** The provider's key of one round. No colon (spec 002), derived from the tuple by way of the id (spec 003). */
export function idempotencyKey(deliveryId: string, round: number): string {
  requireRound(round);
  return round === 1 ? deliveryId : `${deliveryId}-r${round}`;
}

/** The way back; null for what `idempotencyKey` cannot have made of a UUID. */
export function readIdempotencyKey(key: string): { deliveryId: string; round: number } | null {
  const match = /^([0-9a-f-]{36})(?:-r(\d{1,9}))?$/.exec(key);
  const deliveryId = match?.[1] ?? '';
  const round = Number(match?.[2] ?? 1);
  if (!isUuid(deliveryId) || round < 1 || idempotencyKey(deliveryId, round) !== key) return null;
  return { deliveryId, round };
}

/** Deterministic, so that a second copy of the same round would be recognised as one by the receiving side. */
export function messageIdHeader(deliveryId: string, round: number, domain: string): string {
  requireRound(round);
  const parsed = parseAddress(`${deliveryId}.r${round}@${domain}`);
  if (!parsed.ok) throw new Error(`messageIdHeader: not a Message-ID: ${parsed.code}`);
  return `<${parsed.address}>`;
}

/** What webhooks are matched by; `env` keeps staging's events out of production. */
export function requiredTags(deliveryId: string, round: number, env: string) {
  requireRound(round);
  return { delivery_id: deliveryId, round: String(round), env: tagValue(env) };
}

/**
 * Puts a value into the tags' alphabet: `2026-Q1` stays, every other sign becomes a dash. It loses information
 * (`a.b` and `a:b` are both `a-b`), so it is for people who filter, never for finding a row again.
 */
export function tagValue(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, '-').slice(0, 256) || '-';
}

function requireRound(round: number): void {
  if (!Number.isSafeInteger(round) || round < 1) throw new RangeError(`not a round: ${round}`);
}
