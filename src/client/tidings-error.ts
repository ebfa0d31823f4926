/**
 * Why a call did not succeed: the server refused it, or nobody could be reached. `message` is a sentence for people that says what
 * to do, `code` is for programs. The key that was used is in none of it.
 */
export class TidingsError extends Error {
  /** Of the last answer; null where there was none. */
  readonly status: number | null;
  readonly code: TidingsCode;
  /** The same as `message`. */
  readonly sentence: string;
  /** What the refusal says for programs, such as the `problems` of single fields. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Under this the log of the server tells more. */
  readonly traceId: string;
  /** How often it was tried. */
  readonly tries: number;
  /** How long the server asks to wait; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** A try was left without an answer, so that the server may have done what was asked. */
  readonly isInDoubt: boolean;

  constructor(parts: TidingsErrorParts) {
    super(parts.sentence);
    this.name = 'TidingsError';
    this.status = parts.status ?? null;
    this.code = parts.code;
    this.sentence = parts.sentence;
    this.details = parts.details ?? {};
    this.traceId = parts.traceId ?? '';
    this.tries = parts.tries ?? 0;
    this.retryAfterMs = parts.retryAfterMs ?? null;
    this.isInDoubt = parts.isInDoubt ?? false;
  }
}

export interface TidingsErrorParts {
  status?: number | null;
  code: TidingsCode;
  sentence: string;
  details?: Readonly<Record<string, unknown>>;
  traceId?: string;
  tries?: number;
  retryAfterMs?: number | null;
  isInDoubt?: boolean;
}

/** Those worth a branch; a server may have others. */
export type TidingsCode = ClientCode | ServerCode | (string & Record<never, never>);

/** The client's own: no answer, none in time, one that is not Tidings' own, or a call that cannot be made. */
type ClientCode = 'unreachable' | 'timed_out' | 'unexpected_answer' | 'invalid_argument';

type ServerCode =
  | 'invalid_request'
  | 'key_required'
  | 'role_required'
  | 'not_found'
  | 'too_many_requests'
  | 'unexpected'
  | 'stale_review_version'
  | 'rerun_required'
  | 'invalid_review'
  | 'job_not_found'
  | 'recipient_unknown'
  | 'escalated'
  | 'section_not_found'
  | 'section_conflict'
  | 'subscription_not_found'
  | 'rate_limited'
  | 'notification_not_found'
  | 'notification_conflict'
  | 'too_many_notifications'
  | 'run_not_found'
  | 'plan_used'
  | 'plan_expired'
  | 'delivery_not_found';

/** A call that cannot be made as it was asked for: nothing was sent. */
export function invalidArgument(sentence: string): TidingsError {
  return new TidingsError({ code: 'invalid_argument', sentence });
}
