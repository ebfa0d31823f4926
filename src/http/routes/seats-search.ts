import { type Static, Type } from 'typebox';
import type { FoundCourse } from '../../sources/course-seats/catalog/catalog.ts';
import { parseTermId } from '../../sources/course-seats/term.ts';
import { searchPage } from '../pages/seats/search-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import { answerPage, pageAnswers } from './seats-page.ts';
import type { SeatRouteParts } from './seats-parts.ts';

const coursesMax = 20;
/** Some of these may turn out to be open in all sections, and are then left out. */
const coursesLookedThrough = 100;
const textLengthMax = 200;

export const searchQuery = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: textLengthMax, description: 'A code, an index, or words of the title.' }),
  ),
  term: Type.Optional(Type.String({ maxLength: 20, description: 'Empty for all; the newest if left out.' })),
  campus: Type.Optional(Type.String({ maxLength: 20, description: 'Empty for all.' })),
  closed: Type.Optional(
    Type.String({ maxLength: 1, description: '`1` for sections without a free seat alone.' }),
  ),
});

/** A search that somebody came from, as the end of an address; empty where they came from none. */
export function searchIn(query: Static<typeof searchQuery>): string {
  const { q, term, campus, closed: isOnlyClosed } = query;
  const given = Object.entries({ q, term, campus, closed: isOnlyClosed }).flatMap(
    ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The search as a page. It is for everybody; where no key is set, for everybody on this machine. */
export function seatSearchRoutes(parts: SeatRouteParts): Route[] {
  return [searchRoute(parts), shortenedRoute(parts)];
}

function searchRoute(parts: SeatRouteParts): Route {
  const { seats, clock, limits } = parts;
  return defineRoute({
    method: 'GET',
    path: '/seats',
    summary: 'For students: search for a section to watch',
    who: 'anybody',
    isConstant: true,
    query: searchQuery,
    answers: {
      200: pageAnswers.page('The form, and what was found.'),
      429: pageAnswers.page('A page: too many requests from this network.'),
      503: pageAnswers.page('A page: the database cannot be asked.'),
    },
    handle: ({ query: { q = '', term, campus = '', closed: choice }, ...asked }) =>
      answerPage(
        {
          ...{ asked, limit: limits.looks, toRoot: '', isPrivate: false },
          async work(locale) {
            const terms = await seats.catalog.terms();
            const text = q.trim();
            const termId = term ?? terms[0] ?? '';
            const isOnlyClosed = choice === '1';
            const all =
              text === ''
                ? undefined
                : await seats.catalog.search({
                    ...{ text, limit: isOnlyClosed ? coursesLookedThrough : coursesMax + 1 },
                    ...(termId !== '' && { termId }),
                    ...(campus !== '' && { campusCode: campus }),
                  });
            const found = isOnlyClosed ? all?.flatMap(withoutOpen) : all;
            const html = searchPage({
              ...{
                locale,
                now: clock.now(),
                terms,
                isSample: seats.isSample,
                hasInbox: parts.hasInbox,
                moving: await movingNow(seats),
                asked: { text, termId, campusCode: campus, isOnlyClosed },
              },
              ...{ found: found?.slice(0, coursesMax), isCut: (found?.length ?? 0) > coursesMax },
              ...{ isAllOpen: (all?.length ?? 0) > 0, isFailing: await parts.isFailing() },
              freshnessOf: await parts.freshness(),
            });
            return { status: 200, html };
          },
        },
        parts,
      ),
  });
}

/** Of a sample alone: a dozen, and how each stands by what was last heard of it. */
function movingNow({ moving, catalog }: SeatRouteParts['seats']) {
  return Promise.all(
    moving().map(async ({ termId, indexNumber }) => {
      const section = await catalog.section(termId, indexNumber);
      return { termId, indexNumber, status: section?.status };
    }),
  );
}

function withoutOpen(course: FoundCourse): FoundCourse[] {
  const sections = course.sections.filter(({ status }) => status !== 'Open');
  return sections.length === 0 ? [] : [{ ...course, sections }];
}

/** Addresses that somebody has shortened by hand lead to the search, or say that there is nothing. */
function shortenedRoute(parts: SeatRouteParts): Route {
  return defineRoute({
    ...{ method: 'GET', path: '/seats/:term', who: 'anybody', isConstant: true },
    summary: 'For students: an address without its section leads to the search in that term',
    params: Type.Object({ term: Type.String() }, closed),
    answers: {
      303: pageAnswers.seeOther('To the search.'),
      404: pageAnswers.page('A page: there is no such term.'),
      429: pageAnswers.page('A page: too many requests from this network.'),
    },
    handle: ({ params: { term }, ...asked }) =>
      answerPage(
        {
          ...{ asked, limit: parts.limits.looks, toRoot: '../', isPrivate: false },
          async work() {
            if (term === '') return { goTo: '../seats' };
            if (parseTermId(term)) return { goTo: `../seats?term=${term}` };
            return { notice: term === 'confirm' || term === 'manage' ? 'noLink' : 'noSection' };
          },
        },
        parts,
      ),
  });
}
