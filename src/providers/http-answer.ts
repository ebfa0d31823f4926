import type { Outcome } from '../domain/outcome.ts';
import { parseRetryAfter } from '../domain/policy.ts';
import type { DeliveryError } from '../domain/transition.ts';
import { withoutAddresses } from '../std/without-addresses.ts';
import type { AnswerHeaders, Exchanged } from './exchange.ts';

/**
 * What all providers with an HTTP API have in common when an answer, or the lack of one, is read. What their answers mean is
 * each one's own business; that a mail which may have left is `unknown`, and one which cannot have is not, is decided here.
 */
export type Answer = Extract<Exchanged, { kind: 'answered' }>;

/** Nothing has left, or nobody knows. */
export function outcomeWithoutAnswer(exchanged: Exclude<Exchanged, Answer>, provider: string): Outcome {
  if (exchanged.kind === 'not_started') {
    return { kind: 'deferred', error: errorOf(provider, 'not_started', 'shutting down, or out of time') };
  }
  return exchanged.phase === 'connecting'
    ? { kind: 'deferred', trouble: 'unreachable', error: errorOf(provider, 'unreachable', exchanged.code) }
    : { kind: 'unknown', error: errorOf(provider, 'no_answer', exchanged.code) };
}

export function errorOf(provider: string, code: string, message: string): DeliveryError {
  return { code, provider, message: printable(message) };
}

export function deferredFor(
  retryAfterMs: number,
  trouble: 'throttled' | 'over_quota',
  error: DeliveryError,
): Outcome {
  return {
    kind: 'deferred',
    trouble,
    retryAfterMs,
    error: { ...error, retryAfterSeconds: Math.ceil(retryAfterMs / 1000) },
  };
}

// A limit is so many a second: whatever the headers fail to say, the next second is another one.
const throttleDefaultMs = 1000;

/** How long a 429 asks us to wait. `0` is no wait that would help, since it was too early just now. */
export function throttleMs(headers: AnswerHeaders, now: number): number {
  return (
    parseRetryAfter(headers['retry-after'], now) ||
    parseRetryAfter(headers['ratelimit-reset'], now) ||
    throttleDefaultMs
  );
}

/** An object, or undefined for everything else. */
export function parseJson(text: string | null): object | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `2026-03-30 13:43:54.622865+00` or `2026-03-30T13:43:54.6228650-04:00`. Not `Date.parse` alone, which takes local times. */
export function parseTimestamp(text: unknown): number | undefined {
  const match =
    typeof text === 'string'
      ? /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/.exec(text)
      : null;
  if (!match) return undefined;
  const [, day, time, fraction = '0', hours = '+00', minutes = '00'] = match;
  const at = Date.parse(`${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${hours}:${minutes}`);
  return Number.isNaN(at) ? undefined : at;
}

const messageCharactersMax = 300;

/** Errors are stored and logged: no address and no line of its own. Providers repeat addresses in their sentences. */
export function printable(text: string): string {
  return withoutAddresses(text.slice(0, 4 * messageCharactersMax).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' '))
    .slice(0, messageCharactersMax)
    .trim();
}
