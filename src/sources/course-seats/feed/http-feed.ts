import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Pool } from 'undici';
import { parseRetryAfter } from '../../../domain/policy.ts';
import type { Clock } from '../../../std/clock.ts';
import { type ListKey, parseTermId } from '../term.ts';
import type { CatalogAnswer, Feed, FeedFailure } from './feed.ts';
import { readListBody } from './list-body.ts';

/**
 * The feed over HTTP: connections that we count, no redirects, nothing repeated, everything bounded in octets (as they are after
 * unpacking) and in time. Whatever the server does is an answer.
 */
export interface HttpFeedParts {
  /** Up to `/openSections.json`. */
  baseUrl: string;
  clock: Clock;
  limits?: Partial<FeedLimits>;
}

export interface FeedLimits {
  connectMs: number;
  /** A list from the question to its last octet; of a catalog, to its first. */
  answerMs: number;
  listOctetsMax: number;
  catalogOctetsMax: number;
  /** Between two pieces of a catalog. */
  stallMs: number;
  /** A whole catalog, with the time that its reader takes. */
  catalogMs: number;
}

const defaultLimits: FeedLimits = {
  connectMs: 5_000,
  answerMs: 10_000, // Less than the shortest interval between polls.
  listOctetsMax: 1_000_000, // All of New Brunswick, 13,780 indexes, is 110 KB.
  catalogOctetsMax: 200_000_000, // Its catalog is 21 MB.
  stallMs: 30_000,
  catalogMs: 15 * 60_000,
};

// As many as ever ask for lists at once (004-24), and two for catalogs.
const connections = 12;
/** Unpacked at once. Each piece costs a turn of a thread and a deadline: with Node's own 16 KB a catalog takes a quarter more. */
const pieceOctets = 256 * 1024;

export function createHttpFeed({ baseUrl, clock, limits: own }: HttpFeedParts): Feed {
  const limits = { ...defaultLimits, ...own };
  const base = new URL(baseUrl);
  const pool = new Pool(base.origin, {
    ...{ connections, pipelining: 1, connect: { timeout: limits.connectMs } },
    // Time is bounded below, by the clock that is an argument.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  let closed: Promise<void> | undefined;

  /** Throws nothing but what `failureOf` explains. Who reads to the end, or gives up, calls `end`. */
  async function ask(file: string, list: ListKey, call: Call): Promise<Readable | FeedFailure> {
    const term = parseTermId(list.termId);
    if (!term)
      return { kind: 'failed', status: null, code: 'unknown_term', message: `no term: ${list.termId}` };
    const question = new URLSearchParams({
      ...{ year: String(term.year), term: term.term, campus: list.campusCode },
    });
    const { statusCode, headers, body } = await pool.request({
      method: 'GET',
      path: `${base.pathname.replace(/\/$/, '')}/${file}?${question}`,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'tidings' },
      signal: call.signal,
      // A connection for each: between two polls a server closes idle ones, and a question that meets that looks like an outage.
      reset: true,
    });
    call.hasBegun = true;
    // What becomes of the rest of a body that nobody wants is nobody's error.
    body.on('error', () => {});
    const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
    const refusal = refusalOf(statusCode, headers, encoding, clock.now());
    if (!refusal)
      return encoding === 'gzip' ? pipeline(body, createGunzip({ chunkSize: pieceOctets }), () => {}) : body;
    body.destroy();
    return refusal;
  }

  return {
    async openSections(list, signal) {
      const call = startCall(clock, signal);
      call.within(limits.answerMs, tooLate(limits.answerMs));
      try {
        const answer = await ask('openSections.json', list, call);
        if ('kind' in answer) return answer;
        const pieces: Uint8Array[] = [];
        for await (const piece of bounded(answer, limits.listOctetsMax)) pieces.push(piece);
        return readListBody(Buffer.concat(pieces));
      } catch (error) {
        return failureOf(error, call);
      } finally {
        call.end();
      }
    },

    async courses(list, signal): Promise<CatalogAnswer> {
      const call = startCall(clock, signal);
      const begun = call.within(limits.answerMs, tooLate(limits.answerMs));
      call.within(limits.catalogMs, tooLate(limits.catalogMs));
      try {
        const answer = await ask('courses.json', list, call);
        begun();
        if (!('kind' in answer)) return { kind: 'catalog', pieces: catalogPieces(answer, call, limits) };
        call.end();
        return answer;
      } catch (error) {
        call.end();
        return failureOf(error, call);
      }
    },

    close() {
      closed ??= pool.destroy();
      return closed;
    },
  };
}

function refusalOf(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  encoding: string,
  now: number,
): FeedFailure | undefined {
  const failed = (code: string, message: string) => ({ kind: 'failed' as const, status, code, message });
  if (status < 200 || status > 299) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
    const what = status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'no list';
    return {
      ...failed(`http_${status}`, `the feed answered ${status}: ${what}`),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  }
  if (/^text\/html\b/i.test(String(headers['content-type'] ?? ''))) {
    return failed('not_json', `the feed answered ${status} with a page of HTML`);
  }
  return /^(identity|gzip)$/.test(encoding)
    ? undefined
    : failed('unknown_encoding', `the answer is packed as ${encoding.slice(0, 40)}, for which nobody asked`);
}

/** One request with its clocks: the first that runs out, or a stop from outside, ends it with its reason. */
interface Call {
  signal: AbortSignal;
  /** The head of the answer is here. */
  hasBegun: boolean;
  within(ms: number, reason: FeedFailure): () => void;
  end(): void;
}

function startCall(clock: Clock, outside: AbortSignal): Call {
  const ended = new AbortController();
  const over = new AbortController();
  const stop = () => ended.abort(stopped);
  outside.addEventListener('abort', stop, { once: true });
  if (outside.aborted) stop();
  return {
    signal: ended.signal,
    hasBegun: false,
    within(ms, reason) {
      const done = new AbortController();
      const waiting = AbortSignal.any([done.signal, over.signal]);
      void clock.sleep(ms, waiting).then(() => {
        if (!waiting.aborted) ended.abort(reason);
      });
      return () => done.abort('done');
    },
    end() {
      over.abort('over');
      outside.removeEventListener('abort', stop);
    },
  };
}

async function* bounded(body: Readable, octetsMax: number): AsyncGenerator<Uint8Array> {
  let octets = 0;
  // Leaving the loop, by whichever way, destroys the body and with it the request.
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    octets += piece.length;
    if (octets > octetsMax) throw tooLarge(octetsMax);
    yield piece;
  }
}

