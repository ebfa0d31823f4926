import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { SectionKey } from '../subscriptions/section-beliefs.ts';
import { listOf } from '../term.ts';

interface Seen {
  term_id: string;
  index_number: string;
  is_open: number | null;
  opened_at: number | null;
  closed_at: number | null;
  last_status: SectionStatus | null;
  last_at: string | null;
}

const columns = { term_id: 'text', index_number: 'text', list_campus: 'text' } as const;

/**
 * Since when a section stands as it does: by the last event that says the same, else by the list, which remembers for longer than
 * events are kept. Null where nobody has seen it change: it stood so when the first list came.
 */
export async function readSince(
  db: Database,
  sections: readonly SectionKey[],
): Promise<(section: SectionKey, status: SectionStatus) => number | null> {
  const rows = sections.map(({ termId, campusCode, indexNumber }) => ({
    ...{ term_id: termId, index_number: indexNumber },
    list_campus: listOf(termId, campusCode).campusCode,
  }));
  const lastEvent = (column: 'status_after' | 'event_at') => sql`(
    SELECT events.${sql.raw(column)} FROM open_events AS events
    WHERE events.term_id = input.term_id AND events.index_number = input.index_number
    ORDER BY events.open_event_id DESC LIMIT 1
  )`;
  const { rows: found } = await sql<Seen>`
    SELECT input.term_id, input.index_number, listed.is_open, listed.opened_at, listed.closed_at,
      ${lastEvent('status_after')} AS last_status, ${lastEvent('event_at')} AS last_at
    FROM ${rowsOf(db.dialect, columns, rows)}
    LEFT JOIN open_list_indexes AS listed ON listed.term_id = input.term_id AND listed.campus_code = input.list_campus
      AND listed.index_number = input.index_number
  `.execute(db.read);
  const seen = new Map(found.map((row) => [`${row.term_id} ${row.index_number}`, row]));
  return ({ termId, indexNumber }, status) => sinceIn(seen.get(`${termId} ${indexNumber}`), status);
}

function sinceIn(seen: Seen | undefined, status: SectionStatus): number | null {
  if (!seen) return null;
  if (seen.last_at !== null && seen.last_status === status) return Date.parse(seen.last_at);
  if (status === 'Open' && seen.is_open === 1) return seen.opened_at;
  return status === 'Closed' && seen.is_open === 0 ? seen.closed_at : null;
}
