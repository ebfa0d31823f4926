import { Type } from 'typebox';
import type { EdgeHistory } from '../../sources/course-seats/overview/edge-history.ts';
import { deliveriesMax, type SeenEvent } from '../../sources/course-seats/overview/seen-events.ts';
import { type HistorySpan, historySpans } from '../../sources/course-seats/overview/spans.ts';
import type {
  SectionOverview,
  WatchedSection,
} from '../../sources/course-seats/overview/watched-sections.ts';
import type { SeatsStatus } from '../../sources/course-seats/status.ts';
import { closed } from '../schemas.ts';
import { sectionStatus } from './seats-json.ts';
import type { Seats } from './seats-parts.ts';

/** What the console is told of course seats, with its shapes for the document. */
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const time = Type.String({ format: 'date-time' });
const timeOrNull = Type.Union([time, Type.Null()]);
const edges = Type.Object({ opened: Type.Integer(), closed: Type.Integer() }, closed);
const watches = Type.Object(
  {
    pending: Type.Integer(),
    active: Type.Integer(),
    paused: Type.Integer(),
    suppressed: Type.Integer(),
    unsubscribed: Type.Integer(),
  },
  closed,
);

export const overview = Type.Object(
  {
    isSample: Type.Boolean({ description: 'A campus that is not there.' }),
    moving: Type.Array(Type.Object({ term: Type.String(), index: Type.String() }, closed), {
      description: 'Of a sample: what opens and closes all the time.',
    }),
    watches,
    lastHour: edges,
    lastDay: edges,
    unfinishedFanOuts: Type.Integer({
      description: 'Openings of which not everybody who watches has a delivery yet.',
    }),
    newestAt: timeOrNull,
  },
  closed,
);

export function overviewJson(status: SeatsStatus, { isSample, moving }: Pick<Seats, 'isSample' | 'moving'>) {
  const { newest, ...counts } = status;
  return {
    isSample,
    moving: moving().map(({ termId, indexNumber }) => ({ term: termId, index: indexNumber })),
    ...{ ...counts, newestAt: newest?.event_at ?? null },
  };
}

export const shownHistory = Type.Object(
  {
    span: Type.Enum([...historySpans]),
    stepMinutes: Type.Integer(),
    steps: Type.Array(Type.Object({ at: time, opened: Type.Integer(), closed: Type.Integer() }, closed)),
  },
  closed,
);

export const historyJson = (span: HistorySpan, { stepMinutes, steps }: EdgeHistory) => ({
  ...{ span, stepMinutes },
  steps: steps.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts })),
});

const watched = {
  term: Type.String(),
  campus: Type.String(),
  index: Type.String(),
  courseString: textOrNull,
  title: textOrNull,
  number: textOrNull,
  meetings: textOrNull,
  isGone: Type.Boolean({ description: 'No longer in the catalog.' }),
  status: sectionStatus,
  since: Type.Union([time, Type.Null()], {
    description: 'Since when it stands so; null where nobody has seen it change.',
  }),
  watching: Type.Integer({ description: 'Who is told when it opens.' }),
  unconfirmed: Type.Integer({ description: 'Who has not confirmed their address.' }),
};
export const watchedSection = Type.Object(watched, closed);
export const shownSection = Type.Object({ ...watched, watches }, closed);

export function watchedJson(one: WatchedSection) {
  const { termId, campusCode, indexNumber, section, status, since, watching, unconfirmed } = one;
  return {
    ...{ term: termId, campus: campusCode, index: indexNumber },
    ...{ courseString: section?.courseString ?? null, title: section?.courseTitle ?? null },
    ...{ number: section?.sectionNumber ?? null, meetings: section?.meetingSummary ?? null },
    ...{ isGone: section?.isGone ?? false, status },
    ...{ since: since === null ? null : new Date(since).toISOString(), watching, unconfirmed },
  };
}

export const sectionOverviewJson = ({ watches: byStatus, ...one }: SectionOverview) => ({
  ...watchedJson(one),
  watches: { ...byStatus },
});

export const seenEvent = Type.Object(
  {
    openEventId: Type.Integer({ description: 'The occasion of its deliveries.' }),
    term: Type.String(),
    campus: Type.String(),
    index: Type.String(),
    courseString: Type.String(),
    title: Type.String(),
    number: Type.String(),
    before: sectionStatus,
    status: Type.Enum(['Open', 'Closed']),
    at: time,
    detectedBy: Type.Enum(['open_sections', 'section_status_event', 'manual']),
    isFanningOut: Type.Boolean({ description: 'Not everybody who watches has a delivery yet.' }),
    deliveries: Type.Integer({ description: `Of an opening; more than ${deliveriesMax} are not counted.` }),
  },
  closed,
);

export function seenEventJson(event: SeenEvent) {
  const { openEventId, termId, campusCode, indexNumber, courseString, courseTitle } = event;
  return {
    ...{ openEventId, term: termId, campus: campusCode, index: indexNumber, courseString },
    ...{ title: courseTitle, number: event.sectionNumber, before: event.statusBefore },
    ...{ status: event.statusAfter, at: event.at, detectedBy: event.detectedBy },
    ...{ isFanningOut: event.isFanningOut, deliveries: event.deliveries },
  };
}
