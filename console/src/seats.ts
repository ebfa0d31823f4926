import type { Static } from 'typebox';
import type { list } from '../../src/http/routes/seats-json.ts';
import type {
  overview,
  seenEvent,
  shownHistory,
  shownSection,
  watchedSection,
} from '../../src/http/routes/seats-overview-json.ts';
import { parseTermId } from '../../src/sources/course-seats/term.ts';
import type { Words } from './words/words.ts';

/** Course seats as the API answers them. */
export type SeatList = Static<typeof list>;
export type SeatOverview = Static<typeof overview>;
export type History = Static<typeof shownHistory>;
export type WatchedSection = Static<typeof watchedSection>;
export type ShownSection = Static<typeof shownSection>;
export type SeenEvent = Static<typeof seenEvent>;

export const seatsPath = '/api/v1/seats';
/** The page asks several questions at a time, and keys have so many a minute. */
export const seatsEveryMs = 5_000;
export const sectionPath = ({ term, index }: { term: string; index: string }) => `/seats/${term}/${index}`;

/** `Spring 2026`; what is no term stays as it is. */
export function termName(termId: string, { sources }: Words): string {
  const term = parseTermId(termId);
  return term ? sources.term(term.season, term.year) : termId;
}
