import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../../src/std/clock.ts';
import { type Ids, systemIds } from '../../../src/std/ids.ts';
import type { Lie, Rule, SeenRequest } from '../lies.ts';
import { createHandler } from './handler.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Limits } from './limits.ts';
import { createWebhooks, type WebhookExtra, type Webhooks, type WebhookTarget } from './webhooks.ts';

/**
 * Resend, over a real socket: keys, tags, rates, quotas, logs and webhooks as the real one has them, by the clock that it
 * is given. It tells the truth until a rule makes it lie. What it has really accepted is in `ledger`, whatever it said.
 */
export interface FakeResend {
  url: string;
  ledger: Ledger;
  /** The first that matches decides; may be changed at any time. */
  rules: Rule[];
  /** May be changed at any time. */
  limits: Limits;
  webhooks: Webhooks;
  lieOnce(lie: Lie, match?: (request: SeenRequest) => boolean): void;
  /** Tells the target what became of a mail; resolves when the target has answered. */
  emitWebhook(type: string, messageId: string, extra?: WebhookExtra): Promise<void>;
  /** As a server does that has waited long enough for the next request. */
  dropIdleConnections(): void;
  /** Whoever is still connected is cut off. */
  close(): Promise<void>;
}

export interface FakeResendOptions {
  clock?: Clock;
  ids?: Ids;
  port?: number;
  keys?: readonly ApiKey[];
  limits?: Partial<Limits>;
  /** How long a key of a mail is known. */
  idempotencyWindowMs?: number;
  /** How long a mail and its log entry cannot be looked up. */
  indexingDelayMs?: number;
  rules?: readonly Rule[];
  webhooks?: WebhookTarget;
}

/** Keys of one account share its mails, idempotency keys, rate and quotas. */
export interface ApiKey {
  apiKey: string;
  account: string;
  /** sending: may do nothing but send. */
  access?: 'full' | 'sending';
}

export async function startFakeResend(options: FakeResendOptions = {}): Promise<FakeResend> {
  const { clock = systemClock, ids = systemIds } = options;
  const limits = { ratePerSecond: null, dailyQuota: null, monthlyQuota: null, ...options.limits };
  const rules = [...(options.rules ?? [])];
  const ledger = createLedger();
  const webhooks = createWebhooks({ clock, ids, ledger, target: options.webhooks });
  const closing = new AbortController();
  // Every slow answer listens to it.
  setMaxListeners(0, closing.signal);
  const handle = createHandler({
    ...{ clock, ids, ledger, rules, limits, closing: closing.signal },
    keys: options.keys ?? [{ apiKey: 're_test', account: 'main' }],
    idempotencyWindowMs: options.idempotencyWindowMs ?? 24 * 3_600_000,
    indexingDelayMs: options.indexingDelayMs ?? 0,
  });
  const server = createServer((request, response) => {
    // A client that goes away in the middle is an everyday event here.
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ledger,
    rules,
    limits,
    webhooks,
    lieOnce: (lie, match) => void rules.push({ lie, times: 1, ...(match && { match }) }),
    emitWebhook: webhooks.emit,
    dropIdleConnections: () => server.closeIdleConnections(),
    async close() {
      closing.abort();
      await webhooks.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
