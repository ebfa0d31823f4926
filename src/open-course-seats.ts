import type { Config } from './settings.ts';
import {
  type CourseSeats,
  type CourseSeatsParts,
  createCourseSeats,
} from './sources/course-seats/course-seats.ts';
import { claimFor, refusalOf } from './sources/course-seats/feed-kind.ts';
import { loadFeed, type OpenedFeed, openFeed } from './sources/course-seats/open-feed.ts';

type Parts = Omit<CourseSeatsParts, keyof OpenedFeed | 'timeZone' | 'verifiesAddresses'>;

/** Course seats as they are configured. None where there is no feed: the sample campus is for an inbox that nothing leaves. */
export async function openCourseSeats(
  config: Config,
  { isToPoll, ...parts }: Parts & { isToPoll: boolean },
): Promise<{ seats?: CourseSeats; refusal?: Awaited<ReturnType<typeof refusalOf>> }> {
  const { socBaseUrl, socTerms, socCampuses, socTimeZone, verifiesAddresses, provider } = config;
  const order = { baseUrl: socBaseUrl, termIds: socTerms, campusCodes: socCampuses };
  const feed = await openFeed({ ...order, isReal: provider !== 'capture' }, parts.clock);
  if (!feed) return {};
  const kind = feed.isSample ? 'sample' : 'real';
  if (isToPoll) {
    await loadFeed();
    await claimFor(kind, parts.db);
  } else {
    // A command that was not told of the feed leaves alone what is the feed's.
    const refusal = await refusalOf(kind, parts.db);
    if (refusal) return { refusal };
  }
  return { seats: createCourseSeats({ ...feed, ...parts, timeZone: socTimeZone, verifiesAddresses }) };
}
