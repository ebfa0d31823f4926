/** Whether to try again, and when. Pure: what it decides follows from what came and from the dice it is given. */
export interface Failure {
  /** Of the answer; null where none came. */
  status: number | null;
  /** Nothing of the request can have reached the server. */
  isUnsent: boolean;
  /** The answer is one of Tidings itself, not of something on the way to it. */
  isOwn: boolean;
  retryAfterMs: number | null;
}

const firstMs = 500;
/** A server that starts anew is back within a quarter of a minute. */
const longestMs = 16_000;

/** 0 and 1 are as far apart as half of the wait: callers that failed together do not come back together. */
export function backOffMs(tries: number, roll: number): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** (tries - 1));
  return Math.round(fullMs / 2 + (fullMs / 2) * roll);
}

/**
 * How long to wait before the next try; undefined where none makes sense. A server that says how long is obeyed, and never
 * asked sooner; one that asks for more than `waitMaxMs` is left to the caller.
 */
export function waitBeforeNext(
  failure: Failure,
  { isRepeatable, tries, waitMaxMs, roll }: NextTry,
): number | undefined {
  if (!mayTryAgain(failure, isRepeatable)) return undefined;
  const { retryAfterMs } = failure;
  const ownMs = backOffMs(tries, roll);
  if (retryAfterMs === null) return ownMs;
  if (retryAfterMs > waitMaxMs) return undefined;
  return retryAfterMs + Math.min(ownMs, Math.round(1_000 * roll));
}

interface NextTry {
  /** To do it twice is the same as to do it once. */
  isRepeatable: boolean;
  /** So far. */
  tries: number;
  waitMaxMs: number;
  /** Of the dice, in [0, 1). */
  roll: number;
}

/** After these the work may or may not have been done. */
const unclear: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

function mayTryAgain({ status, isUnsent, isOwn, retryAfterMs }: Failure, isRepeatable: boolean): boolean {
  if (isUnsent) return true;
  // Not done, whatever it was. Where waiting helps, Tidings says how long.
  if (status === 429) return retryAfterMs !== null || !isOwn;
  return isRepeatable && (status === null || unclear.has(status));
}

/** Seconds, or a date; null where it is neither. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) || /^[-+\d.]+$/.test(text) ? null : Math.max(0, at - now);
}
