import { Type } from 'typebox';
import type { SectionDetails } from '../../sources/course-seats/catalog/catalog.ts';
import type { ListStatus } from '../../sources/course-seats/feed/list-status.ts';
import type { RegistrationUrl } from '../../sources/course-seats/registration.ts';
import type { Watch } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { closed, indexPattern, termPattern } from '../schemas.ts';

/** Course seats as programs get them: sections, watches and lists, with their shapes for the document. */
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const integerOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const term = Type.String({ pattern: termPattern, description: 'As the feed numbers it: `12026`.' });
export const index = Type.String({
  pattern: indexPattern,
  description: 'Five digits; leading zeros count.',
});

export const sectionStatus = Type.Enum(['Open', 'Closed', 'Wait', 'Unknown']);
export const watchStatus = Type.Enum(['pending', 'active', 'paused', 'suppressed', 'unsubscribed']);

export const section = Type.Object(
  {
    term: Type.String(),
    campus: Type.String(),
    index: Type.String(),
    number: Type.String(),
    courseId: Type.Integer(),
    courseString: Type.String(),
    title: Type.String(),
    subtitle: textOrNull,
    status: sectionStatus,
    meetings: Type.String(),
    instructors: textOrNull,
    specialPermission: textOrNull,
    restrictions: textOrNull,
    crossListed: Type.Array(
      Type.Object(
        { index: Type.String(), courseString: Type.String(), sectionNumber: Type.String() },
        closed,
      ),
    ),
    notes: textOrNull,
    isGone: Type.Boolean({ description: 'No longer in the catalog.' }),
    registrationUrl: textOrNull,
  },
  closed,
);

export function sectionJson(details: SectionDetails, registrationUrl: RegistrationUrl) {
  const { termId, campusCode, indexNumber, sectionNumber, courseId, courseString } = details;
  const { subtitle, status, instructors, specialPermission, restrictions, notes, isGone } = details;
  return {
    ...{ term: termId, campus: campusCode, index: indexNumber, number: sectionNumber },
    ...{ courseId, courseString, title: details.courseTitle, subtitle, status },
    ...{ meetings: details.meetingSummary, instructors, specialPermission, restrictions },
    crossListed: details.crossListed.map((twin) => ({ ...twin })),
    ...{ notes, isGone, registrationUrl: registrationUrl(details) ?? null },
  };
}

const window = Type.Object(
  {
    startMinutes: Type.Integer({ minimum: 0, maximum: 1439 }),
    endMinutes: Type.Integer({ minimum: 0, maximum: 1440 }),
  },
  {
    ...closed,
    description:
      "Minutes of the campus's day in which mail is welcome; it may cross midnight. Equal: at any hour.",
  },
);
export const windowOrNull = Type.Union([window, Type.Null()]);
export const maxOrNull = Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Null()]);

export const watch = Type.Object(
  {
    subscriptionId: Type.Integer(),
    token: Type.String({ description: 'Opens this watch: a secret.' }),
    term: Type.String(),
    campus: Type.String(),
    index: Type.String(),
    section: Type.Union([section, Type.Null()]),
    status: watchStatus,
    sectionStatus,
    locale: textOrNull,
    preferences: Type.Object(
      {
        notifyOn: Type.Array(Type.String()),
        maxNotifications: integerOrNull,
        deliveryWindow: windowOrNull,
        snoozeUntil: timeOrNull,
      },
      closed,
    ),
    notificationsSent: Type.Integer(),
    undoUntil: timeOrNull,
    createdAt: Type.String({ format: 'date-time' }),
  },
  closed,
);

const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export function watchJson(of: Watch, registrationUrl: RegistrationUrl) {
  const { subscriptionId, token, termId, campusCode, indexNumber, status, locale } = of;
  const { notifyOn, maxNotifications, deliveryWindow, snoozeUntil } = of.preferences;
  return {
    ...{ subscriptionId, token, term: termId, campus: campusCode, index: indexNumber },
    section: of.section ? sectionJson(of.section, registrationUrl) : null,
    ...{ status, sectionStatus: of.sectionStatus, locale },
    preferences: {
      ...{ notifyOn: [...notifyOn], maxNotifications, deliveryWindow },
      snoozeUntil: isoOrNull(snoozeUntil),
    },
    notificationsSent: of.notificationsSent,
    undoUntil: isoOrNull(of.undoUntil),
    createdAt: new Date(of.createdAt).toISOString(),
  };
}

export const list = Type.Object(
  {
    term: Type.String(),
    campus: Type.String({ description: 'By whose name it is asked for.' }),
    campuses: Type.Array(Type.String(), { description: 'That share it.' }),
    openCount: Type.Integer(),
    askedAt: Type.Union(timeOrNull.anyOf, {
      description: 'Since when it is asked for; null where nobody has kept it.',
    }),
    heardAt: timeOrNull,
    goodAt: timeOrNull,
    isStale: Type.Boolean({ description: 'Nothing was believed for over a minute.' }),
    isHeld: Type.Boolean({ description: 'A list came that is too short to be believed yet.' }),
    heldSince: timeOrNull,
    failures: Type.Integer({ description: 'In a row.' }),
    lastError: textOrNull,
    nextPollAt: timeOrNull,
    baselineAt: timeOrNull,
  },
  closed,
);

export function listJson(status: ListStatus) {
  const { termId, campusCode, campuses, openCount, isStale, isHeld, failures, lastError } = status;
  return {
    ...{ term: termId, campus: campusCode, campuses: [...campuses], openCount },
    ...{ askedAt: isoOrNull(status.askedAt), heardAt: isoOrNull(status.heardAt) },
    ...{ goodAt: isoOrNull(status.goodAt), isStale, isHeld },
    ...{ heldSince: isoOrNull(status.heldSince), failures, lastError },
    ...{ nextPollAt: isoOrNull(status.nextPollAt), baselineAt: isoOrNull(status.baselineAt) },
  };
}
