import { mailboxUnknown, type Outcome } from '../domain/outcome.ts';
import type { DeliveryError } from '../domain/transition.ts';

/**
 * What a mail server's answer, or its silence, says about a mail. Pure: from what went wrong and how far the mail had
 * got to an outcome. It never says `accepted`, and says `unknown` in one case only: the mail was handed over entirely
 * and no answer came.
 */
export function outcomeOf(
  failure: SmtpFailure,
  progress: Progress,
  recipient: string,
  place = 'the server',
): Outcome {
  const reply = readReply(failure);
  if (reply === undefined) return withoutReply(failure, progress, place);
  return progress === 'opening'
    ? replyAtOpening(reply, failure)
    : replyToMail(reply, failure, progress, recipient);
}

/** As nodemailer shows it; all of it may be absent. */
export interface SmtpFailure {
  code?: string;
  /** What the system or TLS called it, such as ECONNREFUSED, where the code is one of nodemailer's own. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/**
 * opening: connecting, greeting, log-in; no mail has been mentioned. handing_over: from MAIL FROM on, with the end of
 * the mail not yet given away. handed_over: the final dot may have been sent.
 */
export type Progress = 'opening' | 'handing_over' | 'handed_over';

interface Reply {
  code: number;
  /** RFC 3463, without its class: `1.1` of 5.1.1. Empty where the server gives none, or one of another class. */
  detail: string;
  text: string;
}

function readReply({ responseCode, response = '' }: SmtpFailure): Reply | undefined {
  // A 2yz or 3yz where nothing of the kind can be meant is no refusal: the two sides are out of step.
  if (responseCode === undefined || responseCode < 400 || responseCode > 599) return undefined;
  const [, kind, detail] = /^\d{3}[ -]([245])\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  const isSameClass = kind === String(responseCode)[0];
  return { code: responseCode, detail: isSameClass ? (detail ?? '') : '', text: response };
}

function withoutReply(
  { code = '', originalCode = code }: SmtpFailure,
  progress: Progress,
  place: string,
): Outcome {
  if (code === 'EAUTH') {
    const error = errorOf('unauthorised', 'the server offers no log-in that we know, or we have no password');
    return { kind: 'deferred', trouble: 'unauthorised', error };
  }
  switch (progress) {
    case 'opening':
      return {
        kind: 'deferred',
        trouble: 'unreachable',
        error: errorOf(
          code === 'ETLS' ? 'tls_failed' : 'unreachable',
          `no session with ${place} (${originalCode})`,
        ),
      };
    case 'handing_over':
      // nodemailer's own check against the size that the server has announced; nothing was sent.
      if (code === 'EMESSAGE') {
        return {
          kind: 'refused_for_good',
          error: errorOf('message_too_big', 'larger than the server takes'),
        };
      }
      return {
        kind: 'refused_for_now',
        error: errorOf('connection_lost', `the connection was lost before the mail had ended (${code})`),
      };
    case 'handed_over':
      return {
        kind: 'unknown',
        error: errorOf('answer_lost', `the mail was handed over, and no answer came (${code})`),
      };
  }
}

/** Before any mail is mentioned, whatever is refused is refused to us. */
function replyAtOpening({ code, text }: Reply, failure: SmtpFailure): Outcome {
  if (failure.code === 'ETLS') {
    return { kind: 'deferred', trouble: 'unreachable', error: errorOf('tls_failed', wordsOf(text)) };
  }
  if (authCodes.has(code)) return unauthorised(text);
  if (code < 500) {
    return { kind: 'deferred', trouble: 'throttled', error: errorOf('throttled', wordsOf(text)) };
  }
  return { kind: 'deferred', trouble: 'unreachable', error: errorOf('session_refused', wordsOf(text)) };
}

// RFC 4954: required, too weak, invalid; 538 is an old "only over TLS". 454 may pass and is not among them.
const authCodes = new Set([530, 534, 535, 538]);

function replyToMail(
  { code, detail, text }: Reply,
  { command }: SmtpFailure,
  progress: Progress,
  recipient: string,
): Outcome {
  const words = wordsOf(text, recipient);
  if (code === 421 && detail.startsWith('7.')) {
    return { kind: 'deferred', trouble: 'throttled', error: errorOf('throttled', words) };
  }
  if (code < 500) {
    const name = detail === '2.2' ? 'mailbox_full' : code === 421 ? 'service_closing' : 'refused_for_now';
    return { kind: 'refused_for_now', error: errorOf(name, words) };
  }
  // After the content, 535 and its like have nothing to do with a log-in.
  if (authCodes.has(code) && progress === 'handing_over') return unauthorised(words);
  return { kind: 'refused_for_good', error: errorOf(nameOfRefusal(code, detail, command), words) };
}

/** `mailbox_unknown` suppresses the address, so nothing that could mean anything else is called so. */
function nameOfRefusal(code: number, detail: string, command: string | undefined): string {
  const isAboutRecipient = command !== 'MAIL FROM' && [550, 551, 553, 556].includes(code);
  if (isAboutRecipient && goneDetails.has(detail)) return mailboxUnknown;
  if (detail.startsWith('7.')) return 'policy';
  if (detail === '2.2') return 'mailbox_full';
  if (detail === '3.4' || detail === '2.3' || (code === 552 && detail === '')) return 'message_too_big';
  return 'refused';
}

// RFC 3463 and 7505: no such mailbox, no such domain, a domain that takes no mail.
const goneDetails = new Set(['1.1', '1.2', '1.10']);

function unauthorised(text: string): Outcome {
  return { kind: 'deferred', trouble: 'unauthorised', error: errorOf('unauthorised', wordsOf(text)) };
}

function errorOf(code: string, message: string): DeliveryError {
  return { code, provider: 'smtp', message };
}

const wordsMax = 300; // Two or three lines of a server that explains itself; the rest is links.

/** A server's words without anybody's address: they go to logs and to people who may not know whose mail it was. */
export function wordsOf(text: string, recipient = ''): string {
  const local = recipient.slice(0, recipient.lastIndexOf('@'));
  const plain = text
    .slice(0, 4 * wordsMax)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[^\s<>"'(),;]*(?:@|%40)[^\s<>"'(),;]*/gi, '…');
  // Some name the mailbox alone: `No such user ana.pop`. One or two signs would hit other words.
  const nameless = local.length > 2 ? plain.replaceAll(local, '…') : plain;
  return nameless.slice(0, wordsMax).trim();
}
