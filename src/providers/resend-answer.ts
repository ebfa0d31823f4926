import type { Outcome } from '../domain/outcome.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { AnswerHeaders, Exchanged } from './exchange.ts';
import {
  type Answer,
  deferredFor,
  outcomeWithoutAnswer,
  parseJson,
  printable as printableAnswer,
  throttleMs,
} from './http-answer.ts';

/**
 * What an answer of Resend, or the lack of one, says about a mail. It is decided by status and name together. Whatever is
 * not known to be a refusal is `unknown`: a mail in doubt is looked into, a mail wrongly taken for refused is sent twice.
 */
export function outcomeOf(exchanged: Exchanged, now: number): Outcome {
  return exchanged.kind === 'answered'
    ? outcomeOfAnswer(exchanged, now)
    : outcomeWithoutAnswer(exchanged, 'resend');
}

function outcomeOfAnswer(answer: Answer, now: number): Outcome {
  const { status } = answer;
  const body = readBody(answer.bodyText);
  if (status >= 200 && status <= 299) {
    if (body.id !== undefined) return { kind: 'accepted', messageId: body.id };
    const what = answer.bodyText === null ? 'an answer too large to read' : 'an answer without an id';
    return { kind: 'unknown', error: errorOf('answer_unreadable', `status ${status}, ${what}`) };
  }
  const error = errorOf(body.name ?? `http_${status}`, body.message ?? `status ${status}`);
  const unknown: Outcome = { kind: 'unknown', error };
  if (status < 400 || status > 499) return unknown;

  // Two names that are proof of an earlier request under the same key, whatever the status: never "not accepted".
  if (body.name === 'invalid_idempotent_request') return { kind: 'key_conflict', error };
  if (body.name === 'concurrent_idempotent_requests') return { kind: 'unknown', error, isAttempt: false };
  switch (verdictOn(status, body)) {
    case 'for_good':
      return { kind: 'refused_for_good', error };
    case 'for_now':
      return { kind: 'refused_for_now', error };
    case 'unauthorised':
      return { kind: 'deferred', trouble: 'unauthorised', error };
    case 'unreachable':
      return { kind: 'deferred', trouble: 'unreachable', error };
    case 'throttled':
      return deferredFor(throttleMs(answer.headers, now), 'throttled', error);
    case 'over_quota_today':
      return deferredFor(msToMidnight(now), 'over_quota', error);
    case 'over_quota':
      return { kind: 'deferred', trouble: 'over_quota', error };
    case undefined:
      return unknown;
  }
}

type Verdict =
  | 'for_good'
  | 'for_now'
  | 'unauthorised'
  | 'unreachable'
  | 'throttled'
  | 'over_quota_today'
  | 'over_quota';

/** Names that ail every mail alike, so that one of them under an unusual status does not end a row. */
const byName: Readonly<Record<string, Verdict>> = {
  missing_api_key: 'unauthorised',
  invalid_api_key: 'unauthorised',
  restricted_api_key: 'unauthorised',
  rate_limit_exceeded: 'throttled',
  daily_quota_exceeded: 'over_quota_today',
  monthly_quota_exceeded: 'over_quota',
};

/**
 * A 4xx that is not here stays in doubt: 408, 425 and 499 say that somebody tired of waiting, a 409 with another name
 * that the key is in use somehow, and the rest come from machines in between of which we know nothing.
 */
const byStatus: Readonly<Record<number, Verdict>> = {
  400: 'for_good',
  422: 'for_good',
  413: 'for_good', // This mail is too large; a smaller one would do.
  // A wrong key, a suspended team, a sender's domain that is not verified: the same for the next mail.
  401: 'unauthorised',
  403: 'unauthorised',
  402: 'over_quota', // Somebody has to pay.
  // Nobody takes mail at this URL: the base URL is wrong, or the door has moved. No mail is to blame.
  404: 'unreachable',
  405: 'unreachable',
  415: 'unreachable',
  429: 'throttled',
  // `security_error`: may be this mail or the account, and only their support knows. Counted, so that it ends.
  451: 'for_now',
};

function verdictOn(status: number, { name, message }: Body): Verdict | undefined {
  if (status === 408 || status === 409 || status === 425) return undefined;
  // Invalid keys have also been answered as a `validation_error`; that must not end every row in the outbox.
  if (name === 'validation_error' && /^api key is invalid/i.test(message ?? '')) return 'unauthorised';
  const named = name !== undefined && Object.hasOwn(byName, name) ? byName[name] : undefined;
  return named ?? byStatus[status];
}

const dayMs = 86_400_000;

/** The daily quota begins anew at 00:00 UTC, which is where the epoch's days begin. */
function msToMidnight(now: number): number {
  return (Math.floor(now / dayMs) + 1) * dayMs - now;
}

/**
 * Requests a second that the team may make, as an answer says it; undefined where it does not. Resend counts by the second.
 * A limit that is counted over longer than that is not this one, and none at all is said by refusing, not by a rate of 0.
 */
export function readRatePerSecond(headers: AnswerHeaders): number | undefined {
  const [limit, resetSeconds] = ['limit', 'reset'].map((what) => {
    const text = headers[`ratelimit-${what}`];
    return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  });
  if (limit === undefined || limit === 0 || resetSeconds === undefined || resetSeconds > 1) return undefined;
  return limit;
}

interface Body {
  id?: string;
  name?: string;
  message?: string;
}

/** Of a stranger's JSON only what has the shape that we rely on. */
function readBody(text: string | null): Body {
  const { id, name, message } = (parseJson(text) ?? {}) as Record<string, unknown>;
  return {
    ...(typeof id === 'string' && /^[\x21-\x7e]{1,255}$/.test(id) && { id }),
    ...(typeof name === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(name) && { name }),
    ...(typeof message === 'string' && { message }),
  };
}

function errorOf(code: string, message: string): DeliveryError {
  return { code, provider: 'resend', message: printable(message) };
}

/** Nor a key: Resend's own begin so. */
export function printable(text: string): string {
  return printableAnswer(text).replace(/\bre_\w+/g, '[key]');
}
