import type { OutboxQueries } from '../../outbox/queries.ts';
import type { Clock } from '../../std/clock.ts';
import { keptFor } from '../kept.ts';
import { homePage } from '../pages/home-page.ts';
import { defineRoute, type Route } from '../route.ts';

/** The front page: that it runs, what it has in hand, what to try next. Numbers only; nobody's address is on it. */
interface HomeParts {
  queries: OutboxQueries;
  environment: string;
  clock: Clock;
}

/** Anybody can ask for this page as often as they like. */
const countsKeptMs = 2_000;

export function homeRoute({ queries, environment, clock }: HomeParts): Route {
  const counts = keptFor(countsKeptMs, clock, () => queries.counts());
  return defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The front page',
    who: 'anybody',
    answers: { 200: { when: 'A page.', type: 'text/html' } },
    async handle() {
      const page = homePage(await counts(), environment);
      return { status: 200, body: page, type: 'text/html; charset=utf-8' };
    },
  });
}
