import { Type } from 'typebox';
import { historySpans } from '../../sources/course-seats/overview/spans.ts';
import { Refusal } from '../../std/refusal.ts';
import { keptFor } from '../kept.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, closed, limit, next, nothing } from '../schemas.ts';
import { index, term } from './seats-json.ts';
import {
  historyJson,
  overview,
  overviewJson,
  sectionOverviewJson,
  seenEvent,
  seenEventJson,
  shownHistory,
  shownSection,
  watchedJson,
  watchedSection,
} from './seats-overview-json.ts';
import type { SeatRouteParts } from './seats-parts.ts';

/** For the console: who watches what, what opened, and whom that told. */
const path = '/api/v1/seats/overview';
/** All watches are read to count them: of a hundred thousand that takes a tenth of a second. A week of events for its chart is as dear. */
const statusKeptMs = 15_000;
const historyKeptMs = 5_000;
const weekKeptMs = 60_000;

export function seatOverviewRoutes({ seats, clock }: SeatRouteParts): Route[] {
  const { overview: seen } = seats;
  const status = keptFor(statusKeptMs, clock, () => seats.status());
  const histories = {
    hour: keptFor(historyKeptMs, clock, () => seen.history('hour')),
    day: keptFor(historyKeptMs, clock, () => seen.history('day')),
    week: keptFor(weekKeptMs, clock, () => seen.history('week')),
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      summary:
        'How course seats stand: watches by status, what opened of late, and whether all have been told',
      who: ['read'],
      query: nothing,
      answers: { 200: { when: 'As it was a quarter of a minute ago at most.', schema: overview } },
      async handle() {
        return { status: 200, body: overviewJson(await status(), seats) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/history`,
      summary: 'Count openings and closings over the last hour, day or week, step by step',
      who: ['read'],
      query: Type.Object(
        { span: Type.Optional(Type.Enum([...historySpans], { description: '`day` if left out.' })) },
        closed,
      ),
      answers: { 200: { when: 'Every step, the oldest first.', schema: shownHistory } },
      async handle({ query: { span = 'day' } }) {
        return { status: 200, body: historyJson(span, await histories[span]()) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/sections`,
      summary: 'List the sections that somebody watches, by term and index, with how many do',
      who: ['read'],
      query: Type.Object(
        {
          term: Type.Optional(term),
          afterTerm: Type.Optional(term),
          after: Type.Optional(index),
          limit: Type.Optional(limit(200, 50)),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'One page; `next` is null on the last. `afterTerm` and `after` of `next` go together.',
          schema: Type.Object(
            {
              sections: Type.Array(watchedSection),
              next: Type.Union([
                Type.Object({ afterTerm: Type.String(), after: Type.String() }, closed),
                Type.Null(),
              ]),
            },
            closed,
          ),
        },
      },
      async handle({ query: { term: termId, afterTerm, after, limit: most = 50 } }) {
        const behind = { termId: afterTerm ?? termId ?? '', indexNumber: after ?? '' };
        const isBehind = after !== undefined || afterTerm !== undefined;
        const page = await seen.sections({ termId, after: isBehind ? behind : undefined, limit: most });
        const last = page.length === most ? page.at(-1) : undefined;
        const rest = last ? { afterTerm: last.termId, after: last.indexNumber } : null;
        return { status: 200, body: { sections: page.map(watchedJson), next: rest } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/sections/:term/:index`,
      summary: 'One section as those see it who look after seats: how it stands, and its watches by status',
      who: ['read'],
      params: Type.Object({ term, index }, closed),
      query: nothing,
      answers: { 200: { when: 'The section.', schema: shownSection } },
      refusals: { 404: 'Neither the catalog nor the feed nor a watch has such a section.' },
      async handle({ params }) {
        const found = await seen.section(params.term, params.index);
        if (!found) throw new Refusal('section_not_found', noSection);
        return { status: 200, body: sectionOverviewJson(found) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/events`,
      summary: 'List openings and closings, newest first, of all sections or of one',
      who: ['read'],
      query: Type.Object(
        {
          term: Type.Optional(term),
          index: Type.Optional(index),
          below,
          limit: Type.Optional(limit(100, 20)),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'One page; `next` is null on the last.',
          schema: Type.Object({ events: Type.Array(seenEvent), next }, closed),
        },
      },
      async handle({ query: { term: termId, index: indexNumber, below: under, limit: most = 20 } }) {
        if ((termId === undefined) !== (indexNumber === undefined))
          throw new Refusal(
            'invalid_request',
            'term and index go together: an index is one section of a term.',
          );
        const section =
          termId !== undefined && indexNumber !== undefined ? { termId, indexNumber } : undefined;
        const page = await seen.events({ section, below: under, limit: most });
        const last = page.length === most ? page.at(-1) : undefined;
        const rest = last ? { below: last.openEventId } : null;
        return { status: 200, body: { events: page.map(seenEventJson), next: rest } };
      },
    }),
  ];
}

const noSection =
  'There is no such section. GET /api/v1/seats/courses?q= finds sections, and GET /api/v1/seats/overview/sections those that are watched.';
