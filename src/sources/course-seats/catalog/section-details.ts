import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { CourseRow, SectionRow } from '../../../db/seats-schema.ts';
import type { SectionDetails } from './catalog.ts';

/** A section with what its course says of it, from the two tables to whoever asks. */
type Row = SectionRow & Pick<CourseRow, 'course_string' | 'subject_code' | 'title' | 'expanded_title'>;

/** `which` is a condition, and whatever may follow one. */
export async function readSections(db: Database, which: RawBuilder<unknown>): Promise<SectionDetails[]> {
  const { rows } = await sql<Row>`
    SELECT sections.*, courses.course_string, courses.subject_code, courses.title, courses.expanded_title
    FROM sections JOIN courses ON courses.course_id = sections.course_id WHERE ${which}
  `.execute(db.read);
  return rows.map(detailsOf);
}

function detailsOf(row: Row): SectionDetails {
  return {
    sectionId: row.section_id,
    courseId: row.course_id,
    termId: row.term_id,
    campusCode: row.campus_code,
    indexNumber: row.index_number,
    sectionNumber: row.section_number,
    courseString: row.course_string,
    subjectCode: row.subject_code,
    courseTitle: courseTitleOf(row),
    subtitle: row.subtitle,
    status: row.last_known_section_status,
    meetingSummary: row.meeting_summary,
    instructors: row.instructors,
    specialPermission: row.special_permission,
    restrictions: row.restrictions,
    crossListed: row.cross_listed === null ? [] : JSON.parse(row.cross_listed),
    notes: row.notes,
    isGone: row.gone_at !== null,
  };
}

/** The short one is cut at twenty signs, in the middle of a word if need be. */
export function courseTitleOf({
  title,
  expanded_title,
}: Pick<CourseRow, 'title' | 'expanded_title'>): string {
  return expanded_title ?? title;
}
