import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../src/db/database.ts';
import { systemClock as clock } from '../src/std/clock.ts';
import { silentLog as log } from '../src/std/log.ts';
import { addWatches } from './seats/add-watches.ts';
import { type Outside, startOutside, type Told } from './seats/outside.ts';
import { startServing } from './seats/serve.ts';
import { timesOfOpenings } from './seats/virtual-openings.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { type Spread, spreadOf } from './support/spread.ts';
import { verdict } from './support/verdict.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How long is it from a seat that is free to the mail with the provider? First on a clock of its own, with the cadence by which the
 * feed is asked; then the engine's own share of it, in real time: `tidings serve`, a campus of real size and a provider over real
 * sockets, from the last octet of the list that shows an opening to the last octet of the mail. Fails over the bounds.
 */
const sections = 16_000;
const openings = 200;
const averageBoundS = 30;
const worstBoundS = 60;
const shareBoundMs = 1_000;
/** Of every term one section opens between two polls: about four times as many openings a minute as there are terms. */
const perTerm = rowsWanted({ usual: 10, least: 1 });
const waitMs = 600_000;

console.error(`${openings} openings on a clock of their own …`);
console.log(
  `\nFrom an opening to the provider, ${openings} openings at ${sections} sections, in s of a clock that nobody waits for`,
);
for (const [name, cachedMs] of [
  ['the feed answers with what is so', 0],
  ['the feed answers from a cache of 30 s', 30_000],
] as const) {
  const times = await timesOfOpenings({ openings, sections, cachedMs });
  const spread = spreadOf(times.map((ms) => ms / 1000));
  const judged = `${verdict(spread.average, averageBoundS, 's on average')}, ${verdict(spread.worst, worstBoundS, 's the worst')}`;
  console.log(`  ${name.padEnd(38)} ${figures(spread, 1)}   ${judged}`);
}

const year = new Date(clock.now()).getUTCFullYear() + 1;
const termIds = ['0', '1', '7', '9'].map((season) => `${season}${year}`);
await withDatabases(1, async (kinds) => {
  for (const { title, urls } of kinds) {
    const times = await shareOn(title, urls[0] ?? '');
    const spread = spreadOf(times);
    console.log(
      `\n${title}: the engine's own share of it, ${times.length} openings, \`tidings serve\`, in ms`,
    );
    console.log(
      `  ${'from the list to the mail'.padEnd(38)} ${figures(spread, 0)}   ${verdict(spread.worst, shareBoundMs, 'ms the worst')}`,
    );
  }
});

async function shareOn(title: string, databaseUrl: string): Promise<number[]> {
  const outside = await startOutside({ termIds, sections, openingEveryMs: null });
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const serving = await startServing(settingsOf(databaseUrl, outside), folder);
  const db = await openDatabase(databaseUrl, { clock, log });
  try {
    console.error(`${title}: the catalogs of ${termIds.length} terms are read …`);
    await until(async () => (await catalogsRead(db)) === termIds.length * 3);
    const byTerm = closedInOne(outside);
    for (const [termId, indexes] of Object.entries(byTerm)) {
      for (const index of indexes) await addWatches(db, { termId, index, count: 1 });
    }
    console.error(`${title}: ${perTerm} sections of each term open, one by one, at the pace of the polls …`);
    await outside.openOneByOne(byTerm);
    let told: Told[] = [];
    await until(async () => {
      told = await outside.told();
      return told.length >= termIds.length * perTerm;
    });
    const names = new Set(told.map(({ name }) => name));
    if (names.size !== told.length) throw new Error('somebody was told twice');
    return told.map(({ ms }) => ms);
  } finally {
    await db.close();
    await serving.stop();
    await outside.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** So many of each term, closed in all: the sample campus opens an index in every term that has it. */
function closedInOne({ closed }: Outside): Record<string, string[]> {
  const taken = new Set<string>();
  return Object.fromEntries(
    termIds.map((termId) => {
      const indexes = (closed[termId] ?? []).filter((index) => !taken.has(index)).slice(0, perTerm);
      for (const index of indexes) taken.add(index);
      return [termId, indexes];
    }),
  );
}

function settingsOf(databaseUrl: string, { feedUrl, providerUrl }: Outside): Record<string, string> {
  return {
    ...{ DATABASE_URL: databaseUrl, SOC_BASE_URL: feedUrl, SOC_TERMS: termIds.join(',') },
    ...{
      MAIL_PROVIDER: 'resend',
      RESEND_API_KEY: 're_only_for_the_bench_0123456789',
      RESEND_BASE_URL: providerUrl,
    },
    // The provider's own limit is not the engine's share: two openings of one moment would wait for it.
    ...{ RESEND_MAX_RPS: '100', EMAIL_FROM_ADDRESS: 'bench@example.org' },
    ...{ PLATFORM_BASE_URL: 'http://127.0.0.1:9', TOKEN_SECRET: 'a-secret-for-the-bench-alone-0123456789' },
  };
}

/** Catalogs that were read to their end: their courses have a time only then. */
async function catalogsRead(db: Database): Promise<number> {
  const rows = await db.read
    .selectFrom('courses')
    .select(['term_id', 'campus_code'])
    .where('seen_at', '>', 0)
    .groupBy(['term_id', 'campus_code'])
    .execute();
  return rows.length;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = clock.monotonic() + waitMs;
  while (!(await isSo())) {
    if (clock.monotonic() > giveUpAt) throw new Error(`nothing came of it in ${waitMs / 60_000} minutes`);
    await clock.sleep(1_000);
  }
}

function figures({ p50, p99, worst, average }: Spread, digits: number): string {
  const [middle, most, longest, mean] = [p50, p99, worst, average].map((number) => number.toFixed(digits));
  return `p50 ${middle}   p99 ${most}   worst ${longest}   average ${mean}`;
}
