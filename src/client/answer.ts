import { type Failure, readRetryAfter } from './back-off.ts';

/** What came back of one try, in our words: an answer, or what went wrong and what can be known about it. */
export type Tried = { ok: true; answer: unknown } | { ok: false; failure: Failed };

export interface Failed extends Failure {
  code: string;
  sentence: string;
  details?: Readonly<Record<string, unknown>>;
  traceId?: string;
  isInDoubt: boolean;
}

const none = { status: null, isOwn: false, retryAfterMs: null } as const;

export const tooLate = (timeoutMs: number): Failed => ({
  ...{ ...none, code: 'timed_out', isUnsent: false, isInDoubt: true },
  sentence: `The server did not answer within ${timeoutMs} ms.`,
});

/** Codes of a connection that never came about. */
const unconnected = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Only the code of what went wrong: its words may quote the request, and the key with it. */
export function unreachable(error: unknown): Failed {
  const { cause, code = (cause as { code?: unknown } | undefined)?.code } = error as ErrorWithCause;
  const known = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
  const isUnsent = known !== undefined && unconnected.test(known);
  return {
    ...{ ...none, code: 'unreachable', isUnsent, isInDoubt: !isUnsent },
    sentence: isUnsent
      ? `The server cannot be reached (${known}). Check baseUrl, and whether it runs.`
      : `The connection to the server broke before it had answered${known ? ` (${known})` : ''}.`,
    ...(known && { details: { cause: known } }),
  };
}

interface ErrorWithCause {
  code?: unknown;
  cause?: unknown;
}

export function readAnswer({ status, headers }: Response, text: string, now: number): Tried {
  const json = parsed(text);
  if (status >= 200 && status < 300 && json !== undefined) return { ok: true, answer: json };
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const common = { status, retryAfterMs, isUnsent: false, isInDoubt: isUnclear(status) };
  if (status >= 400 && isRefusal(json)) {
    const { error: sentence, code, traceId, details = {} } = json;
    return { ok: false, failure: { ...common, isOwn: true, sentence, code, traceId, details } };
  }
  const sentence =
    status >= 300 && status < 400
      ? `The server sends us elsewhere (${status}). Set baseUrl to where it leads.`
      : `What answered (${status}) does not speak as Tidings does. Check baseUrl, and what is before the server.`;
  return { ok: false, failure: { ...common, isOwn: false, code: 'unexpected_answer', sentence } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface RefusalBody {
  error: string;
  code: string;
  traceId: string;
  details?: Readonly<Record<string, unknown>>;
}

function isRefusal(json: unknown): json is RefusalBody {
  const { error, code, traceId } = (json ?? {}) as Partial<Record<keyof RefusalBody, unknown>>;
  return [error, code, traceId].every((part) => typeof part === 'string');
}

/** Something on the way may have given up on a server that did the work, or have changed what it said. */
const isUnclear = (status: number) => status >= 500 || status === 408 || status < 300;
