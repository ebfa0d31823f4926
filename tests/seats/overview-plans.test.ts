import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createSeatOverview, type SeatOverview } from '../../src/sources/course-seats/overview/overview.ts';
import { silentLog } from '../../src/std/log.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { createSeatsWorld, isoOf, type SeatsWorld } from './seats-world.ts';

const many = 20_000;
const term = '12026';

onBothDatabases('what the console asks of course seats is found by its keys', (dialect) => {
  let world: SeatsWorld;
  let db: Database;
  let overview: SeatOverview;
  let seen: Statement[] = [];
  beforeAll(async () => {
    world = await createSeatsWorld(dialect);
    await addMany();
    db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    overview = createSeatOverview({ db, clock: world.clock });
  });
  beforeEach(() => {
    seen = [];
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  const after = { termId: term, indexNumber: '15000' };
  const work: [string, () => Promise<unknown>][] = [
    ['the first watched sections', () => overview.sections({ limit: 25 })],
    ['those of the last page', () => overview.sections({ after, limit: 25 })],
    ['those of a term', () => overview.sections({ termId: term, after, limit: 25 })],
    ['one section', () => overview.section(term, '12345')],
    ['the newest events', () => overview.events({ limit: 20 })],
    ['the oldest events', () => overview.events({ below: 15, limit: 20 })],
    [
      'the events of one section',
      () => overview.events({ section: { termId: term, indexNumber: '12345' }, limit: 20 }),
    ],
    ['the last hour', () => overview.history('hour')],
  ];

  test.each(work)('%s', async (_, run) => {
    await run();
    expect(seen.length).toBeGreaterThan(0);
    for (const statement of seen) {
      const plan = (await planOf(world.db, statement)).join('\n');
      // A few lists are polled, and a handful of courses is in the catalog here.
      expect(plan, statement.sql).not.toMatch(/Seq Scan on (?!open_lists|courses|open_event_fanouts)/);
      // Without an index only what has few rows, and events in the order of their own numbers.
      expect(plan, statement.sql).not.toMatch(/^SCAN (?!json_each|input|lists|told|events$)\S+( AS \S+)?$/m);
      // Nobody sorts what is shown a page at a time: that would read all of it.
      if (/ORDER BY/.test(statement.sql)) expect(plan, statement.sql).not.toMatch(/TEMP B-TREE|Sort/);
    }
  });

  async function addMany(): Promise<void> {
    const numbers =
      dialect === 'sqlite'
        ? sql`(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${sql.lit(many)}) SELECT n FROM counted) AS numbers`
        : sql`generate_series(1, ${sql.lit(many)}) AS numbers(n)`;
    const index = sql`CAST(10000 + n % 10000 AS TEXT)`;
    await sql`
      INSERT INTO subscriptions (term_id, campus_code, index_number, contact_type, contact_hash, status, token_id, created_at, updated_at)
      SELECT ${term}, 'NB', ${index}, 'email', 'hash-' || n, CASE n % 5 WHEN 0 THEN 'paused' WHEN 1 THEN 'pending' ELSE 'active' END,
        'many-' || n, 1, 1 FROM ${numbers}
    `.execute(world.db.write);
    await sql`
      INSERT INTO sections (course_id, term_id, campus_code, index_number, section_number, last_known_section_status, meeting_summary, content_hash, seen_at)
      SELECT ${world.courseId}, ${term}, 'NB', ${index}, '01', 'Closed', 'TBA', 'h', 1 FROM ${numbers} WHERE n <= 9999
    `.execute(world.db.write);
    await sql`
      INSERT INTO open_list_indexes (term_id, campus_code, index_number, is_open)
      SELECT ${term}, 'NB', ${index}, n % 2 FROM ${numbers} WHERE n <= 9999
    `.execute(world.db.write);
    await sql`
      INSERT INTO open_events (term_id, campus_code, index_number, status_before, status_after, seat_delta, event_at, detected_by, dedupe_key, trace_id, payload)
      SELECT ${term}, 'NB', ${index}, 'Closed', 'Open', 1, CASE WHEN n < ${sql.lit(many - 50)} THEN ${isoOf(1)} ELSE ${isoOf(world.clock.now())} END,
        'open_sections', 'key-' || n, 't', '{"courseTitle":"T","courseString":"C","sectionNumber":"01"}' FROM ${numbers}
    `.execute(world.db.write);
    await world.outbox.enqueue(
      Array.from({ length: many }, (_, at) => ({
        ...{
          source: 'course-seats',
          occasion: String(at % 500),
          recipient: String(at),
          lane: 'urgent' as const,
        },
      })),
    );
    if (dialect === 'postgres') await sql`ANALYZE`.execute(world.db.write);
  }
});
