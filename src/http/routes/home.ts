import type { FastifyInstance } from 'fastify';
import type { OutboxQueries } from '../../outbox/queries.ts';
import type { Clock } from '../../std/clock.ts';
import { homePage } from '../pages/home-page.ts';

/** The front page: that it runs, what it has in hand, what to try next. Numbers only; nobody's address is on it. */
export interface HomeParts {
  queries: OutboxQueries;
  environment: string;
  clock: Clock;
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** Counting reads the whole table, and anybody can ask for this page as often as they like. */
const countsKeptMs = 2_000;

export function addHome(server: FastifyInstance, { queries, environment, clock }: HomeParts): void {
  let counted: { at: number; counts: ReturnType<OutboxQueries['counts']> } | undefined;
  const counts = () => {
    if (!counted || clock.monotonic() - counted.at > countsKeptMs) {
      const fresh = { at: clock.monotonic(), counts: queries.counts() };
      counted = fresh;
      // What failed is not kept: the next visitor asks again.
      fresh.counts.catch(() => {
        if (counted === fresh) counted = undefined;
      });
    }
    return counted.counts;
  };

  server.get('/', async (_request, reply) => {
    const page = homePage(await counts(), environment);
    return reply.headers(headers).send(page);
  });
}
