import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { createSeededRandom } from '../../src/std/random.ts';

/**
 * A provider for very many mails, in a process of its own that outlives all others. It lets no more requests pass in any second than its
 * limit, whatever they ask, knows keys for ever, and keeps no mail: only who was mailed how often, and when mails were accepted.
 */
export interface Books {
  requests: number;
  /** Requests that were one too many, and answered with 429. */
  throttled: number;
  /** Different mails. */
  accepted: number;
  /** The same mail again, under its key: answered as the first time, and no second mail. */
  repeats: number;
  /** The same key with another body, which is a fault of ours; or while the first mail under it is on its way. */
  conflicts: number;
  /** What is no mail: look-ups. */
  questions: number;
  /** Mails whose sender was gone before the answer. */
  unheard: number;
  /** When the first and the last mail were accepted. */
  firstAt: number | null;
  lastAt: number | null;
  /** How many mails were accepted in each tenth of a second since `startedAt`. */
  startedAt: number;
  tenths: number[];
}

/** The addresses that were mailed, with the number of different mails. */
export type Ledger = [address: string, mails: number][];

/** Two processes of a deployment and a network between them: an answer takes its time, so that a kill finds calls on their way. */
const answerMs = { least: 20, most: 120 };

const [seed = 1, limit = 1] = process.argv.slice(2).map(Number);
const random = createSeededRandom(seed);
const mails = new Map<string, { id: string; hash: string; isAnswered: boolean }>();
const byAddress = new Map<string, number>();
const books: Books = {
  ...{ requests: 0, throttled: 0, accepted: 0, repeats: 0, conflicts: 0, questions: 0, unheard: 0 },
  ...{ firstAt: null, lastAt: null, startedAt: Date.now(), tenths: [] },
};
/** When the last requests passed, as many as may pass in a second. */
const passedAt = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
let passes = 0;

try {
  // It stands for another machine: who measures must not be kept waiting by those who are measured.
  setPriority(-10);
} catch {
  // Only the superuser may; then it waits its turn like everybody.
}

/** By a sliding second: there is no moment at which twice the limit gets through. */
function mayPass(): boolean {
  const now = performance.now();
  const place = passes % limit;
  if (now - (passedAt[place] ?? 0) < 1000) return false;
  passedAt[place] = now;
  passes += 1;
  return true;
}

const server = createServer((request, response) => {
  books.requests += 1;
  const isPassed = mayPass();
  if (!isPassed) books.throttled += 1;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (!isPassed) answer(response, 429, { name: 'rate_limit_exceeded', message: 'Too many requests.' });
    else if (request.method === 'POST') takeMail(request, Buffer.concat(chunks).toString('utf8'), response);
    else {
      books.questions += 1;
      answer(response, 200, { data: [] });
    }
  });
});

function takeMail({ headers }: IncomingMessage, body: string, response: ServerResponse): void {
  const key = String(headers['idempotency-key']);
  const hash = createHash('sha1').update(body).digest('base64');
  const known = mails.get(key);
  if (known && (known.hash !== hash || !known.isAnswered)) books.conflicts += 1;
  if (known && known.hash !== hash) {
    answer(response, 409, { name: 'invalid_idempotent_request', message: 'Another body.' });
    return;
  }
  if (known && !known.isAnswered) {
    answer(response, 409, { name: 'concurrent_idempotent_requests', message: 'On its way.' });
    return;
  }
  const mail = known ?? { id: randomUUID(), hash, isAnswered: false };
  if (known) books.repeats += 1;
  else accept(key, mail, body);
  const waitMs = answerMs.least + random.next() * (answerMs.most - answerMs.least);
  setTimeout(() => {
    mail.isAnswered = true;
    if (response.destroyed) books.unheard += 1;
    else answer(response, 200, { id: mail.id });
  }, waitMs);
}

function accept(key: string, mail: { id: string; hash: string; isAnswered: boolean }, body: string): void {
  mails.set(key, mail);
  const { to } = JSON.parse(body) as { to: string[] };
  for (const address of to) byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
  const now = Date.now();
  books.accepted += 1;
  books.firstAt ??= now;
  books.lastAt = now;
  const tenth = Math.max(0, Math.floor((now - books.startedAt) / 100));
  while (books.tenths.length <= tenth) books.tenths.push(0);
  books.tenths[tenth] = (books.tenths[tenth] ?? 0) + 1;
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    ...{ 'ratelimit-limit': String(limit), 'ratelimit-reset': '1' },
    ...(status === 429 && { 'retry-after': '1' }),
  });
  response.end(text);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (question) => {
  process.send?.(question === 'ledger' ? ([...byAddress] satisfies Ledger) : books);
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
