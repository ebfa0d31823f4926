import { closedHomePage } from '../pages/home-page.ts';
import { defineRoute, type Route } from '../route.ts';
import type { ApiParts } from '../server.ts';
import { type ConsoleFiles, consolePage } from './console.ts';

/** The front page: the console for whoever may read, and for others that it runs. */
interface HomeParts extends Pick<ApiParts, 'seats'> {
  console: ConsoleFiles;
}

export function homeRoute({ seats, console: files }: HomeParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The front page',
    who: 'anybody',
    isConstant: true,
    answers: { 200: { when: 'A page.', type: 'text/html' } },
    async handle({ caller }) {
      if (caller.isReader && files.page !== undefined) return consolePage(files);
      const body = closedHomePage({ hasSeats: seats !== undefined });
      return { status: 200, body, type: 'text/html; charset=utf-8' };
    },
  });
}
