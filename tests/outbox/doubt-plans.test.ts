import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { createOutboxMetrics } from '../../src/http/outbox-metrics.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { planOf } from '../support/plan-of.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

/** What is asked every few seconds about doubts reads by an index that holds little else, on a table that holds much else. */
const finished = 20_000;

onBothDatabases('looking for doubts and lost words', (dialect) => {
  let world: World;
  let db: Database;
  let outbox: Outbox;
  let queries: OutboxQueries;
  let seen: { sql: string; parameters: readonly unknown[] }[] = [];
  beforeAll(async () => {
    world = await createWorld(dialect);
    const onStatement = (statement: (typeof seen)[number]) => seen.push(statement);
    db = await openDatabase(world.url, { clock: systemClock, log: silentLog, onStatement });
    const namespace = await readNamespace(db);
    const listeners = { consent: async () => {}, source: () => undefined };
    outbox = createOutbox({ db, clock: systemClock, log: silentLog, namespace, listeners });
    queries = createQueries(db);
    await outbox.enqueue(Array.from({ length: finished }, (_, number) => intentNumber(number)));
    await sql`UPDATE deliveries SET status = 'sent', sent_at = 1, due_at = NULL, evidence = 5`.execute(
      db.write,
    );
    await sql`UPDATE deliveries SET due_at = seq WHERE seq % 500 = 0`.execute(db.write);
    await sql`UPDATE deliveries SET evidence = 0 WHERE seq % 1000 = 0`.execute(db.write);
    await sql`
      UPDATE deliveries SET status = 'reconciling', first_possible_accept_at = 1, due_at = 1 WHERE seq % 1000 = 1
    `.execute(db.write);
    await sql`
      UPDATE deliveries SET status = 'needs_review', first_possible_accept_at = 1, due_at = NULL WHERE seq % 1000 = 2
    `.execute(db.write);
    if (db.dialect === 'postgres') await sql.raw('ANALYZE').execute(db.write);
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  async function plansOf(work: () => Promise<unknown>): Promise<string> {
    seen = [];
    await work();
    const statements = seen.filter(({ sql: text }) => /^\s*(UPDATE|SELECT)[\s\S]*\bdeliveries\b/i.test(text));
    const lines: string[] = [];
    for (const statement of statements) lines.push(...(await planOf(db, statement)));
    expect(lines.length).toBeGreaterThan(0);
    return lines.join('\n');
  }

  // A partial index may be read from end to end: it holds what is open.
  const wholeTable =
    /Seq Scan on deliveries|SCAN deliveries(?! USING INDEX deliveries_(claimable|in_hand|suspect))/;

  it('what has had no word of its fate', async () => {
    const plan = await plansOf(() => outbox.unconfirmed({ limit: 10, holdMs: 1 }));
    expect(plan).toContain('deliveries_unconfirmed');
    expect(plan).not.toMatch(wholeTable);
    expect(await plansOf(() => outbox.lookAgain([500, 1_500]))).not.toMatch(wholeTable);
  });

  it('what is said to be sent', async () => {
    const plan = await plansOf(() => queries.unproven(systemClock.now(), { sentAt: 1, seq: 3_000 }, 10));
    expect(plan).toContain('deliveries_unproven');
    expect(plan).not.toMatch(wholeTable);
    const { rows, next } = await queries.unproven(systemClock.now(), { sentAt: 1, seq: 3_000 }, 10);
    expect([rows[0]?.seq, next?.seq]).toEqual([4_000, 13_000]);
  });

  it('what is held, and by whom', async () => {
    const plan = await plansOf(() => queries.held(['claimed', 'sending', 'reconciling']));
    expect(plan).toContain('deliveries_in_hand');
    expect(plan).not.toMatch(wholeTable);
    await sql`UPDATE deliveries SET locked_by = 'w', due_at = seq WHERE seq IN (1, 1001)`.execute(db.write);
    expect(await queries.held(['reconciling'])).toEqual([{ worker: 'w', count: 2, until: 1_001 }]);
    expect(await queries.held(['claimed', 'sending'])).toEqual([]);
  });

  it('what an operator has looked into now', async () => {
    const order = { worker: 'w', limit: 5, leaseMs: 1, walk: { above: 0, isEarly: true } };
    const plan = await plansOf(() => outbox.takeUp(order));
    expect(plan).toContain('deliveries_in_hand');
    expect(plan).not.toMatch(wholeTable);
  });

  it('what the metrics say', async () => {
    const parts = { db, clock: systemClock, queries, sources: [plainSource], provider: createFakeProvider() };
    const metrics = createOutboxMetrics({ ...parts, pauses: createPauses(db, systemClock) });
    const plan = await plansOf(metrics);
    expect(plan).toContain('deliveries_in_hand');
    expect(plan).toContain('deliveries_listed');
    expect(plan).not.toMatch(wholeTable);
  });
});
