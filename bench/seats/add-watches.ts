import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { numbers } from '../support/numbers.ts';

/** So many confirmed watches of one section, in one statement; half of them with hours in which mail is welcome. */
export async function addWatches(
  db: Database,
  { termId, index, count }: { termId: string; index: string; count: number },
): Promise<void> {
  const name = sql.lit(`${termId}-${index}`);
  await sql`
    INSERT INTO subscriptions (term_id, campus_code, index_number, contact_type, contact_value, contact_hash, status,
      window_start_minutes, window_end_minutes, token_id, verified_at, created_at, updated_at)
    SELECT ${sql.lit(termId)}, 'NB', ${sql.lit(index)}, 'email', ${name} || CASE WHEN n > 1 THEN '-' || n ELSE '' END || '@example.org',
      ${name} || '-' || n, 'active', CASE WHEN n % 2 = 0 THEN 60 END, CASE WHEN n % 2 = 0 THEN 1200 END,
      ${name} || '-token-' || n, 1, 1, 1
    FROM ${numbers(db, count)}
  `.execute(db.write);
}
