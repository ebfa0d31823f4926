import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { forUpdate, namesOf, rowsOf } from '../../../db/dialect.ts';
import { type ListKey, listOf } from '../term.ts';
import type { CatalogEntry, EntrySection } from './catalog-entry.ts';
import { type Belief, createBelief } from './first-belief.ts';
import { type Said, tellStatuses } from './status-events.ts';
import { courseKeyOf, writeCourses } from './write-courses.ts';

/**
 * A few courses with their sections, written in one transaction, as often as anybody likes: what is there already and the same
 * gets its time and nothing else. Statements are per batch, never per row.
 */
export interface Batch extends ListKey {
  /** Each index at most once. */
  entries: readonly CatalogEntry[];
  /** When this reading of the catalog began. */
  startedAt: number;
  now: number;
}

export interface Written {
  courseIds: number[];
  /** New sections among them. */
  changed: number;
  flips: number;
}

export function writeBatch(db: Database, batch: Batch): Promise<Written> {
  return db.transaction(async (tx) => {
    const belief = await createBelief(tx, db.dialect, listOf(batch.termId, batch.campusCode));
    // These locks also keep two readings of one catalog apart: who comes second finds what the first has written.
    const courses = batch.entries.map(({ course }) => course);
    const courseIds = await writeCourses(tx, db, batch, courses);
    const sections = withCourses(batch, courseIds);
    const known = await knownAmong(tx, db, batch, sections);
    const mine = sections.filter(({ index_number }) => isOurs(known.get(index_number), batch));
    const same = mine.filter((section) => isSame(known.get(section.index_number), section));
    const fresh = mine.filter(({ index_number }) => !known.has(index_number));
    const changed = mine.filter((section) => known.has(section.index_number) && !same.includes(section));
    const numberOf = ({ index_number }: NewSection) => known.get(index_number)?.section_id as number;

    await touch(tx, db, batch, same.map(numberOf));
    await change(tx, db, batch, known, changed);
    const inserted = await insert(tx, db, batch, belief, fresh);
    const told = await tellStatuses(tx, db.dialect, batch, [
      ...changed.flatMap((section) => said(section, numberOf(section))),
      ...fresh.flatMap((section) => said(section, inserted.get(section.index_number))),
    ]);
    const withSections = new Set(mine.map(({ course_id }) => course_id));
    return { courseIds: [...withSections], changed: changed.length + inserted.size, flips: told.flips };
  });
}

type NewSection = EntrySection & { course_id: number; content_hash: string };

interface KnownSection {
  section_id: number;
  index_number: string;
  campus_code: string;
  last_known_section_status: string;
  content_hash: string;
  seen_at: number;
  gone_at: number | null;
}

function withCourses({ entries }: Batch, courseIds: ReadonlyMap<string, number>): NewSection[] {
  return entries.flatMap(({ course, sections }) => {
    const course_id = courseIds.get(courseKeyOf(course)) as number;
    return sections.map((section) => ({
      ...{ ...section, course_id },
      // What the catalog says of its status is in it: as long as the hash is the same, there is nothing to tell.
      content_hash: createHash('sha1')
        .update(JSON.stringify([course_id, section]))
        .digest('hex'),
    }));
  });
}

const indexColumns = { index_number: 'text' } as const;

async function knownAmong(tx: Tx, db: Database, { termId }: Batch, sections: readonly NewSection[]) {
  const { rows } = await sql<KnownSection>`
    SELECT section_id, index_number, campus_code, last_known_section_status, content_hash, seen_at, gone_at FROM sections
    WHERE term_id = ${termId} AND index_number IN (SELECT input.index_number FROM ${rowsOf<'index_number'>(db.dialect, indexColumns, sections)})
    ORDER BY section_id ${forUpdate(db.dialect)}
  `.execute(tx);
  return new Map(rows.map((row) => [row.index_number, row]));
}

const dayMs = 24 * 3_600_000;

