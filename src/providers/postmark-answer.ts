import { type Outcome, recipientInactive } from '../domain/outcome.ts';
import type { Exchanged } from './exchange.ts';
import {
  type Answer,
  deferredFor,
  errorOf,
  outcomeWithoutAnswer,
  parseJson,
  throttleMs,
} from './http-answer.ts';

/**
 * What an answer of Postmark, or the lack of one, says about a mail. Its own error code decides where there is one, then the
 * status. Whatever is not known to be a refusal is `unknown`: there are no keys, so a mail wrongly taken for refused is sent twice.
 */
export function outcomeOf(exchanged: Exchanged, now: number): Outcome {
  return exchanged.kind === 'answered'
    ? outcomeOfAnswer(exchanged, now)
    : outcomeWithoutAnswer(exchanged, postmark);
}

const postmark = 'postmark';

function outcomeOfAnswer({ status, headers, bodyText }: Answer, now: number): Outcome {
  const body = readBody(bodyText);
  if (status >= 200 && status <= 299) {
    // An id with an error beside it contradicts itself, and is neither the one nor the other.
    if (body.errorCode === 0 && body.messageId !== undefined) {
      return { kind: 'accepted', messageId: body.messageId };
    }
    const what = bodyText === null ? 'an answer too large to read' : 'an answer without an id';
    return { kind: 'unknown', error: errorOf(postmark, 'answer_unreadable', `status ${status}, ${what}`) };
  }
  const verdict = verdictOn(status, body.errorCode);
  const error = errorOf(postmark, nameOf(status, body.errorCode), body.message ?? `status ${status}`);
  switch (verdict) {
    case 'for_good':
      return { kind: 'refused_for_good', error };
    case 'for_now':
      return { kind: 'refused_for_now', error };
    case 'throttled':
      return deferredFor(throttleMs(headers, now), 'throttled', error);
    case 'unauthorised':
    case 'unreachable':
    case 'over_quota':
      return { kind: 'deferred', trouble: verdict, error };
    case undefined:
      return { kind: 'unknown', error };
  }
}

type Verdict = 'for_good' | 'for_now' | 'unauthorised' | 'unreachable' | 'throttled' | 'over_quota';

/** postmarkapp.com/developer/api/overview, as far as they concern the sending of one mail. */
const byErrorCode: Readonly<Record<number, Verdict>> = {
  10: 'unauthorised', // A bad token, or none.
  100: 'unreachable', // Maintenance.
  300: 'for_good', // This mail is wrong.
  // The sender is not confirmed: the same for the next mail.
  400: 'unauthorised',
  401: 'unauthorised',
  // JSON that they cannot read: of this mail, for others were read.
  402: 'for_good',
  403: 'for_good',
  405: 'over_quota', // Out of credits, or not allowed to send.
  406: 'for_good', // The recipient bounced, complained or was switched off there.
  409: 'for_good',
  411: 'for_good',
  // The account waits for approval, or may not send.
  412: 'unauthorised',
  413: 'unauthorised',
  429: 'throttled',
};

/** Message streams have the codes from 1200 on: one that is missing, archived or of another kind is so for every mail. */
const isAboutStream = (errorCode: number) => errorCode >= 1200 && errorCode <= 1299;

/** Without a code of theirs. What is not here stays in doubt, all of 5xx too. */
const byStatus: Readonly<Record<number, Verdict>> = {
  400: 'for_good',
  422: 'for_good',
  413: 'for_good', // Larger than they take.
  401: 'unauthorised',
  // A page of the wall in front of the API: nobody says whether it minds this mail or all. Counted, so that it ends.
  403: 'for_now',
  // Nobody takes mail at this URL: the base URL is wrong, or the door has moved. No mail is to blame.
  404: 'unreachable',
  405: 'unreachable',
  415: 'unreachable',
  429: 'throttled',
};

function verdictOn(status: number, errorCode: number | undefined): Verdict | undefined {
  if (errorCode !== undefined) {
    if (isAboutStream(errorCode)) return 'unauthorised';
    const known = byErrorCode[errorCode];
    if (known) return known;
  }
  return byStatus[status];
}

function nameOf(status: number, errorCode: number | undefined): string {
  if (errorCode === 406) return recipientInactive;
  return errorCode === undefined ? `http_${status}` : `postmark_${errorCode}`;
}

interface Body {
  messageId?: string;
  errorCode?: number;
  message?: string;
}

/** Of a stranger's JSON only what has the shape that we rely on. */
function readBody(text: string | null): Body {
  const { MessageID, ErrorCode, Message } = (parseJson(text) ?? {}) as Record<string, unknown>;
  return {
    ...(isMessageId(MessageID) && { messageId: MessageID }),
    ...(typeof ErrorCode === 'number' && Number.isSafeInteger(ErrorCode) && { errorCode: ErrorCode }),
    ...(typeof Message === 'string' && { message: Message }),
  };
}

/** It stands in paths, so nothing else than a UUID is one. */
export function isMessageId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

export function readErrorCode(bodyText: string | null): number | undefined {
  return readBody(bodyText).errorCode;
}
