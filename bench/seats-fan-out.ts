import type { FannedOut, FanOutOrder } from './seats/fan-out-process.ts';
import { startChild } from './support/child.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { verdict } from './support/verdict.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * Does it cost more to tell each of very many that a section has opened than each of a few? From the opening to a delivery for
 * everybody who watches, in a process of its own for each database. Fails where the cost of one, or the memory, grows with the number.
 */
const most = rowsWanted({ usual: 100_000, least: 10_000 });
const orders: FanOutOrder['openings'] = [
  { watchers: 1_000, times: 10 },
  { watchers: 10_000, times: 3 },
  { watchers: most, times: 1 },
];
const flatRatio = 1.5;
const heapGrowthMb = 20;
const rssGrowthMb = 60;

await withDatabases(1, async (kinds) => {
  for (const { title, urls } of kinds) {
    const child = startChild(new URL('seats/fan-out-process.ts', import.meta.url));
    console.error(`${title}: watches, and openings of sections that they watch …`);
    const order: FanOutOrder = { databaseUrl: urls[0] ?? '', openings: orders };
    print(title, await child.ask<FannedOut[]>(order));
    await child.close();
  }
});

function print(title: string, all: readonly FannedOut[]): void {
  console.log(
    `\n${title}: an opening with so many watchers, for each of them in µs (median of several openings)`,
  );
  const [few] = all;
  if (!few) throw new Error('nothing was measured');
  for (const one of all) {
    const { watchers, cpuMicros, wallMicros, batches, reads, writes, statements, peakRssMb, heapMb } = one;
    const cost = `processor ${whole(cpuMicros)} × ${ratio(cpuMicros, few.cpuMicros)}   time ${whole(wallMicros)} × ${ratio(wallMicros, few.wallMicros)}`;
    const work = `${batches} batches, in each ${reads} to read, ${writes} to write, ${statements} statements in all`;
    console.log(
      `  ${String(watchers).padStart(7)}   ${cost}   ${work}   memory: most ${whole(peakRssMb)} MB, heap afterwards ${whole(heapMb)} MB`,
    );
  }
  const [before, after] = all.slice(-2) as [FannedOut, FannedOut];
  const [slope, heap, rss] = [
    after.cpuMicros / few.cpuMicros,
    after.heapMb - before.heapMb,
    after.peakRssMb - before.peakRssMb,
  ];
  console.log(
    `  the cost of one, most to fewest: × ${slope.toFixed(2)}   ${verdict(slope, flatRatio, 'times')}`,
  );
  console.log(
    `  one statement reads a batch and one writes it:   ${verdict(Math.max(...all.flatMap(({ reads, writes }) => [reads, writes])), 1, 'of each')}`,
  );
  console.log(
    `  memory from ${before.watchers} to ${after.watchers}: heap ${heap.toFixed(1)} MB   ${verdict(heap, heapGrowthMb, 'MB')}, resident ${rss.toFixed(1)} MB   ${verdict(rss, rssGrowthMb, 'MB')}`,
  );
}

function ratio(figure: number, base: number): string {
  return (figure / base).toFixed(2);
}

function whole(number: number): string {
  return number.toFixed(0);
}
