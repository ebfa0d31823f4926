import type { DialectName } from '../../src/db/dialect.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { listen } from '../../src/http/listen.ts';
import { type ApiParts, createServer } from '../../src/http/server.ts';
import { createCapture } from '../../src/providers/capture.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import type { Webhooks } from '../../src/webhooks/webhook.ts';
import { type EventWords, eventBody, signed } from './signed.ts';
import type { Tongue } from './tongues.ts';
import { createWebhookWorld, type WebhookWorld } from './webhook-world.ts';

/** The route over a real socket. */
export interface Served {
  url: string;
  /** As Resend would: signed now. */
  tell(id: string, words: EventWords): Promise<Answered>;
  /** Whatever somebody sends. */
  post(headers: Readonly<Record<string, string>>, body: string | Buffer): Promise<Answered>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export interface Answered {
  status: number;
  body: unknown;
}

export const path = '/api/v1/webhooks/resend';

export async function serve(world: WebhookWorld, webhooks: Webhooks = world.webhooks): Promise<Served> {
  const { db, clock, log, outbox, queries, consent } = world;
  const api = {
    ...{ outbox, queries, consent, webhooks, sources: [plainSource], pauses: createPauses(db, clock) },
    provider: createCapture({ db, clock, ids: systemIds }),
    ...{ environment: 'test', unsubscribeOnGet: false, keys: { operator: [], read: [], service: [] } },
  } satisfies ApiParts;
  const server = await createServer({ db, clock, log, api, isStopping: () => false });
  const { url, close } = await listen(server, { host: '127.0.0.1', port: 0 }, systemClock);
  const post: Served['post'] = async (headers, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(Buffer.from(body)),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    ...{ url, post, close },
    tell(id, words) {
      const body = eventBody({ at: clock.now(), ...words });
      return post(headersOf(signed(id, body, { at: clock.now() })), body);
    },
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
  };
}

/** A world whose webhooks come over a socket. */
export interface ServedWorld extends WebhookWorld {
  served: Served;
}

export async function createServedWorld(dialect: DialectName, tongue?: Tongue): Promise<ServedWorld> {
  const world = await createWebhookWorld(dialect, tongue);
  const served = await serve(world);
  return {
    ...{ ...world, served },
    async close() {
      await served.close();
      await world.close();
    },
  };
}

export const headersOf = ({ headers }: ReturnType<typeof signed>) => ({
  ...{ 'content-type': 'application/json', ...headers },
});
