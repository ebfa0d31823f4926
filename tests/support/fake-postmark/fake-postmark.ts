import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../../src/std/clock.ts';
import { type Ids, systemIds } from '../../../src/std/ids.ts';
import type { Lie, Rule, SeenRequest } from '../lies.ts';
import { createHandler } from './postmark-handler.ts';
import { createPostmarkLedger, type PostmarkLedger } from './postmark-ledger.ts';
import {
  createPostmarkWebhooks,
  type PostmarkWebhooks,
  type PostmarkWebhookTarget,
} from './postmark-webhooks.ts';

/**
 * Postmark, over a real socket: tokens, streams, metadata, inactive recipients, a search that lags behind and webhooks, as the
 * real one has them, by the clock that it is given. It tells the truth until a rule makes it lie. What it has really accepted
 * is in `ledger`, whatever it said.
 */
export interface FakePostmark {
  url: string;
  ledger: PostmarkLedger;
  /** The first that matches decides; may be changed at any time. */
  rules: Rule[];
  /** May be changed at any time. */
  circumstances: Circumstances;
  webhooks: PostmarkWebhooks;
  lieOnce(lie: Lie, match?: (request: SeenRequest) => boolean): void;
  /** As a server does that has waited long enough for the next request. */
  dropIdleConnections(): void;
  /** Whoever is still connected is cut off. */
  close(): Promise<void>;
}

export interface Circumstances {
  isOutOfCredits: boolean;
  isThrottling: boolean;
  /** Addresses that it has switched off. */
  inactive: Set<string>;
  /** How long a mail is not found by a search. */
  indexingDelayMs: number;
  /** Whether the search heeds metadata. */
  isFiltering: boolean;
  streams: { ID: string; MessageStreamType: string; ArchivedAt: string | null }[];
}

export interface FakePostmarkOptions {
  clock?: Clock;
  ids?: Ids;
  tokens?: readonly string[];
  circumstances?: Partial<Circumstances>;
  webhooks?: PostmarkWebhookTarget;
}

/** Good for tests only. */
export const serverToken = 'c0ffee00-0000-4000-8000-000000000001';

export async function startFakePostmark(options: FakePostmarkOptions = {}): Promise<FakePostmark> {
  const { clock = systemClock, ids = systemIds, tokens = [serverToken] } = options;
  const circumstances: Circumstances = {
    ...{
      isOutOfCredits: false,
      isThrottling: false,
      inactive: new Set(),
      indexingDelayMs: 0,
      isFiltering: true,
    },
    streams: [{ ID: 'outbound', MessageStreamType: 'Transactional', ArchivedAt: null }],
    ...options.circumstances,
  };
  const rules: Rule[] = [];
  const ledger = createPostmarkLedger();
  const webhooks = createPostmarkWebhooks({ clock, ledger, target: options.webhooks });
  const closing = new AbortController();
  // Every slow answer listens to it.
  setMaxListeners(0, closing.signal);
  const handle = createHandler({ clock, ids, ledger, rules, circumstances, tokens, closing: closing.signal });
  const server = createServer((request, response) => {
    // A client that goes away in the middle is an everyday event here.
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ ledger, rules, circumstances, webhooks },
    lieOnce: (lie, match) => void rules.push({ lie, times: 1, ...(match && { match }) }),
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
