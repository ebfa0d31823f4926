import { Pool } from 'undici';
import { parseRetryAfter } from '../../../domain/policy.ts';
import type { Clock } from '../../../std/clock.ts';
import { parseExactJson } from '../../../std/json-exact.ts';
import { BudgetUnavailable } from './budget-unavailable.ts';
import { dataOf } from './graphql-answer.ts';

/**
 * Questions to a GraphQL API: connections that we count, no redirects, each asked once, bounded in time and in octets. What comes is
 * its `data`, with numbers as they stood there; whatever else comes is thrown as `BudgetUnavailable`.
 */
export interface GraphqlClient {
  ask(question: Question): Promise<unknown>;
  close(): Promise<void>;
}

export interface Question {
  query: string;
  variables: Readonly<Record<string, unknown>>;
}

export interface GraphqlClientParts {
  url: string;
  clock: Clock;
  limits?: Partial<GraphqlLimits>;
}

export interface GraphqlLimits {
  connectMs: number;
  /** From the question to the answer's last octet. */
  answerMs: number;
  octetsMax: number;
  connections: number;
}

const defaultLimits: GraphqlLimits = {
  connectMs: 5_000,
  answerMs: 35_000, // The platform gives its own statements 30 s.
  octetsMax: 4_000_000, // A page of a thousand line items is a tenth of it.
  connections: 4,
};

export function createGraphqlClient({ url, clock, limits: own }: GraphqlClientParts): GraphqlClient {
  const limits = { ...defaultLimits, ...own };
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    ...{ connections: limits.connections, pipelining: 1, connect: { timeout: limits.connectMs } },
    // Time is bounded below, by the clock that is an argument.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  let closed: Promise<void> | undefined;

  async function answerTo(question: Question, signal: AbortSignal): Promise<unknown> {
    const { statusCode, headers, body } = await pool.request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'tidings' },
      body: JSON.stringify(question),
      signal,
    });
    // What becomes of the rest of a body that nobody wants is nobody's error.
    body.on('error', () => {});
    const pieces: Uint8Array[] = [];
    let octets = 0;
    // Leaving the loop, by whichever way, destroys the body and with it the request.
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      octets += piece.length;
      if (octets > limits.octetsMax) throw tooLarge(limits.octetsMax);
      pieces.push(piece);
    }
    const retryAfterMs = parseRetryAfter(headers['retry-after'], clock.now()) ?? undefined;
    return dataOf({ status: statusCode, retryAfterMs, json: parsed(Buffer.concat(pieces)) });
  }

  return {
    async ask(question) {
      const [ended, over] = [new AbortController(), new AbortController()];
      void clock.sleep(limits.answerMs, over.signal).then(() => {
        if (!over.signal.aborted) ended.abort(tooLate(limits.answerMs));
      });
      try {
        return await answerTo(question, ended.signal);
      } catch (error) {
        throw ended.signal.aborted ? ended.signal.reason : asUnavailable(error);
      } finally {
        over.abort('over');
      }
    },

    close() {
      closed ??= pool.destroy();
      return closed;
    },
  };
}

function parsed(octets: Uint8Array): unknown {
  try {
    const read = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(octets));
    return 'value' in read ? read.value : undefined;
  } catch {
    return undefined;
  }
}

// Asked again, it would be as large.
const tooLarge = (octets: number) =>
  new BudgetUnavailable('never', 'too_large', `the answer is larger than ${octets} octets`);

const tooLate = (ms: number) =>
  new BudgetUnavailable('later', 'timed_out', `no whole answer within ${ms / 1000} s`);

/** What a connection does is never our question's fault. */
function asUnavailable(error: unknown): BudgetUnavailable {
  if (error instanceof BudgetUnavailable) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const detail = `${String(code ?? 'error')}: ${String(message)}`.slice(0, 200);
  return new BudgetUnavailable('later', 'unreachable', `the budget API cannot be reached (${detail})`, {
    cause: error,
  });
}
