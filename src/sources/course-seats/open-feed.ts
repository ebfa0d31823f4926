import type { Clock } from '../../std/clock.ts';
import type { Configured } from './feed/active-lists.ts';
import type { Feed } from './feed/feed.ts';
import { createSampleCampus, type SampleCampus } from './sample/sample-campus.ts';
import { type RunningSampleCampus, startSampleCampus } from './sample/sample-server.ts';
import { listOf, termInRegistration } from './term.ts';

export interface SectionKey {
  termId: string;
  indexNumber: string;
}

/** The feed that a deployment polls: a real one, the sample campus, or none. */
export interface OpenedFeed {
  feed: Feed;
  isSample: boolean;
  /** Of a sample: which sections open and close all the time, so that whoever tries it knows what to watch. */
  moving?: () => readonly SectionKey[];
  /** Of a sample: seats that somebody opens, and leaves to themselves again. */
  byHand?: SeatsByHand;
  /** Polled whether or not somebody watches. */
  configured: Configured;
}

export type SeatsByHand = Pick<SampleCampus, 'open' | 'release'>;

export interface FeedOrder {
  /** Empty where none is configured, `off` where none is wanted. */
  baseUrl: string;
  termIds: readonly string[];
  campusCodes: readonly string[];
  /** Mail leaves this machine: then nobody is told of seats that are not there. */
  isReal: boolean;
}

export async function openFeed(order: FeedOrder, clock: Clock): Promise<OpenedFeed | undefined> {
  const { baseUrl, termIds, campusCodes, isReal } = order;
  if (baseUrl === 'off' || (baseUrl === '' && isReal)) return undefined;
  if (baseUrl !== '') {
    return {
      feed: await openHttpFeed(baseUrl, clock),
      isSample: false,
      configured: {
        campusCodes,
        // A process may run from one term into the next.
        get termIds() {
          return termIds.length > 0 ? termIds : [termInRegistration(clock.now())];
        },
      },
    };
  }
  const terms = termIds.length > 0 ? termIds : [termInRegistration(clock.now())];
  return {
    ...createSampleFeed(terms, campusCodes, clock),
    isSample: true,
    moving: keptOnce(() => movingAt(terms, campusCodes, clock)),
    configured: { termIds: terms, campusCodes },
  };
}

/** For a process that stays: later its own files may be others, or gone. */
export const loadFeed = () => import('./feed/http-feed.ts');

/** Its client is a megabyte, loaded where there is a feed to be asked. */
async function openHttpFeed(baseUrl: string, clock: Clock): Promise<Feed> {
  const { createHttpFeed } = await loadFeed();
  return createHttpFeed({ baseUrl, clock });
}

function keptOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function movingAt(termIds: readonly string[], campusCodes: readonly string[], clock: Clock): SectionKey[] {
  const campus = createSampleCampus({ clock, termIds, campusCodes });
  return termIds.flatMap((termId) =>
    campus.popular(listOf(termId, campusCodes[0] ?? 'NB')).map((indexNumber) => ({ termId, indexNumber })),
  );
}

/** Over HTTP, as a real one; started by the first question, because most commands ask none. */
function createSampleFeed(
  termIds: readonly string[],
  campusCodes: readonly string[],
  clock: Clock,
): Required<Pick<OpenedFeed, 'feed' | 'byHand'>> {
  let started: Promise<{ campus: RunningSampleCampus; feed: Feed }> | undefined;
  const start = async () => {
    const campus = await startSampleCampus({ clock, termIds, campusCodes });
    return { campus, feed: await openHttpFeed(campus.url, clock) };
  };
  const opened = () => {
    started ??= start();
    return started;
  };
  const byHand = (verb: keyof SeatsByHand) => (indexNumber: string) =>
    void opened().then(({ campus }) => campus.switches[verb](indexNumber));
  return {
    feed: {
      openSections: async (list, signal) => (await opened()).feed.openSections(list, signal),
      courses: async (list, signal) => (await opened()).feed.courses(list, signal),
      async close() {
        if (started === undefined) return;
        const { campus, feed } = await started;
        await feed.close();
        await campus.close();
      },
    },
    byHand: { open: byHand('open'), release: byHand('release') },
  };
}
