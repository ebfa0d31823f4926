import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import { termInRegistration } from '../../src/sources/course-seats/term.ts';
import { systemClock } from '../../src/std/clock.ts';
import { answerParent } from '../support/child.ts';
import { type Taken, taken } from '../support/cpu.ts';
import { median } from '../support/median.ts';
import { addWatches } from './add-watches.ts';
import { openSeatsEngine, type SeatsEngine } from './engine-on.ts';
import { openSection } from './open-section.ts';

/** Fans out openings, small ones first, and tells what each size took for each watcher. */
export interface FanOutOrder {
  databaseUrl: string;
  openings: readonly { watchers: number; times: number }[];
}

export interface FannedOut {
  watchers: number;
  cpuMicros: number;
  wallMicros: number;
  batches: number;
  /** The most statements of a batch that read watchers, that write deliveries, and of any kind. */
  reads: number;
  writes: number;
  statements: number;
  peakRssMb: number;
  /** What is left after everything that nobody holds was collected. */
  heapMb: number;
}

const termId = termInRegistration(systemClock.now());
let seen: string[] = [];
let sections = 0;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

answerParent(async ({ databaseUrl, openings }: FanOutOrder) => {
  const clock = systemClock;
  const feed = createHttpFeed({ baseUrl: 'http://127.0.0.1:9', clock });
  const onStatement = ({ sql: text }: { sql: string }) => seen.push(text);
  const engine = await openSeatsEngine({ databaseUrl, feed, clock, termIds: [termId], onStatement });
  const watched = [];
  for (const { watchers, times } of [{ watchers: 1_000, times: 3 }, ...openings]) {
    const indexes = Array.from({ length: times }, () => String(++sections).padStart(5, '0'));
    for (const index of indexes) await addWatches(engine.db, { termId, index, count: watchers });
    watched.push({ watchers, indexes });
  }
  // SQLite has no statistics where nobody asks for them, and the program does not.
  if (engine.db.dialect === 'postgres') await sql`ANALYZE`.execute(engine.db.write);
  const all = [];
  for (const each of watched) all.push(await fanOutAll(engine, each));
  await engine.close();
  // The first made everything warm.
  return all.slice(1);
});

async function fanOutAll(
  engine: SeatsEngine,
  { watchers, indexes }: { watchers: number; indexes: string[] },
): Promise<FannedOut> {
  const costs: Taken[] = [];
  const batches: string[][] = [];
  let peakRss = 0;
  for (const index of indexes) {
    await openSection(engine, { termId, index });
    const runAll = async () => {
      for (;;) {
        seen = [];
        if ((await engine.seats.fanOut.runOnce()) === 0) return;
        batches.push(seen);
        peakRss = Math.max(peakRss, process.memoryUsage.rss());
      }
    };
    costs.push(await taken(runAll));
  }
  await checkAll(engine, watchers, indexes);
  collectGarbage();
  const most = (pattern: RegExp) =>
    Math.max(...batches.map((texts) => texts.filter((text) => pattern.test(text)).length));
  return {
    watchers,
    cpuMicros: (median(costs.map(({ cpuMs }) => cpuMs)) * 1000) / watchers,
    wallMicros: (median(costs.map(({ wallMs }) => wallMs)) * 1000) / watchers,
    batches: batches.length / indexes.length,
    ...{ reads: most(/AS watching/), writes: most(/insert into "?deliveries"?\b/i), statements: most(/./) },
    ...{ peakRssMb: peakRss / 1e6, heapMb: process.memoryUsage().heapUsed / 1e6 },
  };
}

async function checkAll({ db }: SeatsEngine, watchers: number, indexes: readonly string[]): Promise<void> {
  const { rows } = await sql<{ told: number }>`
    SELECT count(*) AS told FROM deliveries WHERE trace_id IN (${sql.join(indexes.map((index) => `bench-${index}`))})
  `.execute(db.read);
  const wanted = watchers * indexes.length;
  if (Number(rows[0]?.told) !== wanted) throw new Error(`${rows[0]?.told} deliveries for ${wanted} watchers`);
}
