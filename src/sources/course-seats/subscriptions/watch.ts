import { sql } from 'kysely';
import type { Tokens } from '../../../consent/token.ts';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { readSections } from '../catalog/section-details.ts';
import { termEndsAt } from '../term.ts';
import { preferencesOf } from './preferences.ts';
import { readBelieved } from './section-beliefs.ts';
import type { Watch } from './subscriptions.ts';

/** A watch as its owner sees it. */
export async function showWatches(
  db: Database,
  tokens: Pick<Tokens, 'of'>,
  rows: readonly SubscriptionRow[],
  now: number,
): Promise<Watch[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ term_id, index_number }) => ({ term_id, index_number }));
  const input = rowsOf(db.dialect, { term_id: 'text', index_number: 'text' }, keys);
  const sections = await readSections(
    db,
    sql`(sections.term_id, sections.index_number) IN (SELECT term_id, index_number FROM ${input})`,
  );
  const sectionOf = new Map(sections.map((one) => [`${one.termId} ${one.indexNumber}`, one]));
  const named = rows.map((row) => ({
    ...{ termId: row.term_id, campusCode: row.campus_code, indexNumber: row.index_number },
  }));
  const believed = await readBelieved(db.read, db.dialect, named);
  return rows.map((row) => {
    const where = { termId: row.term_id, campusCode: row.campus_code, indexNumber: row.index_number };
    return {
      ...{ subscriptionId: row.subscription_id, token: tokens.of(row.token_id), ...where },
      section: sectionOf.get(`${row.term_id} ${row.index_number}`),
      ...{ status: row.status, sectionStatus: believed(where), locale: row.locale },
      ...{ preferences: preferencesOf(row), notificationsSent: row.notifications_sent },
      ...{ undoUntil: undoUntil(row, now), createdAt: row.created_at },
    };
  });
}

/** As long as consent's own undo. */
export const undoWithinMs = 24 * 3_600_000;

/** Until when leaving can be taken back; null where it cannot, because it is too late or the watch ended by itself. */
export function undoUntil(
  row: Pick<SubscriptionRow, 'status' | 'left_at' | 'status_before_leaving' | 'contact_value' | 'term_id'>,
  now: number,
): number | null {
  if (row.status !== 'unsubscribed' || row.left_at === null) return null;
  if (row.status_before_leaving === null || row.contact_value === null) return null;
  const until = Math.min(row.left_at + undoWithinMs, termEndsAt(row.term_id) ?? Number.POSITIVE_INFINITY);
  return now <= until ? until : null;
}
