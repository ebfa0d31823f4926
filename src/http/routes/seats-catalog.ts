import { Type } from 'typebox';
import { campusCodes } from '../../sources/course-seats/term.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, limit, line, nothing } from '../schemas.ts';
import { index, list, listJson, section, sectionJson, term } from './seats-json.ts';
import type { SeatRouteParts } from './seats-parts.ts';

/** For programs: what there is to watch, how fresh it is, and an operator's own word that a section is open. */
const path = '/api/v1/seats';
const limitMax = 100;
const limitByDefault = 20;

const noSection = (more = '') =>
  new Refusal('section_not_found', `There is no such section.${more} GET ${path}/courses?q= finds sections.`);

export function seatCatalogRoutes({ seats, log }: SeatRouteParts): Route[] {
  const { catalog, events, poller, registrationUrl } = seats;
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/courses`,
      summary: 'Search the catalog by code, index or words of the title, best first',
      who: ['read', 'service'],
      query: Type.Object(
        {
          q: line(200, '`01:198:111`, `198:111`, `09214`, or words of the title.'),
          term: Type.Optional(term),
          campus: Type.Optional(Type.Enum([...campusCodes])),
          limit: Type.Optional(limit(limitMax, limitByDefault)),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'Courses with their sections, up to 500 of each. Without a term, of the four newest.',
          schema: Type.Object(
            {
              courses: Type.Array(
                Type.Object(
                  {
                    courseId: Type.Integer(),
                    term: Type.String(),
                    campus: Type.String(),
                    courseString: Type.String(),
                    title: Type.String(),
                    sections: Type.Array(section),
                  },
                  closed,
                ),
              ),
            },
            closed,
          ),
        },
      },
      async handle({ query: { q, term: termId, campus: campusCode, limit: most = limitByDefault } }) {
        const found = await catalog.search({
          ...{ text: q, limit: most },
          ...(termId !== undefined && { termId }),
          ...(campusCode !== undefined && { campusCode }),
        });
        const courses = found.map(({ termId: of, campusCode: campus, sections, ...course }) => ({
          ...{ courseId: course.courseId, term: of, campus, courseString: course.courseString },
          ...{ title: course.title, sections: sections.map((one) => sectionJson(one, registrationUrl)) },
        }));
        return { status: 200, body: { courses } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/sections/:term/:index`,
      summary: 'Show one section',
      who: ['read', 'service'],
      params: Type.Object({ term, index }, closed),
      query: nothing,
      answers: { 200: { when: 'The section.', schema: section } },
      refusals: { 404: 'The catalog of that term has no such section.' },
      async handle({ params }) {
        const found = await catalog.section(params.term, params.index);
        if (!found) throw noSection();
        return { status: 200, body: sectionJson(found, registrationUrl) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/lists`,
      summary: 'Show the lists of open sections that are polled, and how fresh they are',
      who: ['read'],
      query: nothing,
      answers: {
        200: { when: 'All of them.', schema: Type.Object({ lists: Type.Array(list) }, closed) },
      },
      async handle() {
        return { status: 200, body: { lists: (await poller.status()).map(listJson) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/openings`,
      summary: 'Say that a section is open; whoever watches it is told, as if the feed had said so',
      who: [],
      query: nothing,
      body: Type.Object(
        { term, index, reason: Type.Optional(line(500, 'Why; it is kept in the audit log.')) },
        closed,
      ),
      answers: {
        201: {
          when: 'It is recorded, and its watchers are told.',
          schema: Type.Object({ isNew: Type.Boolean(), openEventId: Type.Integer() }, closed),
        },
        200: {
          when: 'It was known to be open already: nobody is told again.',
          schema: Type.Object({ isNew: Type.Boolean(), openEventId: Type.Null() }, closed),
        },
      },
      refusals: { 404: 'Neither the catalog nor the feed of that term has such a section.' },
      async handle({ body, caller, traceId, intentTraceId }) {
        const order = { termId: body.term, indexNumber: body.index, traceId: intentTraceId };
        const reported = await events.reportOpening(order);
        if (reported.kind === 'section_not_found') throw noSection();
        const about = { term: body.term, index: body.index, kind: reported.kind, key: caller.key };
        log.info('seats.opening_reported', { traceId, ...about });
        return reported.kind === 'reported'
          ? { status: 201, body: { isNew: true, openEventId: reported.openEventId } }
          : { status: 200, body: { isNew: false, openEventId: null } };
      },
    }),
  ];
}
