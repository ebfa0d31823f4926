import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../std/clock.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';

/**
 * One HTTP request at a time per connection, and how far it got. The point of it is the line between "nothing has left"
 * and "something may have left", which ordinary HTTP clients blur: it is drawn where undici has a connected socket and
 * has not yet written to it. Never throws, follows no redirect, repeats nothing, and always ends within its bounds.
 */
export interface Exchange {
  ask(request: ExchangeRequest): Promise<Exchanged>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Asked at the last moment at which nothing has left. */
  mayStart?: () => boolean;
  /** A larger answer is cut off. */
  answerOctetsMax: number;
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type Exchanged =
  /** `bodyText` is null when it was too large to be read. */
  | { kind: 'answered'; status: number; headers: AnswerHeaders; bodyText: string | null }
  /** connecting: not a byte of the request has left. sent: some may have. */
  | { kind: 'broken'; phase: 'connecting' | 'sent'; code: string }
  /** It was too late to begin, or everything is being closed. */
  | { kind: 'not_started' };

export interface ExchangeParts {
  baseUrl: URL;
  clock: Clock;
  headers: Readonly<Record<string, string>>;
  connections: number;
  connectTimeoutMs: number;
  answerTimeoutMs: number;
}

export function createExchange(parts: ExchangeParts): Exchange {
  const { baseUrl, clock, connections, connectTimeoutMs, answerTimeoutMs } = parts;
  const pool = new Pool(baseUrl.origin, {
    connections,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs },
    // Time is bounded below, by the clock that is an argument.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const prefix = baseUrl.pathname.replace(/\/$/, '');
  const line: Line = {
    ...{ pool, prefix, headers: parts.headers, connectTimeoutMs, answerTimeoutMs },
    deadlines: createDeadlines(clock, Math.min(connectTimeoutMs, answerTimeoutMs)),
  };
  let closed: Promise<void> | undefined;
  return {
    ask: (request) => new Promise((resolve) => exchange(line, request, resolve)),
    close() {
      closed ??= pool.close(); // A second one of its own would reject.
      return closed;
    },
  };
}

interface Line extends Pick<ExchangeParts, 'headers' | 'connectTimeoutMs' | 'answerTimeoutMs'> {
  pool: Pool;
  deadlines: Deadlines;
  /** Before every path. */
  prefix: string;
}

function exchange(
  { pool, deadlines, prefix, headers: standing, connectTimeoutMs, answerTimeoutMs }: Line,
  { method, path, headers, body, mayStart, answerOctetsMax }: ExchangeRequest,
  resolve: (exchanged: Exchanged) => void,
): void {
  let hasEnded = false;
  let stopWatch = () => {};
  let phase: 'connecting' | 'sent' = 'connecting';
  let controller: Dispatcher.DispatchController | undefined;
  let head: { status: number; headers: AnswerHeaders } | undefined;
  let chunks: Buffer[] = [];
  let octets = 0;

  const end = (exchanged: Exchanged) => {
    if (hasEnded) return;
    hasEnded = true;
    stopWatch();
    resolve(exchanged);
  };
  const giveUp = (exchanged: Exchanged) => {
    if (hasEnded) return;
    end(exchanged);
    controller?.abort(new Error('given up'));
  };
  const isTooLate = () => hasEnded || mayStart?.() === false;

  if (isTooLate()) {
    end({ kind: 'not_started' });
    return;
  }
  stopWatch = deadlines.add(connectTimeoutMs, () => {
    if (phase === 'connecting') return giveUp({ kind: 'broken', phase, code: 'connect_timeout' });
    stopWatch = deadlines.add(answerTimeoutMs, () => {
      giveUp({ kind: 'broken', phase, code: 'answer_timeout' });
    });
  });
  pool.dispatch(
    {
      method,
      path: `${prefix}${path}`,
      headers: { ...standing, ...headers },
      ...(body !== undefined && { body }),
    },
    {
      // Called with the socket connected and nothing written; what is aborted in here writes nothing.
      onRequestStart(started) {
        controller = started;
        if (!isTooLate()) phase = 'sent';
        else if (phase === 'connecting') {
          end({ kind: 'not_started' });
          started.abort(new Error('too late'));
        } else giveUp({ kind: 'broken', phase, code: 'repeated' });
      },
      onResponseStart(_controller, status, answerHeaders) {
        head = { status, headers: answerHeaders };
        chunks = []; // What came before was an interim answer.
        octets = 0;
      },
      onResponseData(_controller, chunk) {
        octets += chunk.length;
        if (octets <= answerOctetsMax) chunks.push(chunk);
        else if (head) giveUp({ kind: 'answered', ...head, bodyText: null });
      },
      onResponseEnd() {
        if (head) end({ kind: 'answered', ...head, bodyText: Buffer.concat(chunks).toString('utf8') });
      },
      onResponseError(_controller, error) {
        const code = codeOf(error);
        const isClosing = phase === 'connecting' && /^UND_ERR_(CLOSED|DESTROYED)$/.test(code);
        end(isClosing ? { kind: 'not_started' } : { kind: 'broken', phase, code });
      },
    },
  );
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
