import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A Clerk that does as the test says, over a real socket: its list of users, and the ways in which it fails. */
export interface FakeClerk {
  url: string;
  users: Map<string, unknown>;
  /** Every question that came, as its ids. */
  asked: string[][];
  /** What came with the last one. */
  lastHeaders(): IncomingMessage['headers'];
  /** Instead of an answer, from now on or after so many more; undefined for answers again. */
  fail(how: Failure | undefined, when?: { afterQuestions: number }): void;
  /** Takes its time, in real milliseconds. */
  answerAfter(ms: number): void;
  close(): Promise<void>;
}

type Failure =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** It takes the question and never answers, or never to the end. */
  | 'silent'
  | 'dribbling'
  | 'hanging up'
  /** An answer that does not end. */
  | 'endless';

export const clerkKey = 'sk_test_0123456789abcdefghijklmnop';

/** As Clerk answers it, with more than anybody asked for. */
export const clerkUser = (id: string, more: object = {}) => ({
  id,
  object: 'user',
  primary_email_address_id: `idn_${id}`,
  email_addresses: [
    { id: 'idn_other', email_address: `other-${id}@example.org`, verification: { status: 'verified' } },
    { id: `idn_${id}`, email_address: `${id}@example.org`, verification: { status: 'verified' } },
  ],
  public_metadata: { role: 'reader' },
  ...more,
});

export async function startFakeClerk(): Promise<FakeClerk> {
  const users = new Map<string, unknown>();
  const asked: string[][] = [];
  let headers: IncomingMessage['headers'] = {};
  let failure: Failure | undefined;
  let failsFrom = 0;
  let answersAfterMs = 0;
  const server = createServer((request, response) => {
    headers = request.headers;
    const url = new URL(request.url ?? '', 'http://clerk');
    const ids = url.searchParams.getAll('user_id');
    asked.push(ids);
    if (failure !== undefined && asked.length > failsFrom) return failAs(failure, response);
    if (request.headers.authorization !== `Bearer ${clerkKey}`) return send(response, 401, { errors: [] });
    if (url.pathname !== '/v1/users' || request.method !== 'GET') return send(response, 404, { errors: [] });
    // What it cannot read it refuses as a whole, as such APIs do.
    if (ids.some((id) => id.includes('|')))
      return send(response, 422, { errors: [{ code: 'form_param_invalid' }] });
    const most = Number(url.searchParams.get('limit') ?? 10);
    const found = ids.flatMap((id) => users.get(id) ?? []).slice(0, most);
    if (answersAfterMs === 0) return send(response, 200, found);
    setTimeout(() => send(response, 200, found), answersAfterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ users, asked, lastHeaders: () => headers },
    fail: (how, { afterQuestions } = { afterQuestions: 0 }) => {
      failure = how;
      failsFrom = asked.length + afterQuestions;
    },
    answerAfter: (ms) => {
      answersAfterMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function failAs(failure: Failure, response: ServerResponse): void {
  if (failure === 'silent') return;
  if (failure === 'hanging up') return void response.destroy();
  if (typeof failure === 'object') {
    response.writeHead(failure.status, { 'content-type': 'text/html', ...failure.headers });
    return void response.end(failure.body ?? '<html>out of order</html>');
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
  if (failure === 'dribbling') return;
  const piece = `${JSON.stringify('x'.repeat(65_536))},`;
  const more = () => {
    if (response.writableEnded || response.destroyed) return;
    if (response.write(piece)) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
