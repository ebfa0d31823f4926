import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { campusCodes, isIndex, listOf } from '../term.ts';
import type { CreateRefusal } from './subscriptions.ts';
import type { WatchOrder } from './watch-order.ts';

/** A section that can be watched. */
export interface Target {
  termId: string;
  campusCode: string;
  indexNumber: string;
  /** Null where the catalog does not know it (yet). */
  sectionId: number | null;
}

export type FoundTargets = { kind: 'found'; targets: Target[] } | CreateRefusal;

export async function findSection(
  { db, catalog }: { db: Database; catalog: Pick<Catalog, 'section'> },
  { termId, campusCode }: WatchOrder,
  indexNumber: string,
): Promise<FoundTargets> {
  if (typeof indexNumber !== 'string' || !isIndex(indexNumber))
    return notFound('The index of a section is five digits, such as 09214.');
  const section = await catalog.section(termId, indexNumber);
  if (section && !section.isGone && section.campusCode !== campusCode) {
    const where = `Section ${indexNumber} of term ${termId} is at ${section.campusCode}`;
    return {
      ...{ kind: 'section_conflict', campusCode: section.campusCode },
      message: `${where}; watch it there.`,
    };
  }
  const target = { termId, campusCode, indexNumber, sectionId: section?.sectionId ?? null };
  if (section && !section.isGone) return { kind: 'found', targets: [target] };
  if (await isListed(db, termId, indexNumber)) return { kind: 'found', targets: [target] };
  if (section) return notFound(`Section ${indexNumber} is no longer in the catalog of term ${termId}.`);
  if (await hasWholeCatalog(db, termId, campusCode))
    return notFound(
      `There is no section ${indexNumber} in term ${termId} at ${campusCode}; check the number.`,
    );
  return { kind: 'found', targets: [target] };
}

/** Of a course, all that are in the catalog now, in the order of their numbers. */
export async function findCourse(
  db: Database,
  { termId, campusCode }: WatchOrder,
  courseId: number,
): Promise<FoundTargets> {
  if (!Number.isSafeInteger(courseId)) return notFound('There is no such course.');
  const rows = await db.read
    .selectFrom('sections')
    .select(['section_id', 'term_id', 'campus_code', 'index_number'])
    .where('course_id', '=', courseId)
    .where('gone_at', 'is', null)
    .orderBy('section_number')
    .orderBy('index_number')
    .execute();
  const [first] = rows;
  if (!first || first.term_id !== termId) return notFound('There is no such course in this term.');
  if (first.campus_code !== campusCode) {
    const message = `This course is at ${first.campus_code}; watch it there.`;
    return { kind: 'section_conflict', campusCode: first.campus_code, message };
  }
  const targets = rows.map(({ section_id, index_number }) => ({
    ...{ termId, campusCode, indexNumber: index_number, sectionId: section_id },
  }));
  return { kind: 'found', targets };
}

const notFound = (message: string): CreateRefusal => ({ kind: 'section_not_found', message });

/** In some list of the term, now or once: it is there, whatever the catalogs say. */
async function isListed(db: Database, termId: string, indexNumber: string): Promise<boolean> {
  const lists = [...new Set(campusCodes.map((code) => listOf(termId, code).campusCode))];
  const found = await db.read
    .selectFrom('open_list_indexes')
    .select('index_number')
    .where('term_id', '=', termId)
    .where('campus_code', 'in', lists)
    .where('index_number', '=', indexNumber)
    .limit(1)
    .execute();
  return found.length > 0;
}

/** A course gets its time when the catalog was read to its end; before that, what it does not name may still come. */
async function hasWholeCatalog(db: Database, termId: string, campusCode: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM courses WHERE term_id = ${termId} AND campus_code = ${campusCode} AND seen_at > 0 LIMIT 1
  `.execute(db.read);
  return rows.length > 0;
}
