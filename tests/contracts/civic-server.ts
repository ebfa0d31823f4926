import { createPauses } from '../../src/dispatch/pauses.ts';
import type { ApiKeys } from '../../src/http/auth.ts';
import { listen } from '../../src/http/listen.ts';
import { createServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { type CivicContract, environment } from './civic-contract-world.ts';

/** The civic platform behind a real server, as whoever triggers a run, subscribes or tells of mails meets it. */
export interface CivicServer {
  url: string;
  ask(method: string, path: string, asked?: Asked): Promise<Answered>;
  close(): Promise<void>;
}

export interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  body: any;
}

export const triggerPath = '/api/v1/notifications/trigger';
export const triggerKeys = [
  'trigger-first-0123456789abcdefghijklm',
  'trigger-other-0123456789abcdefghijklm',
] as const;
export const serviceKey = 'service-0123456789abcdefghijklmnopqrst';

export async function serveCivic(
  { db, clock, outbox, queries, consent, newsletters, provider, webhooks }: CivicContract,
  keys: ApiKeys = { trigger: triggerKeys, service: [serviceKey] },
): Promise<CivicServer> {
  const { notifications, runs, source } = newsletters;
  const server = await createServer({
    // A request waits in real time; what time it is the test says.
    ...{ db, clock: { ...clock, sleep: systemClock.sleep }, log: silentLog, isStopping: () => false },
    api: {
      ...{ outbox, queries, consent, provider, webhooks, notifications, runs, keys, environment },
      ...{ sources: [source], pauses: createPauses(db, clock), unsubscribeOnGet: false },
      limits: { reads: 1e6, writes: 1e6, failures: 1e6 },
    },
  });
  const { url, close } = await listen(server, { host: '127.0.0.1', port: 0 }, systemClock);
  return {
    ...{ url, close },
    async ask(method, path, { body, headers = {} } = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
    },
  };
}
