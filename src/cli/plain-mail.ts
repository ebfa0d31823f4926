import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Address, addressKey, parseAddress } from '../domain/address.ts';
import { checkSendable } from '../emails/sendable.ts';
import { Refusal } from '../std/refusal.ts';
import { shortened } from './width.ts';

/** A mail as it is typed: whatever would make it unsendable later is refused here, before anything is queued. */
export interface PlainMail {
  subject: string;
  text: string;
}

/** Half a body's bound, as the text goes out twice: as it is, and as html. */
const textOctetsMax = 512 * 1024;
const recipientsMax = 100;

/** One of each, in the order given; all mistakes at once. */
export function readRecipients(texts: readonly string[]): Address[] {
  if (texts.length === 0) throw new Refusal('recipient_missing', 'Say who is told: --to name@example.org.');
  if (texts.length > recipientsMax) {
    throw new Refusal(
      'too_many_recipients',
      `At most ${recipientsMax} addresses at a time; these are ${texts.length}.`,
    );
  }
  const byKey = new Map<string, Address>();
  const problems: string[] = [];
  for (const text of texts) {
    const parsed = parseAddress(text);
    if (parsed.ok)
      byKey.set(addressKey(parsed.address), byKey.get(addressKey(parsed.address)) ?? parsed.address);
    else problems.push(`--to ${shortened(JSON.stringify(text), 80)}: ${parsed.sentence}`);
  }
  if (problems.length > 0) throw new Refusal('invalid_address', problems.join('\n'), { problems });
  return [...byKey.values()];
}

export async function readText(options: { text?: string; textFile?: string }): Promise<string> {
  if ((options.text === undefined) === (options.textFile === undefined)) {
    throw new Refusal(
      'text_missing',
      'Give the mail either --text TEXT or --text-file FILE (- reads standard input).',
    );
  }
  if (options.text !== undefined) return options.text;
  const path = options.textFile ?? '-';
  try {
    if (path === '-') return decoded(await readBounded(process.stdin));
    const file = await open(path);
    try {
      return decoded(await readBounded(file.createReadStream()));
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException)?.code;
    const reason = code && fileProblems[code];
    if (error instanceof Refusal || !reason) throw error;
    throw new Refusal('text_unreadable', `Cannot read --text-file ${path}: ${reason}.`);
  }
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

async function readBounded(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > textOctetsMax) throw textTooBig();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('text_encoding', 'The text is not UTF-8. Convert the file, and try again.');
  }
}

const textTooBig = () =>
  new Refusal(
    'text_too_big',
    `The text is larger than ${textOctetsMax / 1024} KiB. Shorten it, or link to it.`,
  );

/** The same checks as on the way out, but here the answer reaches whoever can still change the text. */
export async function requireSendable(mail: PlainMail, to: readonly Address[]): Promise<void> {
  if (mail.subject === '') throw new Refusal('subject_missing', 'Give the mail a subject: --subject TEXT.');
  if (mail.text.trim() === '') throw new Refusal('text_missing', 'The text is empty. Say something in it.');
  if (Buffer.byteLength(mail.text) > textOctetsMax) throw textTooBig();
  const sendable = await checkSendable({ template: 'plain', locale: null, props: { ...mail } }, to);
  if (!sendable.ok) throw new Refusal(sendable.code, sendable.sentence);
}
