import { Pool } from 'undici';
import { parseRetryAfter } from '../../../domain/policy.ts';
import type { Clock } from '../../../std/clock.ts';

/**
 * One question to Clerk's API: no redirect is followed and nothing repeated, and it ends within its bounds in time and octets,
 * whatever the server does. It never throws. What it says of a failure holds neither the key nor anything of the answer.
 */
export interface ClerkExchange {
  get(path: string): Promise<ClerkAnswer>;
  close(): Promise<void>;
}

export type ClerkAnswer =
  | { kind: 'json'; value: unknown }
  /** That the question is wrong, and not the moment. */
  | { kind: 'rejected'; status: number }
  | { kind: 'failed'; code: string; message: string; retryAfterMs: number | null };

export interface ClerkExchangeParts {
  apiUrl: string;
  secretKey: string;
  clock: Clock;
  limits?: Partial<ClerkLimits>;
}

export interface ClerkLimits {
  /** From the question to the last octet. */
  answerMs: number;
  connectMs: number;
  octetsMax: number;
}

/** A hundred users with all that Clerk keeps of them are 300 KB; ten times that is none. */
const defaultLimits: ClerkLimits = { answerMs: 10_000, connectMs: 5_000, octetsMax: 3_000_000 };
const connections = 4;

export function createClerkExchange(parts: ClerkExchangeParts): ClerkExchange {
  const { apiUrl, secretKey, clock } = parts;
  const limits = { ...defaultLimits, ...parts.limits };
  const base = new URL(apiUrl);
  const pool = new Pool(base.origin, {
    ...{ connections, pipelining: 1, connect: { timeout: limits.connectMs } },
    // Time is bounded below, by the clock that is an argument.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  const headers = {
    authorization: `Bearer ${secretKey}`,
    accept: 'application/json',
    'user-agent': 'tidings',
  };
  let closed: Promise<void> | undefined;

  async function ask(path: string, signal: AbortSignal): Promise<ClerkAnswer> {
    const answer = await pool.request({
      ...{ method: 'GET', path: `${base.pathname.replace(/\/$/, '')}${path}`, headers, signal },
    });
    const { statusCode: status, body } = answer;
    // What becomes of the rest of a body that nobody wants is nobody's error.
    body.on('error', () => {});
    const refusal = refusalOf(status, parseRetryAfter(answer.headers['retry-after'], clock.now()));
    if (refusal) {
      body.destroy();
      return refusal;
    }
    const pieces: Uint8Array[] = [];
    let octets = 0;
    // Leaving the loop, by whichever way, destroys the body and with it the request.
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      octets += piece.length;
      if (octets > limits.octetsMax) return failed('too_large', 'Clerk answered with more than it should');
      pieces.push(piece);
    }
    return jsonIn(Buffer.concat(pieces).toString('utf8'));
  }

  return {
    async get(path) {
      const ended = new AbortController();
      const answered = new AbortController();
      void clock.sleep(limits.answerMs, answered.signal).then(() => {
        if (!answered.signal.aborted) ended.abort('late');
      });
      try {
        return await ask(path, ended.signal);
      } catch (error) {
        if (ended.signal.aborted)
          return failed('timed_out', `Clerk gave no whole answer within ${limits.answerMs / 1000} s`);
        const { code } = (error ?? {}) as { code?: unknown };
        return failed('unreachable', `Clerk cannot be reached (${String(code ?? 'broken').slice(0, 60)})`);
      } finally {
        answered.abort('answered');
      }
    },
    close() {
      closed ??= pool.destroy();
      return closed;
    },
  };
}

const failed = (code: string, message: string, retryAfterMs: number | null = null): ClerkAnswer => ({
  ...{ kind: 'failed', code, message, retryAfterMs },
});

/** What says that this question can never be answered. All else may pass: a key or an address is mended, a server comes back. */
const rejecting: ReadonlySet<number> = new Set([400, 414, 422]);

function refusalOf(status: number, retryAfterMs: number | null): ClerkAnswer | undefined {
  if (status === 200) return undefined;
  if (rejecting.has(status)) return { kind: 'rejected', status };
  if (status === 401 || status === 403)
    return failed('key_refused', 'Clerk refuses the secret key', retryAfterMs);
  if (status === 429) return failed('throttled', 'Clerk asks for patience', retryAfterMs);
  return failed(`http_${status}`, `Clerk answered ${status}`, retryAfterMs);
}

function jsonIn(text: string): ClerkAnswer {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return failed('not_json', 'Clerk answered with something that is not JSON');
  }
}
