import {
  createTidingsClient,
  type TidingsClient,
  type TidingsClientOptions,
} from '../../src/client/client.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';

/** A server that answers what the test says, one answer a try; where it says nothing any more, the test is wrong. */
export interface FakeServer {
  client: TidingsClient;
  clock: ManualClock;
  /** What came, in order. */
  asked: AskedOfFake[];
}

export interface AskedOfFake {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  /** By the clock of the test. */
  atMs: number;
}

/** An answer, a connection that breaks with a code, or silence. */
export type Said = [status: number, body?: unknown, headers?: Record<string, string>] | string | 'silence';

export const apiKey = 'key-0123456789abcdefghijklmnopqrstuvwx';

export function fakeServer(said: readonly Said[], options: Partial<TidingsClientOptions> = {}): FakeServer {
  const clock = createManualClock();
  const asked: AskedOfFake[] = [];
  const left = [...said];
  let ids = 0;
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    const body = init.body === undefined ? undefined : JSON.parse(String(init.body));
    const headers = { ...(init.headers as Record<string, string>) };
    asked.push({
      ...{ method: String(init.method), url: String(url) },
      headers,
      body,
      atMs: clock.monotonic(),
    });
    const one = left.shift();
    if (one === undefined) throw new Error('the fake server was asked once too often');
    if (one === 'silence')
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    if (typeof one === 'string')
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error(`with ${apiKey}`), { code: one }),
      });
    const [status, answer = {}, more = {}] = one;
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return new Response(text, { status, headers: more });
  };
  const client = createTidingsClient({
    ...{ baseUrl: 'https://tidings.example.org', apiKey, fetch, clock, random: () => 0 },
    newId: () => `made-up-id-${++ids}`,
    ...options,
  });
  return { client, clock, asked };
}

export const refusal = (code: string, more: object = {}) => ({
  ...{ error: `It was refused: ${code}.`, code, traceId: 'trace-of-the-server', ...more },
});
