import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { seatSourceOf } from './mail-world.ts';
import { createSeatsWorld, payload, type SeatsWorld, termId } from './seats-world.ts';

onBothDatabases('the plans of what every seat mail asks', (dialect) => {
  let world: SeatsWorld;
  let db: Database;
  let source: Source;
  let batch: Claimed[];
  let seen: Statement[] = [];
  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
    await addMany();
    db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    source = seatSourceOf({ ...world, db });
    const order = { source: 'course-seats', worker: 'w', limit: 20, leaseMs: 1000, from: 'urgent' } as const;
    batch = await world.outbox.claim(order);
    seen = [];
  });
  afterEach(async () => {
    await db.close();
    await world.close();
  });

  it('draft', async () => {
    await source.draft(batch);
    await requireKeysOnly(/open_event_notifications|sections/);
  });

  it('recheck', async () => {
    await db.transaction(async (tx) => {
      expect((await source.recheck?.(batch, tx))?.size).toBe(0);
    });
    await requireKeysOnly(/SELECT/);
  });

  it('changed', async () => {
    const facts = batch.map(
      ({ seq, id, occasion, recipient }): Fact => ({
        ...{ kind: 'first_accepted', event: 'accepted', at: 1 },
        delivery: { seq, id, source: 'course-seats', occasion, recipient, toEmail: null, traceId: null },
      }),
    );
    await db.transaction((tx) => source.changed?.(facts, tx) as Promise<void>);
    await requireKeysOnly(/FROM/);
  });

  /** No table is read as a whole, however much has been told by then. */
  async function requireKeysOnly(which: RegExp): Promise<void> {
    const asked = seen.filter(({ sql: text }) => which.test(text) && /^\s*(SELECT|UPDATE)/.test(text));
    expect(asked.length).toBeGreaterThan(0);
    for (const statement of asked) {
      const plan = (await planOf(world.db, statement)).join('\n');
      expect(plan).not.toMatch(/Seq Scan on (?!open_lists)/);
      expect(plan).not.toMatch(/SCAN (?!json_each|input|SUBQUERY|CONSTANT)/);
    }
  }

  /** Six thousand of each, in as many sections, and nothing in the batch that is out of the ordinary. */
  async function addMany(): Promise<void> {
    const numbers =
      dialect === 'sqlite'
        ? sql`(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 6000) SELECT n FROM counted) AS numbers`
        : sql`generate_series(1, 6000) AS numbers(n)`;
    const iso = new Date(world.clock.now()).toISOString();
    const statements = [
      sql`INSERT INTO courses (term_id, campus_code, course_string, supplement_code, offering_campus, subject_code, title, search_words, seen_at)
        SELECT ${termId}, 'NB', 'c-' || n, '', 'NB', '198', 'title', 'title', 1 FROM ${numbers}`,
      sql`INSERT INTO sections (course_id, term_id, campus_code, index_number, section_number, last_known_section_status, meeting_summary, content_hash, seen_at)
        SELECT n, ${termId}, 'NB', '1' || (10000 + n), '01', 'Open', 'TBA', 'h', 1 FROM ${numbers}`,
      sql`INSERT INTO open_list_indexes (term_id, campus_code, index_number, is_open)
        SELECT ${termId}, 'NB', '1' || (10000 + n), 1 FROM ${numbers}`,
      sql`INSERT INTO open_events (term_id, campus_code, index_number, status_before, status_after, seat_delta, event_at, detected_by, dedupe_key, trace_id, payload)
        SELECT ${termId}, 'NB', '1' || (10000 + n), 'Closed', 'Open', 1, ${iso}, 'open_sections', 'd-' || n, 't', ${JSON.stringify(payload)} FROM ${numbers}`,
      sql`INSERT INTO open_event_fanouts (open_event_id, finished_at) SELECT n, 1 FROM ${numbers}`,
      sql`INSERT INTO subscriptions (term_id, campus_code, index_number, contact_type, contact_value, contact_hash, status, token_id, created_at, updated_at)
        SELECT ${termId}, 'NB', '1' || (10000 + n), 'email', 's@example.org', 'h-' || n, 'active', 't-' || n, 1, 1 FROM ${numbers}`,
      sql`INSERT INTO subscription_events (subscription_id, event_type, created_at)
        SELECT n, 'created', ${iso} FROM ${numbers}`,
    ];
    for (const statement of statements) await statement.execute(world.db.write);
    await world.outbox.enqueue(
      Array.from({ length: 6000 }, (_, at) => ({
        ...{ source: 'course-seats', lane: 'urgent' as const },
        ...{ occasion: String(at + 1), recipient: String(at + 1) },
      })),
    );
    if (dialect === 'postgres') await sql`ANALYZE`.execute(world.db.write);
  }
});
