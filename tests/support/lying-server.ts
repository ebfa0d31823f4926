import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../src/std/clock.ts';
import { type Lie, type Rule, type SeenRequest, takeLie } from './lies.ts';

/** Every request that arrived at a fake, and whoever waits for some. */
export interface SeenRequests {
  requests: SeenRequest[];
  /** Resolves when so many have arrived in all. */
  seen(count: number): Promise<void>;
  /** Whoever waits for requests is told. */
  arrived(request: SeenRequest): void;
}

export function createSeenRequests(): SeenRequests {
  const requests: SeenRequest[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  return {
    requests,
    seen(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ count, resolve }));
    },
    arrived(request) {
      requests.push(request);
      for (const { count, resolve } of waiters) if (count <= requests.length) resolve();
      waiters = waiters.filter(({ count }) => count > requests.length);
    },
  };
}

/** What is said on the wire: `body` as JSON, unless there is a text. */
export interface Said {
  status: number;
  body: object;
  headers?: Readonly<Record<string, string>>;
  text?: string;
}

export interface LyingServerParts {
  clock: Clock;
  rules: readonly Rule[];
  ledger: Pick<SeenRequests, 'arrived'>;
  /** The fake is being closed: whoever makes somebody wait no longer does. */
  closing: AbortSignal;
  /** The truth, or what the lie says in its place; `gone` when the client has hung up. */
  answerTo(request: SeenRequest, lie: Lie | undefined, gone: Promise<void>): Promise<Said>;
}

/** One request over a real socket, and the lies that are about the wire: no answer, a late one, half of one, a connection that is cut. */
export function createLyingServer({ clock, rules, ledger, closing, answerTo }: LyingServerParts) {
  return async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    const request = seenRequest(incoming, clock.now());
    const lie = takeLie(rules, request);
    if (lie?.kind === 'reset' && lie.at === 'before_body') {
      ledger.arrived(request);
      incoming.socket.resetAndDestroy();
      return;
    }
    request.bodyText = await readText(incoming);
    const answering = answerTo(request, lie, gone);
    ledger.arrived(request);
    const answer = await answering;
    if (lie?.kind === 'hang') return; // The client ends it, or the server's close.
    if (lie?.kind === 'slow' && lie.at === 'before_answering') await clock.sleep(lie.ms, closing);
    if (lie?.kind === 'reset' && lie.at === 'before_answer') incoming.socket.resetAndDestroy();
    else write(response, answer, lie);
  };
}

function seenRequest({ method = '', url = '', headers }: IncomingMessage, at: number): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  const key = headers['idempotency-key'];
  return {
    ...{ method, path: pathname, query: searchParams, headers: { ...headers } },
    ...{ key: typeof key === 'string' ? key : null, bodyText: '', at },
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function write(response: ServerResponse, { status, body, headers, text }: Said, lie: Lie | undefined): void {
  const bytes = Buffer.from(text ?? JSON.stringify(body));
  const standing = { 'content-type': 'application/json', 'content-length': bytes.length };
  response.writeHead(status, { ...standing, ...headers });
  if (lie?.kind === 'reset' && lie.at === 'mid_answer') {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  } else response.end(bytes);
}
