import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import { type Mail, messageIdHeader, parseSender } from '../domain/message.ts';

/**
 * A mail as the bytes that leave. Two attempts of one round differ in their Date only: the Message-ID comes from the
 * key, so that whoever gets both can tell that they are one.
 */
export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly messageId: string;
  readonly bytes: Buffer;
}

/** The mail has passed `checkMail`. */
export async function writeLetter(key: string, mail: Mail, now: number): Promise<Letter> {
  const from = senderOf(mail.from);
  const { deliveryId, round } = readKey(key);
  const messageId = messageIdHeader(deliveryId, round, from.address.slice(from.address.lastIndexOf('@') + 1));
  const composer = new MailComposer({
    // As objects, never as text: nodemailer's address parser would see more in them than ours did.
    from,
    to: { name: '', address: mail.to },
    ...(mail.replyTo !== undefined && { replyTo: senderOf(mail.replyTo) }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: { ...mail.headers },
    messageId,
    date: new Date(now),
    // The boundary would be random otherwise. It stands in no body: those are encoded.
    baseBoundary: key,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from: from.address, to: mail.to, messageId, bytes: await composer.compile().build() };
}

function senderOf(text: string): { name: string; address: string } {
  const parsed = parseSender(text);
  if (!parsed.ok) throw new Error(`writeLetter: not a sender: ${parsed.code}`);
  return { name: parsed.name, address: parsed.address };
}

/** The inverse of `idempotencyKey`. */
function readKey(key: string): { deliveryId: string; round: number } {
  const [, deliveryId = key, round = '1'] = /^(.+)-r([1-9]\d*)$/.exec(key) ?? [];
  return { deliveryId, round: Number(round) };
}

/**
 * The bytes as a stream that says when its last one has been taken. The final dot is written by whoever reads this
 * stream, when it ends and not before; so as long as `hasEnded` is false, the dot has not been sent.
 */
export interface LetterStream {
  readonly stream: Readable;
  /** Whether content may have been sent. */
  readonly hasBegun: boolean;
  readonly hasEnded: boolean;
  readonly ended: Promise<void>;
}

const sliceOctets = 16_384;

export function streamLetter({ bytes }: Letter): LetterStream {
  let hasBegun = false;
  let hasEnded = false;
  let tell = () => {};
  const ended = new Promise<void>((resolve) => {
    tell = resolve;
  });
  function* slices(): Generator<Buffer> {
    hasBegun = true;
    for (let start = 0; start < bytes.length; start += sliceOctets) {
      yield bytes.subarray(start, start + sliceOctets);
    }
  }
  const stream = Readable.from(slices(), { objectMode: false, highWaterMark: sliceOctets });
  // Before anybody pipes it: listeners run in order, so this one runs before the one that writes the dot.
  stream.once('end', () => {
    hasEnded = true;
    tell();
  });
  return {
    stream,
    ended,
    get hasBegun() {
      return hasBegun;
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}
