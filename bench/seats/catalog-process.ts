import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { answerParent } from '../support/child.ts';
import { taken } from '../support/cpu.ts';
import { openSeatsEngine, type SeatsEngine } from './engine-on.ts';

/** Reads the catalog of New Brunswick twice, and tells what that took. */
export interface CatalogOrder {
  databaseUrl: string;
  feedUrl: string;
  termId: string;
}

export interface CatalogIngested {
  cpuMs: number;
  wallMs: number;
  octets: number;
  courses: number;
  sections: number;
  /** Resident, before it began and while it ran. */
  restingMb: number;
  peakMb: number;
}

const sampleEveryMs = 10;

answerParent(async ({ databaseUrl, feedUrl, termId }: CatalogOrder) => {
  const feed = createHttpFeed({ baseUrl: feedUrl, clock });
  const engine = await openSeatsEngine({ databaseUrl, feed, clock, termIds: [termId] });
  const both = [await ingest(engine, termId), await ingest(engine, termId)];
  await engine.close();
  return both;
});

async function ingest({ seats }: SeatsEngine, termId: string): Promise<CatalogIngested> {
  const resting = process.memoryUsage.rss();
  let peak = resting;
  let read = { courses: 0, sections: 0, octets: 0 };
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, sampleEveryMs);
  const cost = await taken(async () => {
    const ingested = await seats.catalog.ingest({
      ...{ termId, campusCode: 'NB', signal: new AbortController().signal },
      onProgress(progress) {
        read = progress;
        look();
      },
    });
    if (ingested.kind !== 'ingested') throw new Error(ingested.message);
  });
  clearInterval(looking);
  return { ...cost, ...read, restingMb: resting / 1e6, peakMb: peak / 1e6 };
}
