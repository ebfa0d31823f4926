import { sql } from 'kysely';
import { type Database, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { createOutbox, type Outbox, readNamespace } from '../src/outbox/outbox.ts';
import { systemClock } from '../src/std/clock.ts';
import { systemIds } from '../src/std/ids.ts';
import { silentLog } from '../src/std/log.ts';
import { median } from './support/median.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * Does a claim get slower as the outbox fills? Three tables in one run, claimed from in turn, so that whatever else the
 * machine does meets all three alike. The medians differ from machine to machine; the ratios should not.
 */
const claims = 45;
const claimSize = 20;
const few = 1000;
const many = rowsWanted({ usual: 1_000_000, least: claims * claimSize });

const tables = [
  { name: `${few} waiting`, waiting: few, finished: 0 },
  { name: `${many} waiting`, waiting: many, finished: 0 },
  { name: `${few} waiting, ${many} finished`, waiting: few, finished: many },
];

const clock = systemClock;
await withDatabases(tables.length, async (kinds) => {
  for (const { title, urls } of kinds) await compare(title, urls);
});

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
  for (let round = 0; round < claims; round++) {
    for (const { outbox, times } of opened) {
      const startedAt = clock.monotonic();
      const batch = await outbox.claim({
        source: 'plain',
        worker: 'bench',
        limit: claimSize,
        leaseMs: 600_000,
        from: 'normal',
      });
      times.push(clock.monotonic() - startedAt);
      if (batch.length !== claimSize) throw new Error(`claimed ${batch.length} of ${claimSize}`);
    }
  }
  const base = median(opened[0]?.times ?? []);
  console.log(`\n${title}: median of ${claims} claims of ${claimSize}`);
  for (const [index, { db, times }] of opened.entries()) {
    const name = (tables[index]?.name ?? '').padEnd(34);
    console.log(`  ${name} ${median(times).toFixed(3)} ms   × ${(median(times) / base).toFixed(2)}`);
    await db.close();
  }
}

async function fill(
  db: Database,
  { waiting, finished }: { waiting: number; finished: number },
): Promise<void> {
  const numbers = (count: number) =>
    db.dialect === 'postgres'
      ? sql`generate_series(1, ${sql.lit(count)}) AS n(n)`
      : sql`(WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${sql.lit(count)}) SELECT n FROM n)`;
  const id = db.dialect === 'postgres' ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`;
  const columns = sql`id, source, occasion, recipient, lane, status, due_at, sent_at, to_email, created_at`;
  const recipient = sql`'person-' || n || '@example.org'`;
  if (finished > 0) {
    await sql`INSERT INTO deliveries (${columns}) SELECT ${id}, 'plain', 'old', ${recipient}, 'normal', 'sent', NULL, 1, ${recipient}, 1 FROM ${numbers(finished)}`.execute(
      db.write,
    );
  }
  await sql`INSERT INTO deliveries (${columns}) SELECT ${id}, 'plain', 'new', ${recipient}, 'normal', 'pending', n, NULL, ${recipient}, 1 FROM ${numbers(waiting)}`.execute(
    db.write,
  );
  // SQLite has no statistics where nobody asks for them, and the program does not.
  if (db.dialect === 'postgres') await sql.raw('VACUUM ANALYZE').execute(db.write);
}
