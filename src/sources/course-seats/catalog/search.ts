import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { CourseRow } from '../../../db/seats-schema.ts';
import { isIndex } from '../term.ts';
import type { CatalogQuestion, FoundCourse } from './catalog.ts';
import { foldedWords } from './search-words.ts';
import { courseTitleOf, readSections } from './section-details.ts';

/**
 * Courses by what people call them: an index, a code as far as they know it, or the beginnings of words. Every word must be found.
 * Best first: the code itself, then titles that begin so, then titles that have the words, then the rest of what is known of a course.
 */
export async function searchCatalog(db: Database, question: CatalogQuestion): Promise<FoundCourse[]> {
  const limit = Math.min(Math.max(1, Math.trunc(question.limit ?? foundDefault)), foundMax);
  const text = question.text.trim().slice(0, textCharactersMax);
  if (isIndex(text)) return byIndex(db, question, text, limit);
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const termIds =
    question.termId === undefined ? (await readTerms(db)).slice(0, termsMax) : [question.termId];
  const courses = termIds.length === 0 ? [] : await byWords(db, { ...question, termIds }, words, limit);
  const ids = courses.map(({ course_id }) => course_id);
  const sections = ids.length === 0 ? [] : await readSections(db, offered(ids));
  return courses.map((course) => ({
    courseId: course.course_id,
    termId: course.term_id,
    campusCode: course.campus_code,
    courseString: course.course_string,
    title: courseTitleOf(course),
    sections: sections.filter(({ courseId }) => courseId === course.course_id),
  }));
}

const [foundDefault, foundMax] = [20, 100];
const [textCharactersMax, wordsMax] = [200, 8];
/** Of one course; the largest have some hundreds. */
const sectionsMax = 500;
/** Years ago nobody looks for seats, and every term is as much to look through again. */
const termsMax = 4;

/** With this section alone: whoever knows an index means it. */
async function byIndex(
  db: Database,
  question: CatalogQuestion,
  index: string,
  limit: number,
): Promise<FoundCourse[]> {
  const sections = await readSections(
    db,
    sql`sections.index_number = ${index} AND ${termOf(question)} AND ${campusOf(question, 'sections')}
      ORDER BY ${newestTermFirst('sections')} LIMIT ${limit}`,
  );
  return sections.map((section) => {
    const { courseId, termId, campusCode, courseString, courseTitle } = section;
    return { courseId, termId, campusCode, courseString, title: courseTitle, sections: [section] };
  });
}

/** `198 111`, `198.111` and `01:198:111:05` are codes too; the last part of the longest is a section's number. */
function wordsOf(text: string): string[] {
  const code = /^(?:(\d{2})[\s:.-]+)?(\d{3})[\s:.-]+(\d{3})(?:[\s:.-]+[\da-z]{2})?$/i.exec(text);
  if (code) return [code.slice(1).filter(Boolean).join(':')];
  const begun = /^[\d:]*\d:\d[\d:]*$/.exec(text);
  return begun ? [text.replace(/:+$/, '')] : telling(foldedWords(text)).slice(0, wordsMax);
}

/** A single letter is the beginning of a word in nearly every course: beside longer words it tells nothing, alone one is enough. */
function telling(words: readonly string[]): string[] {
  const longer = words.filter((word) => word.length > 1 || /[^a-z]/.test(word));
  return longer.length > 0 ? longer : words.slice(0, 1);
}

async function byWords(
  db: Database,
  question: CatalogQuestion & { termIds: readonly string[] },
  words: readonly string[],
  limit: number,
): Promise<CourseRow[]> {
  const all = (patternOf: (word: string) => string) =>
    sql.join(
      words.map((word) => sql`search_words LIKE ${patternOf(word)}`),
      sql` AND `,
    );
  const { rows } = await sql<CourseRow>`
    SELECT * FROM courses
    WHERE term_id IN (${sql.join(question.termIds)}) AND ${campusOf(question, 'courses')} AND ${all((word) => `% ${word}%`)}
      AND EXISTS (SELECT 1 FROM sections WHERE sections.course_id = courses.course_id AND sections.gone_at IS NULL)
    ORDER BY ${newestTermFirst('courses')}, CASE
      WHEN search_words LIKE ${`% ${words.join(' ')} %|%`} THEN 0
      WHEN search_words LIKE ${`%| ${words.join(' ')}%#%`} THEN 1
      WHEN ${all((word) => `%|% ${word}%#%`)} THEN 2
      ELSE 3 END, course_string, campus_code, course_id
    LIMIT ${limit}
  `.execute(db.read);
  return rows;
}

function offered(courseIds: readonly number[]): RawBuilder<unknown> {
  return sql`sections.section_id IN (
      SELECT section_id FROM (
        SELECT section_id, row_number() OVER (PARTITION BY course_id ORDER BY section_number, index_number) AS place
        FROM sections WHERE course_id IN (${sql.join(courseIds)}) AND gone_at IS NULL
      ) AS placed WHERE place <= ${sectionsMax}
    )
    ORDER BY sections.course_id, sections.section_number, sections.index_number`;
}

type TableName = 'courses' | 'sections' | 'terms';

function termOf({ termId }: CatalogQuestion): RawBuilder<unknown> {
  return termId === undefined ? sql`true` : sql`sections.term_id = ${termId}`;
}

function campusOf({ campusCode }: CatalogQuestion, table: TableName): RawBuilder<unknown> {
  return campusCode === undefined ? sql`true` : sql`${sql.ref(`${table}.campus_code`)} = ${campusCode}`;
}

/** A term's name begins with its season. */
function newestTermFirst(table: TableName): RawBuilder<unknown> {
  return sql`substr(${sql.ref(`${table}.term_id`)}, 2) DESC, ${sql.ref(`${table}.term_id`)} DESC`;
}

/** The terms of which anything is known, newest first. By leaps over the index: a term has thousands of courses. */
export async function readTerms(db: Database): Promise<string[]> {
  const { rows } = await sql<{ term_id: string }>`
    WITH RECURSIVE terms (term_id) AS (
      SELECT min(term_id) FROM courses
      UNION ALL
      SELECT (SELECT min(courses.term_id) FROM courses WHERE courses.term_id > terms.term_id) FROM terms
      WHERE terms.term_id IS NOT NULL
    )
    SELECT term_id FROM terms WHERE term_id IS NOT NULL ORDER BY ${newestTermFirst('terms')}
  `.execute(db.read);
  return rows.map(({ term_id }) => term_id);
}
