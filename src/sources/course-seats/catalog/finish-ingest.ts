import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { forUpdate, rowsOf } from '../../../db/dialect.ts';
import type { ListKey } from '../term.ts';

/** What is done when a catalog was read to its end, and only then: now it also says something that it does not list. */
interface WholeReading extends ListKey {
  startedAt: number;
  now: number;
  /** All indexes that it lists. */
  indexes: ReadonlySet<string>;
  courseIds: Iterable<number>;
}

interface Finished {
  gone: number;
  /** So many are missing that the catalog is doubted, and none was marked. */
  doubted: number;
}

/** More than a tenth, and not just a few: that is a broken answer rather than a decision of a university. */
const doubtedShare = 0.1;
const doubtedAtLeast = 25;

const courseColumns = { course_id: 'number' } as const;
const sectionColumns = { section_id: 'number' } as const;
const numberOf = ({ section_id }: { section_id: number }) => ({ section_id });

export function finishIngest(db: Database, reading: WholeReading): Promise<Finished> {
  const { termId, campusCode, startedAt, now, indexes } = reading;
  return db.transaction(async (tx) => {
    const { rows: present } = await sql<{ section_id: number; index_number: string; seen_at: number }>`
      SELECT section_id, index_number, seen_at FROM sections
      WHERE term_id = ${termId} AND campus_code = ${campusCode} AND gone_at IS NULL
      ORDER BY section_id ${forUpdate(db.dialect)}
    `.execute(tx);
    // What a reading that began after this one has seen is there, whatever this one says.
    const missing = present.filter(
      ({ index_number, seen_at }) => !indexes.has(index_number) && !(seen_at > startedAt && seen_at <= now),
    );
    const isDoubted = missing.length >= doubtedAtLeast && missing.length > present.length * doubtedShare;
    if (missing.length > 0 && !isDoubted) {
      await sql`
        UPDATE sections SET gone_at = ${now} FROM ${rowsOf(db.dialect, sectionColumns, missing.map(numberOf))}
        WHERE sections.section_id = input.section_id
      `.execute(tx);
    }
    // The time of the last whole reading is the latest of these.
    const courses = [...reading.courseIds].sort((a, b) => a - b).map((course_id) => ({ course_id }));
    await sql`
      UPDATE courses SET seen_at = ${startedAt} FROM ${rowsOf(db.dialect, courseColumns, courses)}
      WHERE courses.course_id = input.course_id
    `.execute(tx);
    return isDoubted ? { gone: 0, doubted: missing.length } : { gone: missing.length, doubted: 0 };
  });
}

const resolveMax = 1_000;
const watchColumns = { subscription_id: 'number', section_id: 'number', campus_code: 'text' } as const;

/**
 * Watches of an index that the catalog did not know get their section, and its campus where they had named another. By the tables
 * alone, so that it makes no difference which reading has brought the section, or when it was interrupted.
 */
export async function resolveWatches(db: Database, termId: string, now: number): Promise<number> {
  for (let resolved = 0; ; ) {
    const rows = await db.transaction(async (tx) => {
      const { rows: found } = await sql<{ subscription_id: number; section_id: number; campus_code: string }>`
        SELECT subscriptions.subscription_id, sections.section_id, sections.campus_code FROM subscriptions
        JOIN sections ON sections.term_id = subscriptions.term_id AND sections.index_number = subscriptions.index_number
        WHERE subscriptions.section_id IS NULL AND subscriptions.term_id = ${termId}
        ORDER BY subscriptions.subscription_id LIMIT ${resolveMax}
        ${db.dialect === 'postgres' ? sql`FOR UPDATE OF subscriptions` : sql``}
      `.execute(tx);
      if (found.length === 0) return 0;
      await sql`
        UPDATE subscriptions SET section_id = input.section_id, campus_code = input.campus_code, updated_at = ${now}
        FROM ${rowsOf(db.dialect, watchColumns, found)} WHERE subscriptions.subscription_id = input.subscription_id
      `.execute(tx);
      return found.length;
    });
    resolved += rows;
    if (rows < resolveMax) return resolved;
  }
}
