import type { Config } from './settings.ts';
import {
  type CourseSeats,
  type CourseSeatsParts,
  createCourseSeats,
} from './sources/course-seats/course-seats.ts';
import { type OpenedFeed, openFeed } from './sources/course-seats/open-feed.ts';

type Parts = Omit<CourseSeatsParts, keyof OpenedFeed | 'timeZone' | 'verifiesAddresses'>;

/** Course seats as they are configured. None where there is no feed: the sample campus is for an inbox that nothing leaves. */
export function openCourseSeats(config: Config, parts: Parts): CourseSeats | undefined {
  const { socBaseUrl, socTerms, socCampuses, socTimeZone, verifiesAddresses, provider } = config;
  const order = { baseUrl: socBaseUrl, termIds: socTerms, campusCodes: socCampuses };
  const feed = openFeed({ ...order, isReal: provider !== 'capture' }, parts.clock);
  return feed && createCourseSeats({ ...feed, ...parts, timeZone: socTimeZone, verifiesAddresses });
}
