import { type Static, Type } from 'typebox';
import { locales } from '../../emails/words.ts';
import type {
  Created,
  CreateRefusal,
  Preferences,
} from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { campusCodes } from '../../sources/course-seats/term.ts';
import { httpStatusOf } from '../../std/refusals.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, line, nothing, time } from '../schemas.ts';
import { index, maxOrNull, sectionStatus, term, watchStatus, windowOrNull } from './seats-json.ts';
import type { SeatRouteParts } from './seats-parts.ts';

/**
 * For services: to have somebody told when a section opens. A service is trusted with the token that opens the watch, because
 * its key lets it write to anybody anyway.
 */
const preferences = Type.Object(
  {
    notifyOn: Type.Optional(Type.Array(line(40), { maxItems: 10, description: '`open`.' })),
    maxNotifications: Type.Optional(maxOrNull),
    deliveryWindow: Type.Optional(windowOrNull),
    snoozeUntil: Type.Optional(Type.Union([time('No mail before.'), Type.Null()])),
  },
  closed,
);
const common = {
  term,
  campus: Type.Enum([...campusCodes]),
  email: line(320, 'Who is told; first they get a mail to confirm it.'),
  locale: Type.Optional(Type.Enum([...locales], { description: 'Language of the mails.' })),
  preferences: Type.Optional(preferences),
};
const created = {
  subscriptionId: Type.Integer(),
  status: watchStatus,
  existing: Type.Boolean({ description: 'This address watched that section already.' }),
  sectionResolved: Type.Boolean({ description: 'False where the catalog does not know the index (yet).' }),
  sectionStatus,
  token: Type.String({ description: 'Opens this watch: a secret.' }),
};
const one = Type.Object(created, closed);
const several = Type.Object(
  {
    watches: Type.Array(one),
    leftOut: Type.Integer({ description: 'Sections of the course that the limits did not allow.' }),
  },
  closed,
);
const answer = Type.Union([one, several]);

export function seatSubscriptionRoute({ seats, log }: SeatRouteParts): Route {
  const { subscriptions } = seats;
  return defineRoute({
    method: 'POST',
    path: '/api/v1/seats/subscriptions',
    summary: 'Watch a section by its index, or all sections that a course has now',
    who: ['service'],
    query: nothing,
    body: Type.Union([
      Type.Object(
        {
          courseId: Type.Integer({
            minimum: 1,
            description:
              'The sections that the catalog has at this moment; ask again for those that come later.',
          }),
          ...common,
        },
        closed,
      ),
      Type.Object({ index, ...common }, closed),
    ]),
    answers: {
      201: { when: 'There is a new watch; with `courseId`, at least one.', schema: answer },
      200: { when: 'The address watched all that already: `existing` is true.', schema: answer },
    },
    refusals: {
      404: '`section_not_found`: there is no such section, or no such course.',
      409: '`section_conflict`: the section is at another campus, which `details.campus` names.',
    },
    async handle({ body, caller, traceId }) {
      const order = {
        ...{ termId: body.term, campusCode: body.campus, email: body.email, caller: null },
        ...(body.locale !== undefined && { locale: body.locale }),
        ...(body.preferences && { preferences: preferencesOf(body.preferences) }),
      };
      const about = { traceId, term: body.term, campus: body.campus, key: caller.key };
      if ('index' in body) {
        const made = await subscriptions.create({ ...order, indexNumber: body.index });
        if (isRefused(made)) return refusalOf(made, traceId);
        log.info('seats.subscribed', { ...about, kind: made.kind, subscriptionId: made.subscriptionId });
        return { status: made.kind === 'created' ? 201 : 200, body: createdJson(made) };
      }
      const made = await subscriptions.createForCourse({ ...order, courseId: body.courseId });
      if (made.kind !== 'created') return refusalOf(made, traceId);
      const fresh = made.watches.filter(({ kind }) => kind === 'created').length;
      log.info('seats.subscribed_to_course', { ...about, count: fresh, leftOut: made.leftOut });
      const watches = made.watches.map(createdJson);
      return { status: fresh > 0 ? 201 : 200, body: { watches, leftOut: made.leftOut } };
    },
  });
}

type Made = Exclude<Created, CreateRefusal>;
const isRefused = (made: Created): made is CreateRefusal =>
  made.kind !== 'created' && made.kind !== 'existing';

const createdJson = ({ kind, subscriptionId, status, sectionResolved, sectionStatus: now, token }: Made) => ({
  ...{ subscriptionId, status, existing: kind === 'existing', sectionResolved, sectionStatus: now, token },
});

function preferencesOf({ snoozeUntil, ...given }: Static<typeof preferences>): Preferences {
  return {
    ...given,
    ...(snoozeUntil !== undefined && {
      snoozeUntil: snoozeUntil === null ? null : Date.parse(snoozeUntil),
    }),
  };
}

function refusalOf(refusal: CreateRefusal, traceId: string) {
  const { kind, message } = refusal;
  const details =
    kind === 'section_conflict'
      ? { campus: refusal.campusCode }
      : kind === 'rate_limited'
        ? { limit: refusal.limit }
        : undefined;
  const retryAfterMs = kind === 'rate_limited' ? refusal.retryAfterMs : null;
  return {
    status: httpStatusOf(kind),
    body: { error: message, code: kind, traceId, ...(details && { details }) },
    ...(retryAfterMs !== null && { headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } }),
  };
}