/**
 * A section that two campuses list belongs to the one that has had it, until that one lists it no longer; otherwise every
 * reading of either would take it from the other. And who reads slowly leaves alone what a later reading has seen.
 */
function isOurs(known: KnownSection | undefined, { campusCode, startedAt, now }: Batch): boolean {
  if (known === undefined) return true;
  // Later than now is nobody's reading, but a clock that was set back.
  if (known.seen_at > startedAt && known.seen_at <= now) return false;
  return known.campus_code === campusCode || known.gone_at !== null || known.seen_at < startedAt - dayMs;
}

function isSame(known: KnownSection | undefined, { content_hash }: NewSection): boolean {
  return known?.content_hash === content_hash && known.gone_at === null;
}

const idColumns = { section_id: 'number' } as const;

async function touch(tx: Tx, db: Database, { startedAt }: Batch, sectionIds: readonly number[]) {
  if (sectionIds.length === 0) return;
  const rows = sectionIds.map((section_id) => ({ section_id }));
  await sql`
    UPDATE sections SET seen_at = ${startedAt} FROM ${rowsOf(db.dialect, idColumns, rows)}
    WHERE sections.section_id = input.section_id
  `.execute(tx);
}

const contentColumns = {
  course_id: 'number',
  campus_code: 'text',
  section_number: 'text',
  subtitle: 'text',
  last_known_section_status: 'text',
  meeting_summary: 'text',
  instructors: 'text',
  special_permission: 'text',
  restrictions: 'text',
  cross_listed: 'text',
  notes: 'text',
  content_hash: 'text',
  seen_at: 'number',
} as const;
const changeColumns = { section_id: 'number', ...contentColumns } as const;
const assignments = sql.raw(
  Object.keys(contentColumns)
    .map((name) => `"${name}" = input."${name}"`)
    .join(', '),
);

async function change(
  tx: Tx,
  db: Database,
  batch: Batch,
  known: ReadonlyMap<string, KnownSection>,
  sections: readonly NewSection[],
): Promise<void> {
  if (sections.length === 0) return;
  const rows = sections.map((section) => {
    const { section_id, last_known_section_status: believed } = known.get(
      section.index_number,
    ) as KnownSection;
    // The feed is fresher than the catalog. Only where nobody has said anything yet, this is better than nothing.
    const status = believed === 'Unknown' ? (section.status ?? 'Unknown') : believed;
    return { section_id, ...contentOf(section, batch), last_known_section_status: status };
  });
  await sql`
    UPDATE sections SET ${assignments}, gone_at = NULL FROM ${rowsOf(db.dialect, changeColumns, rows)}
    WHERE sections.section_id = input.section_id
  `.execute(tx);
}

function contentOf({ index_number: _, status: __, ...section }: NewSection, batch: Batch) {
  return { ...section, campus_code: batch.campusCode, seen_at: batch.startedAt };
}

const insertColumns = { term_id: 'text', index_number: 'text', ...contentColumns } as const;

/** Their numbers by their indexes. One that another campus's reading has written at this moment is left to that one. */
async function insert(
  tx: Tx,
  db: Database,
  batch: Batch,
  belief: Belief,
  sections: readonly NewSection[],
): Promise<Map<string, number>> {
  if (sections.length === 0) return new Map();
  const believed = await belief.of(sections);
  const rows = sections.map((section) => ({
    ...{ term_id: batch.termId, index_number: section.index_number, ...contentOf(section, batch) },
    last_known_section_status: believed(section),
  }));
  const names = namesOf(insertColumns);
  const { rows: written } = await sql<{ section_id: number; index_number: string }>`
    INSERT INTO sections (${names}) SELECT ${names} FROM ${rowsOf(db.dialect, insertColumns, rows)} WHERE true
    ON CONFLICT DO NOTHING RETURNING section_id, index_number
  `.execute(tx);
  return new Map(written.map(({ section_id, index_number }) => [index_number, section_id]));
}

function said({ index_number, status }: NewSection, section_id: number | undefined): Said[] {
  return section_id === undefined || status === null ? [] : [{ section_id, index_number, status }];
}
