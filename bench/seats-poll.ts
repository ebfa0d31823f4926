import { createHttpFeed } from '../src/sources/course-seats/feed/http-feed.ts';
import { termInRegistration } from '../src/sources/course-seats/term.ts';
import { type Clock, systemClock } from '../src/std/clock.ts';
import { addWatches } from './seats/add-watches.ts';
import { openSeatsEngine, type SeatsEngine } from './seats/engine-on.ts';
import { type Outside, startOutside } from './seats/outside.ts';
import { type Taken, taken } from './support/cpu.ts';
import { spreadOf } from './support/spread.ts';
import { verdict } from './support/verdict.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * What does one poll of a campus of real size cost this process? From the question to the feed, over a real socket, to what came
 * of the answer in the database: asking, unpacking, parsing, comparing, storing. The campus is another process's. Fails over the bound.
 */
const sections = 16_000;
const polls = 40;
const moving = 10; // Sections that open between two polls, and as many that close: a busy quarter of a minute.
const watchedSections = 200;
const boundMs = 100;
const termId = termInRegistration(systemClock.now());

await withDatabases(1, async (kinds) => {
  for (const { title, urls } of kinds) {
    const outside = await startOutside({ termIds: [termId], sections, openingEveryMs: null });
    try {
      await measure(title, urls[0] ?? '', outside);
    } finally {
      await outside.close();
    }
  }
});

async function measure(title: string, databaseUrl: string, outside: Outside): Promise<void> {
  const clock = leapingClock();
  const feed = createHttpFeed({ baseUrl: outside.feedUrl, clock });
  const engine = await openSeatsEngine({ databaseUrl, feed, clock, termIds: [termId] });
  console.error(`${title}: reading the catalogs …`);
  for (const campusCode of ['NB', 'NK', 'CM']) {
    const signal = new AbortController().signal;
    const ingested = await engine.seats.catalog.ingest({ termId, campusCode, signal });
    if (ingested.kind !== 'ingested') throw new Error(ingested.message);
  }
  const closed = outside.closed[termId] ?? [];
  for (const index of closed.slice(0, watchedSections))
    await addWatches(engine.db, { termId, index, count: 50 });

  const first = await taken(() => poll(engine, 0, 0));
  const [moved, still]: [Taken[], Taken[]] = [[], []];
  const turns = turnsOf(closed, outside);
  for (let round = 0; round < 3 + polls; round++) {
    await turns.next();
    clock.leap();
    // Who closes is believed to have done so at the second list without it.
    const closing = round >= 2 ? moving : 0;
    const took = await taken(() => poll(engine, moving, closing));
    // The first ones make everything warm.
    if (round >= 3) moved.push(took);
  }
  for (let round = 0; round < polls; round++) {
    clock.leap();
    const took = await taken(() => engine.seats.poller.pollNow());
    if (round >= 2) still.push(took);
  }
  const [list] = await engine.seats.poller.status();
  console.log(
    `\n${title}, ${sections} sections, ${list?.openCount} open: a poll in ms of processor time (and of time), median and worst`,
  );
  console.log(`  ${'the first'.padEnd(42)} ${ms(first.cpuMs)} (${ms(first.wallMs)})`);
  print(`${moving} open and ${moving} close before each`, moved);
  print('nothing has changed', still);
  await engine.close();
}

async function poll({ seats }: SeatsEngine, opened: number, closed: number): Promise<void> {
  const [polled] = await seats.poller.pollNow();
  if (polled?.kind !== 'heard') throw new Error(`the poll came to nothing: ${JSON.stringify(polled)}`);
  if (polled.opened.length !== opened || polled.closed.length !== closed) {
    throw new Error(
      `${polled.opened.length} opened and ${polled.closed.length} closed, which is not what happened`,
    );
  }
}

/** One handful of sections after the other opens, and the one before it closes. */
function turnsOf(closed: readonly string[], { switch: turn }: Outside) {
  let turns = 0;
  const handful = (number: number) => closed.slice(number * moving, (number + 1) * moving);
  return {
    async next() {
      await turn({ open: handful(turns), close: turns === 0 ? [] : handful(turns - 1) });
      turns += 1;
    },
  };
}

/** Fifteen seconds pass between two polls, and nobody waits for them. */
function leapingClock(): Clock & { leap(): void } {
  let aheadMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    leap() {
      aheadMs += 15_000;
    },
  };
}

function print(name: string, all: readonly Taken[]): void {
  const cpu = spreadOf(all.map(({ cpuMs }) => cpuMs));
  const wall = spreadOf(all.map(({ wallMs }) => wallMs));
  console.log(
    `  ${name.padEnd(42)} ${ms(cpu.p50)} and ${ms(cpu.worst)} of ${all.length} (${ms(wall.p50)} and ${ms(wall.worst)})   ${verdict(cpu.worst, boundMs, 'ms of processor time, the worst')}`,
  );
}

function ms(number: number): string {
  return number.toFixed(1).padStart(6);
}