/** Ends by throwing when the rest does not come: an error with the failure's `code` and `message`. */
async function* catalogPieces(body: Readable, call: Call, limits: FeedLimits): AsyncGenerator<Uint8Array> {
  const pieces = bounded(body, limits.catalogOctetsMax);
  try {
    for (;;) {
      const came = call.within(limits.stallMs, {
        ...tooLate(limits.stallMs),
        ...{ code: 'stalled', message: `nothing more came for ${limits.stallMs / 1000} s` },
      });
      const { value, done } = await pieces.next().finally(came);
      if (done) return;
      yield value;
    }
  } catch (error) {
    const { code, message } = failureOf(error, call);
    throw Object.assign(new Error(message, { cause: error }), { code });
  } finally {
    call.end();
    body.destroy();
  }
}

const stopped: FeedFailure = { kind: 'failed', status: null, code: 'stopped', message: 'it was stopped' };

const tooLate = (ms: number): FeedFailure => ({
  ...{ kind: 'failed', status: null, code: 'timed_out', message: `no whole answer within ${ms / 1000} s` },
});

const tooLarge = (octets: number): FeedFailure => ({
  ...{
    kind: 'failed',
    status: 200,
    code: 'too_large',
    message: `the answer is larger than ${octets} octets`,
  },
});

/** Why it ended: by our own word, or by what the connection did. */
function failureOf(error: unknown, { signal, hasBegun }: Call): FeedFailure {
  if (signal.aborted) return signal.reason as FeedFailure;
  const known = error as Partial<FeedFailure & { code: unknown }> | null;
  if (known?.kind === 'failed') return known as FeedFailure;
  const { code: systemCode, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const detail = `${String(systemCode ?? 'error')}: ${String(message)}`.slice(0, 200);
  const code =
    codes.find(([pattern]) => pattern.test(String(systemCode)))?.[1] ?? (hasBegun ? 'truncated' : 'broken');
  if (code === 'stopped') return stopped;
  return { kind: 'failed', status: null, code, message: `${sentences[code]} (${detail})` };
}

const sentences: Readonly<Record<string, string>> = {
  unreachable: 'the feed cannot be reached',
  timed_out: 'no connection in time',
  truncated: 'the answer broke off',
  broken: 'the connection failed',
};

const codes: readonly (readonly [RegExp, string])[] = [
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'stopped'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timed_out'],
  [
    /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|CERT_|DEPTH_|ERR_TLS|SELF_SIGNED)/,
    'unreachable',
  ],
  [
    /^(UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|EPIPE|Z_|ERR_STREAM_PREMATURE_CLOSE|HPE_)/,
    'truncated',
  ],
];
