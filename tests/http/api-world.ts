import type { DialectName } from '../../src/db/dialect.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { answerEveryMs } from '../../src/http/routes/seats-watch.ts';
import { answerAfterMs } from '../../src/http/routes/unsubscribe.ts';
import { type ApiParts, createServer, type ServerParts } from '../../src/http/server.ts';
import { createCapture } from '../../src/providers/capture.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { createWorld, type World } from '../support/world.ts';

/** A real server on loopback, and everything that it logged. Closing it fails if a secret is in the log. */
export interface ApiWorld extends World {
  logged: string[];
  parts: ServerParts & { api: ApiParts };
  serve(changes?: { api?: Partial<ApiParts>; server?: Partial<ServerParts> }): Promise<Api>;
}

export interface Api {
  url: string;
  /** A string is sent as it is, anything else as JSON. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answered>;
}

export interface AskOptions {
  body?: unknown;
  headers?: Record<string, string>;
  key?: string | null;
}

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  json: any;
}

export const keys = {
  operator: ['operator-first-0123456789abcdefghijkl', 'operator-other-0123456789abcdefghijkl'],
  read: ['read-0123456789abcdefghijklmnopqrstuvw'],
  service: ['service-0123456789abcdefghijklmnopqrst'],
  trigger: ['trigger-0123456789abcdefghijklmnopqrst'],
} as const;
export const operatorKey = keys.operator[0];

/** What must be in no line of any log: every key, address, subject and text that the tests send. */
export const secrets = [...Object.values(keys).flat(), '@example.org', 's3cret', 'Subject ', 'Text '];

export async function createApiWorld(dialect: DialectName = 'sqlite'): Promise<ApiWorld> {
  const world = await createWorld(dialect);
  const logged: string[] = [];
  const log = createLog({ level: 'debug', sink: { write: (line) => logged.push(line) } });
  const { db, clock, outbox, queries } = world;
  const api: ApiParts = {
    outbox,
    queries,
    sources: [plainSource],
    consent: consentOf({ db, clock, log }),
    unsubscribeOnGet: false,
    pauses: createPauses(db, clock),
    provider: createCapture({ db, clock, ids: systemIds }),
    webhooks: webhooksOf({ db, clock, log, outbox }),
    environment: 'test',
    emailPreviewEnabled: true,
    keys,
    limits: { reads: 1e6, writes: 1e6, failures: 1e6 },
  };
  // A request waits in real time; what time it is the test says.
  const serverClock = { ...clock, sleep: impatiently };
  const parts = { db, clock: serverClock, log, api, isStopping: () => false };
  const running: Listening[] = [];

  return {
    ...world,
    logged,
    parts,
    async serve({ api: apiChanges, server: serverChanges } = {}) {
      const server = await createServer({ ...parts, api: { ...api, ...apiChanges }, ...serverChanges });
      const listening = await listen(server, { host: '127.0.0.1', port: 0 }, systemClock);
      running.push(listening);
      const { url } = listening;
      return { url, ask: (method, path, options) => ask(url, method, path, options) };
    },
    async close() {
      for (const { close } of running) await close();
      await world.close();
      const told = logged.filter((line) => secrets.some((secret) => line.includes(secret)));
      if (told.length > 0) throw new Error(`the log tells a secret:\n${told.join('')}`);
    },
  };
}

/** Nobody waits for the moment at which an answer is given; what is given up after a while is. */
const impatiently: Clock['sleep'] = async (ms, signal) =>
  ms > Math.max(answerAfterMs, answerEveryMs) ? systemClock.sleep(ms, signal) : undefined;

async function ask(
  url: string,
  method: string,
  path: string,
  { body, headers = {}, key = operatorKey }: AskOptions = {},
): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

export const intentBody = (number: number, more: object = {}) => ({
  occasion: `occasion-${number}`,
  to: `person-${number}@example.org`,
  variables: { subject: `Subject ${number}`, text: `Text ${number}` },
  ...more,
});
