import { type Failed, readAnswer, type Tried, tooLate, unreachable } from './answer.ts';
import { waitBeforeNext } from './back-off.ts';
import { type Order, type PreparedRequest, requestOf, type Sender } from './request.ts';
import { invalidArgument, TidingsError } from './tidings-error.ts';

/** One call: tries it, each time within a bound, and again where that is safe. What a caller gets is an answer or a `TidingsError`. */
export type Call = <Answer>(order: Order, options?: CallOptions) => Promise<Answer>;

/** What every call takes as its last argument. */
export interface CallOptions {
  /** Ends the call, its tries and its waiting; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Of each try. */
  timeoutMs?: number | undefined;
  /** After the first try. */
  retries?: number | undefined;
  /** Sent as `X-Request-Id`: 8 to 64 letters, digits, `-` and `_`. One is made if left out; all tries have the same. */
  traceId?: string | undefined;
}

export interface CallParts extends Sender {
  fetch: typeof globalThis.fetch;
  retries: number;
  timeoutMs: number;
  waitMaxMs: number;
  clock: ClientClock;
  random: () => number;
}

/** Time, for whoever tests with a clock of their own. */
export interface ClientClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function createCall(parts: CallParts): Call {
  return async <Answer>(order: Order, options: CallOptions = {}): Promise<Answer> => {
    const { signal, timeoutMs = parts.timeoutMs, retries = parts.retries } = options;
    requireCounts({ timeoutMs, retries });
    const request = requestOf(parts, order, options.traceId);
    let isInDoubt = false;
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted();
      const result = await tryOnce(parts, request, { timeoutMs, signal });
      if (result.ok) return result.answer as Answer;
      signal?.throwIfAborted();
      isInDoubt ||= result.failure.isInDoubt && order.method !== 'GET';
      const { isRepeatable } = order;
      const next = { isRepeatable, tries, waitMaxMs: parts.waitMaxMs, roll: parts.random() };
      const waitMs = tries > retries ? undefined : waitBeforeNext(result.failure, next);
      if (waitMs === undefined) throw errorOf(result.failure, { request, tries, isInDoubt, ...parts });
      await parts.clock.sleep(waitMs, signal);
    }
  };
}

/** Checked here, because neither a NaN nor the infinite is a bound that anything ever reaches. */
export function requireCounts({ timeoutMs, retries }: { timeoutMs: number; retries: number }): void {
  if (!(timeoutMs > 0 && Number.isFinite(timeoutMs)))
    throw invalidArgument('timeoutMs must be a number of milliseconds above 0.');
  if (!Number.isInteger(retries) || retries < 0) throw invalidArgument('retries must be 0 or more.');
}

async function tryOnce(
  { fetch, clock }: CallParts,
  { url, method, headers, body }: PreparedRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Tried> {
  const late = new AbortController();
  const done = new AbortController();
  async function attempt(): Promise<Tried> {
    try {
      const answer = await fetch(url, {
        ...{ method, headers, redirect: 'manual' },
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      // Read within the same bound: an answer that never ends is none.
      return readAnswer(answer, await answer.text(), clock.now());
    } catch (error) {
      return { ok: false, failure: unreachable(error) };
    }
  }
  async function lateness(): Promise<Tried> {
    await clock.sleep(timeoutMs, done.signal);
    late.abort();
    return { ok: false, failure: tooLate(timeoutMs) };
  }
  try {
    // A race, because a fetch that somebody brings may not listen to signals.
    return await Promise.race([attempt(), lateness()]);
  } finally {
    done.abort();
  }
}

/** A server that quotes what it was sent must not bring the key into somebody's log. */
function errorOf(
  { status, code, sentence, details = {}, traceId, retryAfterMs }: Failed,
  { request, tries, isInDoubt, apiKey }: Told,
): TidingsError {
  const cleaned = <Value>(value: Value): Value => {
    if (apiKey === undefined) return value;
    return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(apiKey).slice(1, -1), '…')) as Value;
  };
  return new TidingsError({
    ...{ status, code, tries, retryAfterMs, isInDoubt, traceId: traceId ?? request.traceId },
    ...{ sentence: cleaned(sentence), details: cleaned(details) },
  });
}

interface Told {
  request: PreparedRequest;
  tries: number;
  isInDoubt: boolean;
  apiKey: string | undefined;
}
