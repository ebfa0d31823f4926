import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { forUpdate, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { ListKey } from '../term.ts';
import type { EntryCourse } from './catalog-entry.ts';

/** Courses by what makes them one, within a term and the campus that was asked. */
type CourseKey = Pick<EntryCourse, 'course_string' | 'supplement_code' | 'offering_campus'>;

export function courseKeyOf({ course_string, supplement_code, offering_campus }: CourseKey): string {
  return JSON.stringify([course_string, supplement_code, offering_campus]);
}

const keyColumns = { course_string: 'text', supplement_code: 'text', offering_campus: 'text' } as const;
const columns = {
  term_id: 'text',
  campus_code: 'text',
  ...keyColumns,
  subject_code: 'text',
  title: 'text',
  expanded_title: 'text',
  search_words: 'text',
  seen_at: 'number',
} as const;

/**
 * Their numbers by their keys. What is new or has changed is written, and all of them are locked to the end of the transaction. A
 * new one has been seen at 0: its time comes when the catalog was read to its end.
 */
export async function writeCourses(
  tx: Tx,
  db: Database,
  { termId, campusCode }: ListKey,
  given: readonly EntryCourse[],
): Promise<Map<string, number>> {
  const courses = [...new Map(given.map((course) => [courseKeyOf(course), course])).values()];
  const { rows: known } = await sql<EntryCourse & { course_id: number }>`
    SELECT course_id, course_string, supplement_code, offering_campus, subject_code, title, expanded_title, search_words
    FROM courses WHERE term_id = ${termId} AND campus_code = ${campusCode}
    AND (course_string, supplement_code, offering_campus) IN (
      SELECT input.course_string, input.supplement_code, input.offering_campus
      FROM ${rowsOf<keyof typeof keyColumns>(db.dialect, keyColumns, courses.map(keyPartOf))}
    ) ORDER BY course_id ${forUpdate(db.dialect)}
  `.execute(tx);
  const same = new Map(known.map((course) => [courseKeyOf(course), course]));
  const rows = courses
    .filter((course) => !isSame(course, same.get(courseKeyOf(course))))
    // In one order for all: two who insert the same would else wait for each other.
    .sort((one, other) => (courseKeyOf(one) < courseKeyOf(other) ? -1 : 1))
    .map((course) => ({ term_id: termId, campus_code: campusCode, ...course, seen_at: 0 }));
  const ids = new Map(known.map((course) => [courseKeyOf(course), course.course_id]));
  if (rows.length === 0) return ids;
  const names = namesOf(columns);
  const { rows: written } = await sql<CourseKey & { course_id: number }>`
    INSERT INTO courses (${names}) SELECT ${names} FROM ${rowsOf(db.dialect, columns, rows)} WHERE true
    ON CONFLICT (term_id, campus_code, course_string, supplement_code, offering_campus) DO UPDATE SET
      subject_code = excluded.subject_code, title = excluded.title, expanded_title = excluded.expanded_title,
      search_words = excluded.search_words
    RETURNING course_id, course_string, supplement_code, offering_campus
  `.execute(tx);
  for (const course of written) ids.set(courseKeyOf(course), course.course_id);
  return ids;
}

function keyPartOf({ course_string, supplement_code, offering_campus }: CourseKey): CourseKey {
  return { course_string, supplement_code, offering_campus };
}

function isSame(course: EntryCourse, known: EntryCourse | undefined): boolean {
  return (Object.keys(course) as (keyof EntryCourse)[]).every((name) => known?.[name] === course[name]);
}
