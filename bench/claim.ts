import { sql } from 'kysely';
import { type Database, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { createOutbox, type Outbox, readNamespace } from '../src/outbox/outbox.ts';
import { systemClock } from '../src/std/clock.ts';
import { systemIds } from '../src/std/ids.ts';
import { silentLog } from '../src/std/log.ts';
import type { GoalName } from './report/goals.ts';
import { report } from './report/result.ts';
import { median } from './support/median.ts';
import { numbers } from './support/numbers.ts';
import { roundsWanted } from './support/rounds-wanted.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * Does a claim get slower as the outbox fills? Three tables in one run, claimed from in turn, so that whatever else the
 * machine does meets all three alike. The medians differ from machine to machine; the ratios should not.
 */
const claims = roundsWanted(21);
const claimSize = 500;
const few = 1_000;
const many = rowsWanted({ usual: 1_000_000, least: few });

const tables = [
  { name: `${few} waiting`, waiting: few, finished: 0 },
  { name: `${many} waiting`, waiting: many, finished: 0 },
  { name: `${few} waiting, ${many} finished`, waiting: few, finished: many },
];

const clock = systemClock;
const measured: Partial<Record<GoalName, number>> = {};
await withDatabases(tables.length, async (kinds) => {
  for (const { title, urls } of kinds) await compare(title, urls);
});
report({ bench: 'claim', rounds: claims, rows: many, measured });

async function compare(title: string, urls: readonly string[]): Promise<void> {
  const opened: { db: Database; outbox: Outbox; times: number[] }[] = [];
  for (const [index, table] of tables.entries()) {
    console.error(`${title}: filling ${table.name} …`);
    const db = await openDatabase(urls[index] ?? '', { clock, log: silentLog });
    await migrate(db, { clock, ids: systemIds });
    await fill(db, table);
    const listeners = { consent: async () => {}, source: () => undefined };
    const outbox = createOutbox({ db, clock, log: silentLog, namespace: await readNamespace(db), listeners });
    opened.push({ db, outbox, times: [] });
  }
  // The first makes everything warm. It is not counted.
  for (let round = 0; round <= claims; round++) {
    for (const { db, outbox, times } of opened) {
      const startedAt = clock.monotonic();
      const batch = await outbox.claim({
        ...{ source: 'plain', worker: 'bench', limit: claimSize, leaseMs: 600_000, from: 'normal' },
      });
      if (round > 0) times.push(clock.monotonic() - startedAt);
      if (batch.length !== claimSize) throw new Error(`claimed ${batch.length} of ${claimSize}`);
      await replace(db, round);
    }
  }
  const base = median(opened[0]?.times ?? []);
  console.log(`\n${title}: median of ${claims} claims of ${claimSize}`);
  for (const [index, { db, times }] of opened.entries()) {
    const name = (tables[index]?.name ?? '').padEnd(34);
    console.log(`  ${name} ${median(times).toFixed(3)} ms   × ${(median(times) / base).toFixed(2)}`);
    await db.close();
  }
  const suffix = title === 'SQLite' ? 'sqlite' : 'postgres';
  measured[`claim/waiting-${suffix}`] = median(opened[1]?.times ?? []) / base;
  measured[`claim/finished-${suffix}`] = median(opened[2]?.times ?? []) / base;
}

/** As many wait as before, behind the others; those that were claimed are gone. */
async function replace(db: Database, round: number): Promise<void> {
  await sql`DELETE FROM deliveries WHERE status = 'claimed'`.execute(db.write);
  await insert(db, {
    occasion: `after ${round}`,
    status: 'pending',
    count: claimSize,
    dueAfter: (round + 2) * many,
  });
}

async function fill(
  db: Database,
  { waiting, finished }: { waiting: number; finished: number },
): Promise<void> {
  if (finished > 0) await insert(db, { occasion: 'old', status: 'sent', count: finished });
  await insert(db, { occasion: 'new', status: 'pending', count: waiting, dueAfter: 0 });
  // SQLite has no statistics where nobody asks for them, and the program does not.
  if (db.dialect === 'postgres') await sql.raw('VACUUM ANALYZE').execute(db.write);
}

interface Rows {
  occasion: string;
  status: 'sent' | 'pending';
  count: number;
  /** None of those that have been sent is due. */
  dueAfter?: number;
}

async function insert(db: Database, { occasion, status, count, dueAfter }: Rows): Promise<void> {
  const id = db.dialect === 'postgres' ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`;
  const columns = sql`id, source, occasion, recipient, lane, status, due_at, sent_at, to_email, created_at`;
  const recipient = sql`'person-' || n || '@example.org'`;
  const dueAt = dueAfter === undefined ? sql`NULL` : sql`n + ${sql.lit(dueAfter)}`;
  const sentAt = status === 'sent' ? sql`1` : sql`NULL`;
  await sql`INSERT INTO deliveries (${columns})
    SELECT ${id}, 'plain', ${sql.lit(occasion)}, ${recipient}, 'normal', ${sql.lit(status)}, ${dueAt}, ${sentAt}, ${recipient}, 1
    FROM ${numbers(db, count)}`.execute(db.write);
}
