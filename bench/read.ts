import { openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { createQueries, type DeliveryFilter, type OutboxQueries } from '../src/outbox/queries.ts';
import { systemClock } from '../src/std/clock.ts';
import { systemIds } from '../src/std/ids.ts';
import { silentLog } from '../src/std/log.ts';
import { fill, type Kind } from './read/fill.ts';
import { median } from './support/median.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How long does it take to read a large outbox? Every list, search and count that is offered, from the call to the rows in
 * hand: the first page, one from the middle and the last. One that is over the bound ends the program with an error.
 */
const rows = rowsWanted({ usual: 1_000_000, least: 10_000 });
const times = 20;
const boundMs = 100;
const limit = 50;
const clock = systemClock;

type Filter = Omit<DeliveryFilter, 'limit' | 'below'>;
const lists: Record<string, Filter> = {
  everything: {},
  'status delivered': { status: ['delivered'] },
  'status sent (all old)': { status: ['sent'] },
  'status expired (7, the oldest)': { status: ['expired'] },
  'needs_review or failed_permanent': { status: ['needs_review', 'failed_permanent'] },
  'source newsletters': { source: 'newsletters' },
  'source rare (5 rows)': { source: 'rare' },
  'source rare, delivered': { source: 'rare', status: ['delivered'] },
  'source seats, failed_permanent': { source: 'seats', status: ['failed_permanent'] },
  'failed_permanent by error code': { status: ['failed_permanent'], errorCode: 'body_too_big' },
  'failed_permanent by time': { status: ['failed_permanent'], createdAfter: 100, createdBefore: 900 },
  'delivered by time (all old)': { status: ['delivered'], createdBefore: 900 },
  'occasion of a third of all': { occasion: 'weekly-2026-01' },
  'that occasion, expired': { occasion: 'weekly-2026-01', status: ['expired'] },
  'that occasion, suppressed': { occasion: 'weekly-2026-01', status: ['suppressed'] },
  'that occasion, another source': { occasion: 'weekly-2026-01', source: 'seats' },
  'occasion of a few': { occasion: 'open-77' },
  'occasion that begins weekly-': { occasionPrefix: 'weekly-' },
  'occasion that begins change-99': { occasionPrefix: 'change-99' },
  'address, few rows': { address: 'person-77@example.org' },
  'address, very many rows': { address: 'ops@example.org' },
  'that address, expired': { address: 'ops@example.org', status: ['expired'] },
  'that address, newsletters (none)': { address: 'ops@example.org', source: 'newsletters' },
  'address that begins Person-77': { addressPrefix: 'Person-77' },
  'address that begins p': { addressPrefix: 'p' },
  'address that begins p, expired': { addressPrefix: 'p', status: ['expired'] },
  'recipient, one row': { recipient: 'user-77' },
  'recipient, very many rows': { recipient: 'ops@example.org' },
  'recipient that begins user-77': { recipientPrefix: 'user-77' },
  'recipient that begins u, sent': { recipientPrefix: 'u', status: ['sent'] },
  'recipient that begins x (none)': { recipientPrefix: 'x' },
};
const pages: Record<string, number | undefined> = { first: undefined, middle: rows / 2, last: 60 };

let isSlow = false;
await withDatabases(2, async (kinds) => {
  for (const { title, urls } of kinds) {
    await measure(title, urls[0] ?? '', 'mostly finished', async (queries) => {
      for (const [name, filter] of Object.entries(lists)) await timeList(queries, name, filter);
      await timeOthers(queries);
    });
    await measure(title, urls[1] ?? '', 'all waiting', async (queries) => {
      await timeList(queries, 'status pending', { status: ['pending'] });
      await timeList(queries, 'source seats', { source: 'seats' });
      await timeOthers(queries);
    });
  }
});
if (isSlow) {
  console.log(`\nSlower than ${boundMs} ms: see the lines marked with !`);
  process.exitCode = 1;
}

async function measure(
  title: string,
  url: string,
  kind: Kind,
  work: (queries: OutboxQueries) => Promise<void>,
): Promise<void> {
  console.error(`${title}: filling ${rows}, ${kind} …`);
  const db = await openDatabase(url, { clock, log: silentLog });
  await migrate(db, { clock, ids: systemIds });
  await fill(db, kind, rows);
  console.log(`\n${title}, ${rows} deliveries, ${kind}: median and worst of ${times}, in ms`);
  await work(createQueries(db));
  await db.close();
}

async function timeList(queries: OutboxQueries, name: string, filter: Filter): Promise<void> {
  const cells: string[] = [];
  for (const [page, below] of Object.entries(pages)) {
    const asked = { ...filter, limit, ...(below !== undefined && { below }) };
    let found = 0;
    const took = await timed(async () => {
      found = (await queries.page(asked)).rows.length;
    });
    cells.push(`${page} ${String(found).padStart(2)} rows ${took}`);
  }
  print(name, cells);
}

async function timeOthers(queries: OutboxQueries): Promise<void> {
  print('counts', [await timed(() => queries.counts())]);
  print('how far behind', [await timed(() => queries.oldestDueAt('newsletters'))]);
  print('one by its key', [await timed(() => queries.find('newsletters:weekly-2026-01:user-77'))]);
  print('one that is not there', [await timed(() => queries.find('a:b:c:d:e:f:g:h:i'))]);
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const startedAt = clock.monotonic();
    await work();
    took.push(clock.monotonic() - startedAt);
  }
  const worst = Math.max(...took);
  // One pause of a shared machine is not the statement's.
  const isOver = median(took) > boundMs;
  isSlow ||= isOver;
  return `${median(took).toFixed(1).padStart(6)} ${worst.toFixed(1).padStart(6)}${isOver ? ' !' : '  '}`;
}

function print(name: string, cells: readonly string[]): void {
  console.log(`  ${name.padEnd(34)} ${cells.join('  ')}`);
}
