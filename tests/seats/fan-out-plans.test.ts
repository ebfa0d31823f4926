import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createOpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { closing, createEventsWorld, type EventsWorld } from './events-world.ts';
import { index, termId } from './seats-world.ts';

onBothDatabases('the plans of the seats’ hot statements', (dialect) => {
  let world: EventsWorld;
  let db: Database;
  let seen: Statement[] = [];
  beforeEach(async () => {
    world = await createEventsWorld(dialect);
    db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    await addMany();
  });
  afterEach(async () => {
    await db.close();
    await world.close();
  });

  it('a page of the fan-out reads watchers by their index, from where the last page ended', async () => {
    await world.opens();
    const outbox = await outboxOf();
    seen = [];
    await world.fanOutWith({ db, outbox }).runOnce();
    const [watchers, ...more] = seen.filter(({ sql: text }) => /AS watching/.test(text));
    expect(more).toEqual([]);
    const plan = await planNow(watchers);
    expect(plan).toMatch(/subscriptions_watching/);
    expect(plan).toMatch(
      dialect === 'sqlite' ? /index_number=\? AND subscription_id>\?/ : /subscription_id > /,
    );
    expect(plan).not.toMatch(/Seq Scan on subscriptions|SCAN (watching|watcher)/);
    // Rows come in the order of the index: sorting them would read all of them for every page.
    expect(plan).not.toMatch(/Sort|TEMP B-TREE/);
  });

  it('a closing finds its watchers, and those who rest, by their indexes', async () => {
    const outbox = await outboxOf();
    const events = createOpenEvents({ db, outbox, clock: world.clock, ids: systemIds, log: silentLog });
    seen = [];
    const edges = [closing()];
    const at = world.clock.now();
    await db.transaction((tx) =>
      events.record(tx, {
        ...{ list: { termId, campusCode: 'NB' }, edges, detectedBy: 'open_sections', snapshot: null },
        ...{ traceId: 't', at },
      }),
    );
    const plans = await Promise.all(
      seen.filter(({ sql: text }) => /UPDATE subscriptions/.test(text)).map(planNow),
    );
    expect(plans).toHaveLength(2);
    expect(plans[0]).toMatch(/subscriptions_watching/);
    expect(plans[1]).toMatch(/subscriptions_resting/);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on subscriptions|SCAN subscriptions/);
  });

  it('an occasion is removed by the index of occasions', async () => {
    const outbox = await outboxOf();
    await outbox.enqueue(
      Array.from({ length: 2_000 }, (_, number) => ({
        ...{
          source: 'course-seats',
          occasion: String(number % 50),
          recipient: String(number),
          lane: 'urgent' as const,
        },
      })),
    );
    if (dialect === 'postgres') await sql`ANALYZE`.execute(db.write);
    seen = [];
    await outbox.remove({ source: 'course-seats', occasions: ['7', '8'], before: 1, limit: 500 });
    const plans = await Promise.all(
      seen.filter(({ sql: text }) => /FROM deliveries|JOIN deliveries/.test(text)).map(planNow),
    );
    expect(plans).toHaveLength(2);
    for (const plan of plans) expect(plan).toMatch(/deliveries_occasion/);
  });

  const outboxOf = async () =>
    createOutbox({
      ...{ db, clock: world.clock, log: silentLog, namespace: await readNamespace(db) },
      listeners: { consent: async () => {}, source: () => undefined },
    });

  async function planNow(statement: Statement | undefined): Promise<string> {
    const settings = seen.map(({ sql: text }) => text).filter((text) => text.startsWith('SET LOCAL'));
    return (await planOf(db, statement, settings)).join('\n');
  }

  /** Five thousand, a third of them at rest: a tenth watches the section that opens, the others each one of their own. */
  async function addMany(): Promise<void> {
    await sql`
      INSERT INTO subscriptions (term_id, campus_code, index_number, contact_type, contact_hash, status, token_id, created_at, updated_at)
      SELECT ${termId}, 'NB', CASE n % 10 WHEN 0 THEN ${index} ELSE '1' || (1000 + n) END, 'email', 'hash-' || n,
        CASE n % 3 WHEN 0 THEN 'paused' ELSE 'active' END, 'many-' || n, 1, 1
      FROM (SELECT a.n * 500 + b.n AS n FROM ${numbers(10, 'a')} CROSS JOIN ${numbers(500, 'b')}) AS people
    `.execute(db.write);
    if (dialect === 'postgres') await sql`ANALYZE`.execute(db.write);
  }

  const numbers = (count: number, name: string) =>
    dialect === 'postgres'
      ? sql`generate_series(1, ${sql.lit(count)}) AS ${sql.ref(name)}(n)`
      : sql`(SELECT value AS n FROM json_each(${JSON.stringify(Array.from({ length: count }, (_, n) => n + 1))})) AS ${sql.ref(name)}`;
});
