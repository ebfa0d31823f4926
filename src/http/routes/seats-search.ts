import { Type } from 'typebox';
import { searchPage } from '../pages/seats/search-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { answerPage, pageAnswers } from './seats-page.ts';
import type { SeatRouteParts } from './seats-parts.ts';

const coursesMax = 20;
const textLengthMax = 200;

/** The search as a page. It is for everybody; where no key is set, for everybody on this machine. */
export function seatSearchRoute(parts: SeatRouteParts): Route {
  const { seats, clock, limits } = parts;
  const asked = Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: textLengthMax, description: 'A code, an index, or words of the title.' }),
    ),
    term: Type.Optional(
      Type.String({ maxLength: 20, description: 'Empty for all; the newest if left out.' }),
    ),
    campus: Type.Optional(Type.String({ maxLength: 20, description: 'Empty for all.' })),
  });
  return defineRoute({
    method: 'GET',
    path: '/seats',
    summary: 'For students: search for a section to watch',
    who: 'anybody',
    isConstant: true,
    query: asked,
    answers: {
      200: pageAnswers.page('The form, and what was found.'),
      429: pageAnswers.page('A page: too many requests from this network.'),
      503: pageAnswers.page('A page: the database cannot be asked.'),
    },
    handle: ({ query: { q = '', term, campus = '' }, ...asked }) =>
      answerPage(
        {
          ...{ asked, limit: limits.looks, toRoot: '', isPrivate: false },
          async work(locale) {
            const terms = await seats.catalog.terms();
            const text = q.trim();
            const termId = term ?? terms[0] ?? '';
            const found =
              text === ''
                ? undefined
                : await seats.catalog.search({
                    ...{ text, limit: coursesMax + 1 },
                    ...(termId !== '' && { termId }),
                    ...(campus !== '' && { campusCode: campus }),
                  });
            const html = searchPage({
              ...{
                locale,
                now: clock.now(),
                terms,
                isSample: seats.isSample,
                asked: { text, termId, campusCode: campus },
              },
              ...{ found: found?.slice(0, coursesMax), isCut: (found?.length ?? 0) > coursesMax },
              freshnessOf: await parts.freshness(),
            });
            return { status: 200, html };
          },
        },
        parts,
      ),
  });
}
