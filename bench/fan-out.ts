import { sql } from 'kysely';
import { createHttpFeed } from '../src/sources/course-seats/feed/http-feed.ts';
import { termInRegistration } from '../src/sources/course-seats/term.ts';
import { systemClock as clock } from '../src/std/clock.ts';
import type { GoalName } from './report/goals.ts';
import { type MeasuredContender, report } from './report/result.ts';
import { addWatches } from './seats/add-watches.ts';
import { createBareCopy } from './seats/bare-copy.ts';
import { openSeatsEngine, type SeatsEngine } from './seats/engine-on.ts';
import { openSection } from './seats/open-section.ts';
import { median } from './support/median.ts';
import { roundsWanted } from './support/rounds-wanted.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * From one opening to a delivery for each of 100,000 watchers, beside the least that any program could do for that: one INSERT … SELECT of
 * the very same rows, into tables with the same columns, checks and indexes. The engine does it in batches of a thousand, each a
 * transaction that also remembers how far it got, and decides for each watcher whether and when; the bare one decides nothing.
 */
const watchers = rowsWanted({ usual: 100_000, least: 1_000 });
const rounds = roundsWanted(5);
const termId = termInRegistration(clock.now());

await withDatabases(1, async (kinds) => {
  const measured: Partial<Record<GoalName, number>> = {};
  const contenders: MeasuredContender[] = [];
  for (const { title, urls } of kinds) {
    const times = await compare(title, urls[0] ?? '');
    measured[`fan-out/${title === 'SQLite' ? 'sqlite' : 'postgres'}`] =
      median(times.engine) / median(times.bare);
    for (const [name, list] of Object.entries(times)) contenders.push(told(`${name}, ${title}`, list));
  }
  report({ bench: 'fan-out', rounds, rows: watchers, measured, contenders });
});

async function compare(title: string, databaseUrl: string): Promise<{ engine: number[]; bare: number[] }> {
  const feed = createHttpFeed({ baseUrl: 'http://127.0.0.1:9', clock });
  const engine = await openSeatsEngine({ databaseUrl, feed, clock, termIds: [termId] });
  const bare = await createBareCopy(engine.db);
  const times = { engine: [] as number[], bare: [] as number[] };
  // The first makes everything warm. It is not counted.
  for (let round = 0; round <= rounds; round++) {
    console.error(`${title}, round ${round} of ${rounds} …`);
    const index = String(round + 1).padStart(5, '0');
    await addWatches(engine.db, { termId, index, count: watchers });
    if (engine.db.dialect === 'postgres') await sql`ANALYZE`.execute(engine.db.write);
    await openSection(engine, { termId, index });
    const before = await bare.mark();
    const engineMs = await timeOf(() => fanOut(engine));
    const bareMs = await timeOf(() => bare.copySince(before));
    const copied = await bare.count();
    if (copied !== watchers) throw new Error(`${copied} deliveries for ${watchers} watchers`);
    if (round === 0) continue;
    times.engine.push(engineMs);
    times.bare.push(bareMs);
  }
  await engine.close();
  return times;
}

async function fanOut({ seats }: SeatsEngine): Promise<void> {
  while ((await seats.fanOut.runOnce()) > 0);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function told(name: string, times: readonly number[]): MeasuredContender {
  const perSecond = (ms: number) => (watchers * 1000) / ms;
  const [lowest, highest] = [perSecond(Math.max(...times)), perSecond(Math.min(...times))];
  console.log(`  ${name.padEnd(20)} ${median(times).toFixed(0).padStart(7)} ms for ${watchers}`);
  return { name, group: 'fan-out', perSecond: perSecond(median(times)), lowest, highest, cpuMicros: null };
}
