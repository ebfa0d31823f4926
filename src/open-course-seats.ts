import type { Config } from './settings.ts';
import {
  type CourseSeats,
  type CourseSeatsParts,
  createCourseSeats,
} from './sources/course-seats/course-seats.ts';
import { claimFor, readFeedKind } from './sources/course-seats/feed-kind.ts';
import { loadFeed, type OpenedFeed, openFeed } from './sources/course-seats/open-feed.ts';

type Parts = Omit<CourseSeatsParts, keyof OpenedFeed | 'timeZone' | 'verifiesAddresses'>;

/** Course seats as they are configured. None where there is no feed: the sample campus is for an inbox that nothing leaves. */
export async function openCourseSeats(
  config: Config,
  { isToPoll, ...parts }: Parts & { isToPoll: boolean },
): Promise<CourseSeats | undefined> {
  const { socBaseUrl, socTerms, socCampuses, socTimeZone, verifiesAddresses, provider } = config;
  const order = { baseUrl: socBaseUrl, termIds: socTerms, campusCodes: socCampuses };
  const feed = await openFeed({ ...order, isReal: provider !== 'capture' }, parts.clock);
  if (!feed) return undefined;
  const kind = feed.isSample ? 'sample' : 'real';
  if (isToPoll) {
    await loadFeed();
    await claimFor(kind, parts.db);
  }
  // A command that was not told of the feed leaves alone what is the feed's.
  else if (((await readFeedKind(parts.db)) ?? kind) !== kind) return undefined;
  return createCourseSeats({ ...feed, ...parts, timeZone: socTimeZone, verifiesAddresses });
}
