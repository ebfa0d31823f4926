import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { SectionDetails } from '../catalog/catalog.ts';
import { readSections } from '../catalog/section-details.ts';
import { readBelieved } from '../subscriptions/section-beliefs.ts';
import { readSince } from './since.ts';

/** A section that somebody watches: what it is, how it stands, and how many wait for it. */
export interface WatchedSection {
  termId: string;
  campusCode: string;
  indexNumber: string;
  /** Undefined for an index that no catalog knows. */
  section: SectionDetails | undefined;
  status: SectionStatus;
  /** Since when it stands so, where that was seen. */
  since: number | null;
  /** Those who are told when it opens, and those who have not confirmed their address. */
  watching: number;
  unconfirmed: number;
}

export interface SectionOverview extends WatchedSection {
  watches: Readonly<Record<SubscriptionStatus, number>>;
}

export interface WatchedOrder {
  termId?: string | undefined;
  after?: { termId: string; indexNumber: string } | undefined;
  limit: number;
}

interface Counted {
  term_id: string;
  index_number: string;
  campus_code: string;
  watching: number | string;
  unconfirmed: number | string;
}

const countOf = (status: SubscriptionStatus) =>
  sql`SUM(CASE WHEN status = ${sql.lit(status)} THEN 1 ELSE 0 END)`;

/** The condition on the status is that of the index by section, word for word: the page ends where its last section does. */
export async function readWatchedPage(
  db: Database,
  { termId, after, limit }: WatchedOrder,
): Promise<WatchedSection[]> {
  const which =
    termId === undefined
      ? sql`(term_id, index_number) > (${after?.termId ?? ''}, ${after?.indexNumber ?? ''})`
      : sql`term_id = ${termId} AND index_number > ${after?.indexNumber ?? ''}`;
  const { rows } = await sql<Counted>`
    SELECT term_id, index_number, MIN(campus_code) AS campus_code, ${countOf('active')} AS watching,
      ${countOf('pending')} AS unconfirmed
    FROM subscriptions WHERE status IN ('active', 'pending') AND ${which}
    GROUP BY term_id, index_number ORDER BY term_id, index_number LIMIT ${limit}
  `.execute(db.read);
  return withBeliefs(db, rows);
}

export async function readWatchedSection(
  db: Database,
  termId: string,
  indexNumber: string,
): Promise<SectionOverview | undefined> {
  const where = sql`term_id = ${termId} AND index_number = ${indexNumber}`;
  const { rows } = await sql<{ status: SubscriptionStatus; campus_code: string; count: number | string }>`
    SELECT status, MIN(campus_code) AS campus_code, COUNT(*) AS count FROM subscriptions
    WHERE ${where} AND status IN ('active', 'pending') GROUP BY status
    UNION ALL SELECT status, MIN(campus_code) AS campus_code, COUNT(*) AS count FROM subscriptions
    WHERE ${where} AND status IN ('paused', 'suppressed', 'unsubscribed') GROUP BY status
  `.execute(db.read);
  const none = { pending: 0, active: 0, paused: 0, suppressed: 0, unsubscribed: 0 };
  const watches = {
    ...none,
    ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
  };
  const campus = rows[0]?.campus_code ?? (await campusInEvents(db, termId, indexNumber));
  const counted = { watching: watches.active, unconfirmed: watches.pending };
  const named = { term_id: termId, index_number: indexNumber, campus_code: campus ?? '', ...counted };
  const [found] = await withBeliefs(db, [named]);
  const isKnown = found?.section !== undefined || campus !== undefined;
  return found && isKnown ? { ...found, watches } : undefined;
}

/** Of an index that no catalog knows, and that nobody watches any more: what was seen of it says where it is. */
async function campusInEvents(db: Database, termId: string, indexNumber: string) {
  const event = await db.read
    .selectFrom('open_events')
    .select('campus_code')
    .where('term_id', '=', termId)
    .where('index_number', '=', indexNumber)
    .orderBy('open_event_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event?.campus_code;
}

async function withBeliefs(db: Database, rows: readonly Counted[]): Promise<WatchedSection[]> {
  if (rows.length === 0) return [];
  const input = rowsOf(
    db.dialect,
    { term_id: 'text', index_number: 'text' },
    rows.map(({ term_id, index_number }) => ({ term_id, index_number })),
  );
  const sections = await readSections(
    db,
    sql`(sections.term_id, sections.index_number) IN (SELECT term_id, index_number FROM ${input})`,
  );
  const sectionOf = new Map(sections.map((one) => [`${one.termId} ${one.indexNumber}`, one]));
  const keys = rows.map(({ term_id, index_number, campus_code }) => ({
    ...{ termId: term_id, indexNumber: index_number },
    campusCode: sectionOf.get(`${term_id} ${index_number}`)?.campusCode ?? campus_code,
  }));
  const believed = await readBelieved(db.read, db.dialect, keys);
  const sinceOf = await readSince(db, keys);
  return rows.map((row, at) => {
    const key = keys[at] ?? { termId: '', indexNumber: '', campusCode: '' };
    const status = believed(key);
    return {
      ...{ ...key, section: sectionOf.get(`${row.term_id} ${row.index_number}`), status },
      ...{
        since: sinceOf(key, status),
        watching: Number(row.watching),
        unconfirmed: Number(row.unconfirmed),
      },
    };
  });
}
