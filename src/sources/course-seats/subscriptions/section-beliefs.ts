import { type Kysely, sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { Schema } from '../../../db/schema.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import { type ListKey, listOf } from '../term.ts';

/** What is believed of sections: the catalog's rows are kept up to date by the list; what they do not know, the list may. */
export interface SectionKey {
  termId: string;
  campusCode: string;
  indexNumber: string;
}

const columns = { term_id: 'text', index_number: 'text', list_campus: 'text' } as const;

export async function readBelieved(
  db: Kysely<Schema> | Tx,
  dialect: DialectName,
  sections: readonly SectionKey[],
): Promise<(section: SectionKey) => SectionStatus> {
  const rows = sections.map(({ termId, campusCode, indexNumber }) => ({
    ...{ term_id: termId, index_number: indexNumber },
    list_campus: listOf(termId, campusCode).campusCode,
  }));
  const found = await sql<Believed>`
    SELECT input.term_id, input.index_number, sections.last_known_section_status AS status, listed.is_open, lists.baseline_at
    FROM ${rowsOf(dialect, columns, rows)}
    LEFT JOIN sections ON sections.term_id = input.term_id AND sections.index_number = input.index_number
    LEFT JOIN open_list_indexes AS listed ON listed.term_id = input.term_id AND listed.campus_code = input.list_campus
      AND listed.index_number = input.index_number
    LEFT JOIN open_lists AS lists ON lists.term_id = input.term_id AND lists.campus_code = input.list_campus
  `.execute(db);
  const statuses = new Map(found.rows.map((row) => [`${row.term_id} ${row.index_number}`, statusOf(row)]));
  return ({ termId, indexNumber }) => statuses.get(`${termId} ${indexNumber}`) ?? 'Unknown';
}

interface Believed {
  term_id: string;
  index_number: string;
  status: SectionStatus | null;
  is_open: number | null;
  baseline_at: number | null;
}

function statusOf({ status, is_open, baseline_at }: Believed): SectionStatus {
  if (status !== null && status !== 'Unknown') return status;
  if (is_open !== null) return is_open === 1 ? 'Open' : 'Closed';
  // A list that has come and does not name it.
  return baseline_at === null ? 'Unknown' : 'Closed';
}

/**
 * Who starts to watch just when a section opens is told by the page or by the fan-out, never by neither: whoever records an
 * opening holds the list's row and then the section's, and so do we, shared, until the watch is written.
 */
export async function lockBeliefs(
  tx: Tx,
  dialect: DialectName,
  list: ListKey,
  indexes: readonly string[],
): Promise<void> {
  if (dialect !== 'postgres') return;
  await sql`
    SELECT 1 FROM open_lists WHERE term_id = ${list.termId} AND campus_code = ${list.campusCode} FOR SHARE
  `.execute(tx);
  await sql`
    SELECT 1 FROM sections WHERE term_id = ${list.termId} AND index_number = ANY(${indexes}::text[])
    ORDER BY section_id FOR SHARE
  `.execute(tx);
}
