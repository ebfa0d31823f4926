import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { statuses, statusNames } from '../../src/domain/status.ts';
import { numbers } from '../support/numbers.ts';

/**
 * A large outbox as one comes to be: newsletters to very many, seats and reviews to few, nearly everything delivered, and
 * some of every other status. What an operator looks for is where it is hardest to find: few rows, among the oldest.
 */
export type Kind = 'mostly finished' | 'all waiting';

/** The first match decides. `n` is the row's number. */
const mix: Record<Kind, readonly [condition: string, status: string][]> = {
  'mostly finished': [
    ['n <= 7', 'expired'],
    ['n IN (11, 12, 13)', 'needs_review'],
    ['n <= 30', 'pending'],
    ['n % 20 = 5 AND n % 400 = 5', 'failed_permanent'],
    ['n % 200 = 7', 'suppressed'],
    ['n % 500 = 9', 'skipped_unsubscribed'],
    ['n % 5000 = 11', 'skipped_no_email'],
    ['n % 5000 = 12', 'skipped_ineligible'],
    ['n % 1000 = 13', 'failed_transient'],
    ['n % 5000 = 14', 'reconciling'],
    ['n % 10000 = 16', 'claimed'],
    ['n % 10000 = 17', 'sending'],
    // All of them old: what a provider without confirmations left behind.
    ['n <= rows * 3 / 10', 'sent'],
    ['n > rows * 97 / 100', 'pending'],
    ['true', 'delivered'],
  ],
  'all waiting': [['true', 'pending']],
};

const columns = {
  source: `CASE WHEN n IN (3, 12, 25, 41, 42) THEN 'rare' WHEN n % 10 = 3 THEN 'reviews' WHEN n % 10 < 3 THEN 'seats' ELSE 'newsletters' END`,
  // One newsletter went to a third of everybody, the others to some thousands each.
  occasion: `CASE WHEN n % 10 = 3 THEN 'change-' || (n / 40) WHEN n % 10 < 3 THEN 'open-' || (n / 100)
    WHEN n < rows / 2 THEN 'weekly-2026-01' ELSE 'weekly-2026-' || (2 + n * 100 / rows) END`,
  recipient: `CASE WHEN n % 50 = 3 THEN 'ops@example.org' WHEN n % 10 < 4 THEN 'person-' || n || '@example.org' ELSE 'user-' || n END`,
  to_email: `CASE WHEN n % 50 = 3 THEN 'Ops@example.org' ELSE 'Person-' || (n % (rows / 4 + 1)) || '@example.org' END`,
  lane: `CASE WHEN n % 10 < 3 THEN 'urgent' WHEN n % 10 = 3 THEN 'normal' ELSE 'bulk' END`,
  due_at: `CASE WHEN status IN ('pending', 'claimed', 'sending', 'failed_transient', 'reconciling') THEN n END`,
  locked_by: `CASE WHEN status IN ('claimed', 'sending') THEN 'worker' END`,
  first_possible_accept_at: `CASE WHEN status IN ('sending', 'reconciling', 'needs_review') THEN n END`,
  sent_at: `CASE WHEN status IN ('sent', 'delivered') THEN n END`,
  provider_message_id: `CASE WHEN status IN ('sent', 'delivered') THEN 'message-' || n END`,
  last_error: `CASE WHEN status = 'failed_permanent' THEN CASE WHEN n < 2000 THEN '{"code":"body_too_big"}' ELSE '{"code":"refused"}' END END`,
  created_at: 'n',
} as const;

export async function fill(db: Database, kind: Kind, rows: number): Promise<void> {
  const status = `CASE ${mix[kind].map(([when, then]) => `WHEN ${when} THEN '${then}'`).join(' ')} END`;
  const written = (text: string) => sql.raw(text.replaceAll(/\brows\b/g, String(rows)));
  const id = db.dialect === 'postgres' ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`;
  const values = Object.values(columns).map(written);
  // In parts: a database that says nothing for a minute is taken for one that is gone.
  for (let from = 1; from <= rows; from += partMax) {
    const to = Math.min(rows, from + partMax - 1);
    await sql`
      INSERT INTO deliveries (id, status, ${sql.raw(Object.keys(columns).join(', '))})
      SELECT ${id}, status, ${sql.join(values)} FROM (SELECT n, ${written(status)} AS status FROM ${numbers(db, to, from)}) AS mixed
    `.execute(db.write);
  }
  const open = statusNames.filter((name) => !statuses[name].isFinal).map((name) => sql.lit(name));
  await sql`
    INSERT INTO delivery_counts (source, heading, delta)
    SELECT source, CASE WHEN status IN (${sql.join(open)}) THEN 'open' ELSE status END, count(*) FROM deliveries GROUP BY source, 2
  `.execute(db.write);
  // SQLite has no statistics where nobody asks for them, and the program does not.
  if (db.dialect === 'postgres') await sql.raw('VACUUM ANALYZE').execute(db.write);
}

const partMax = 100_000;
