import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Configured } from './feed/active-lists.ts';
import type { ListKey } from './term.ts';

/** Of which campuses and terms a catalog is wanted: those that somebody watches, and those that are configured. */
export function createTermsWanted({ db, configured }: { db: Database; configured: Configured }) {
  return async (): Promise<ListKey[]> => {
    const { rows } = await sql<ListKey>`
      SELECT DISTINCT term_id AS "termId", campus_code AS "campusCode" FROM subscriptions
      WHERE status IN ('pending', 'active', 'paused')
    `.execute(db.read);
    const fixed = configured.termIds.flatMap((termId) =>
      configured.campusCodes.map((campusCode) => ({ termId, campusCode })),
    );
    const all = [...fixed, ...rows];
    return [...new Map(all.map((key) => [`${key.termId} ${key.campusCode}`, key])).values()];
  };
}
