import type { Clock } from '../../std/clock.ts';
import { keptFor } from '../kept.ts';
import { closedHomePage, homePage } from '../pages/home-page.ts';
import { defineRoute, type Route } from '../route.ts';
import type { ApiParts } from '../server.ts';

/**
 * The front page: that it runs, and for whoever may read also what it has in hand, what is stopped, and what to try next.
 * Nobody's address is on it.
 */
interface HomeParts
  extends Pick<ApiParts, 'queries' | 'pauses' | 'provider' | 'environment' | 'seats' | 'notifications'> {
  clock: Clock;
}

/** Anybody can ask for this page as often as they like. */
const keptMs = 2_000;

export function homeRoute(parts: HomeParts): Route {
  const { queries, pauses, provider, environment, clock } = parts;
  const standing = keptFor(keptMs, clock, async () => ({
    counts: await queries.counts(),
    pauses: await pauses.list(),
  }));
  return defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The front page',
    who: 'anybody',
    answers: { 200: { when: 'A page.', type: 'text/html' } },
    async handle({ caller }) {
      const has = { hasSeats: parts.seats !== undefined, hasNewsletters: parts.notifications !== undefined };
      const hasInbox = provider.name === 'capture';
      const page = caller.isReader
        ? homePage({ ...(await standing()), environment, hasInbox, ...has })
        : closedHomePage(has);
      return { status: 200, body: page, type: 'text/html; charset=utf-8' };
    },
  });
}
