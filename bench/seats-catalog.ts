import { termInRegistration } from '../src/sources/course-seats/term.ts';
import { systemClock } from '../src/std/clock.ts';
import type { CatalogIngested, CatalogOrder } from './seats/catalog-process.ts';
import { startOutside } from './seats/outside.ts';
import { startChild } from './support/child.ts';
import { verdict } from './support/verdict.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * What does it take to read a catalog of real size? 21 MB over a real socket from the sample campus, in a process of its own for
 * each database: the first time, when everything is new, and once more, when nothing is. Fails over the bound on memory.
 */
const sections = 17_000; // Of all campuses: those of New Brunswick are then 21 MB.
const boundMb = 150;
const termId = termInRegistration(systemClock.now());

const outside = await startOutside({ termIds: [termId], sections, openingEveryMs: null });
try {
  await withDatabases(1, async (kinds) => {
    for (const { title, urls } of kinds) {
      const child = startChild(new URL('seats/catalog-process.ts', import.meta.url));
      const order: CatalogOrder = { databaseUrl: urls[0] ?? '', feedUrl: outside.feedUrl, termId };
      const [first, again] = await child.ask<[CatalogIngested, CatalogIngested]>(order);
      await child.close();
      console.log(
        `\n${title}: a catalog of ${(first.octets / 1e6).toFixed(1)} MB, ${first.courses} courses with ${first.sections} sections`,
      );
      print('the first time', first);
      print('once more, nothing new', again);
    }
  });
} finally {
  await outside.close();
}

function print(name: string, { cpuMs, wallMs, restingMb, peakMb }: CatalogIngested): void {
  const cost = `${seconds(cpuMs)} s of processor time in ${seconds(wallMs)} s`;
  const added = peakMb - restingMb;
  const memory = `memory ${restingMb.toFixed(0)} MB before, at most ${peakMb.toFixed(0)} MB: ${added.toFixed(0)} MB more`;
  console.log(`  ${name.padEnd(24)} ${cost}   ${memory}   ${verdict(added, boundMb, 'MB more')}`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
