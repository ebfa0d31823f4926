import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { numbers } from '../support/numbers.ts';

/**
 * What the console's pages about sources are of: watches of a whole campus, a month of openings and closings, and a run to very many of whom
 * a few were left out.
 */
const filledRun = '00000000-0000-4000-8000-00000000f111';
const term = '12027';
const monthMs = 30 * 86_400_000;

/** Every list of theirs, as the browser asks for it: first pages, and last ones. */
export const sourceLists: readonly string[] = [
  '/api/v1/seats/overview',
  ...['hour', 'day', 'week'].map((span) => `/api/v1/seats/overview/history?span=${span}`),
  '/api/v1/seats/overview/sections?limit=25',
  `/api/v1/seats/overview/sections?limit=25&afterTerm=${term}&after=29900`,
  `/api/v1/seats/overview/sections?limit=25&term=${term}&after=29900`,
  `/api/v1/seats/overview/sections/${term}/12345`,
  '/api/v1/seats/overview/events',
  '/api/v1/seats/overview/events?below=30',
  `/api/v1/seats/overview/events?term=${term}&index=12345`,
  ...['', 'state=left_out', 'after=n-9', 'state=left_out&after=n-9'].map(
    (query) => `/api/v1/notifications/runs/${filledRun}/items?limit=50&${query}`,
  ),
];

export async function fillSources(db: Database, rows: number, now: number): Promise<void> {
  const index = sql`CAST(10000 + n % 20000 AS TEXT)`;
  const few = Math.floor(rows / 10);
  await sql`
    INSERT INTO subscriptions (term_id, campus_code, index_number, contact_type, contact_hash, status, token_id, created_at, updated_at)
    SELECT ${term}, 'NB', ${index}, 'email', 'hash-' || n,
      CASE n % 5 WHEN 0 THEN 'unsubscribed' WHEN 1 THEN 'pending' ELSE 'active' END, 'token-' || n, n, n FROM ${numbers(db, few)}
  `.execute(db.write);
  const event = (at: number) => sql.lit(new Date(at).toISOString());
  // Thirty days in thirty steps: how a moment is written down differs between the databases.
  const days = Array.from(
    { length: 30 },
    (_, day) => sql`WHEN ${sql.lit(day)} THEN ${event(now - day * (monthMs / 30) - 60_000)}`,
  );
  await sql`
    INSERT INTO open_events (term_id, campus_code, index_number, status_before, status_after, seat_delta, event_at, detected_by, dedupe_key, trace_id, payload)
    SELECT ${term}, 'NB', ${index}, CASE n % 2 WHEN 0 THEN 'Open' ELSE 'Closed' END, CASE n % 2 WHEN 0 THEN 'Closed' ELSE 'Open' END,
      CASE n % 2 WHEN 0 THEN -1 ELSE 1 END, CASE n % 30 ${sql.join(days, sql` `)} END, 'open_sections', 'key-' || n, 'trace',
      '{"courseTitle":"Course","courseString":"01:198:111","sectionNumber":"01"}' FROM ${numbers(db, few)}
  `.execute(db.write);
  await sql`
    INSERT INTO notification_runs (run_id, notification_type, period_key, status, eligible_count, created_by, created_at, updated_at, trace_id)
    VALUES (${filledRun}, 'newsletter_entity_monthly', '2026-10', 'running', ${sql.lit(2 * few)}, 'bench', 1, 1, 'trace')
  `.execute(db.write);
  await sql`
    INSERT INTO notification_run_items (run_id, notification_id, place, user_id, period_key, state, reason, delivery_seq)
    SELECT ${filledRun}, 'n-' || n, n, 'user-' || n, '2026-10', CASE WHEN n % 5000 = 7 THEN 'left_out' ELSE 'composed' END,
      CASE WHEN n % 5000 = 7 THEN 'by_user' END, n FROM ${numbers(db, 2 * few)}
  `.execute(db.write);
}
