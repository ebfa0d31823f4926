import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';

/** What the catalog says of a section's seats. */
export interface Said {
  section_id: number;
  index_number: string;
  status: 'Open' | 'Closed';
}

const saidColumns = { section_id: 'number', index_number: 'text', status: 'text' } as const;
const eventColumns = {
  section_id: 'number',
  term_id: 'text',
  index_number: 'text',
  status_before: 'text',
  status_after: 'text',
  event_at: 'text',
  weighed_at: 'number',
} as const;

/**
 * A line of `section_status_events` for whatever the catalog says now and did not say last time (004-32). It is compared with
 * the catalog's own last word, not with what is believed: the feed is ahead of it, and that is no change of the catalog's.
 * First words are weighed with that: they tell of no change. Answers how many of the others there were.
 */
export async function tellStatuses(
  tx: Tx,
  dialect: DialectName,
  { termId, now }: { termId: string; now: number },
  said: readonly Said[],
): Promise<{ flips: number }> {
  if (said.length === 0) return { flips: 0 };
  const { rows } = await sql<Said & { before: SectionStatus | null }>`
    SELECT input.section_id, input.index_number, input.status, (
      SELECT status_after FROM section_status_events WHERE section_status_events.section_id = input.section_id
      ORDER BY status_event_id DESC LIMIT 1
    ) AS before FROM ${rowsOf(dialect, saidColumns, said)}
  `.execute(tx);
  const events = rows
    .filter(({ status, before }) => status !== before)
    .map(({ section_id, index_number, status, before }) => ({
      ...{ section_id, term_id: termId, index_number },
      ...{ status_before: before ?? 'Unknown', status_after: status },
      ...{ event_at: new Date(now).toISOString(), weighed_at: before === null ? now : null },
    }));
  if (events.length > 0) {
    const names = namesOf(eventColumns);
    await sql`
      INSERT INTO section_status_events (${names}) SELECT ${names} FROM ${rowsOf(dialect, eventColumns, events)}
    `.execute(tx);
  }
  return { flips: events.filter(({ weighed_at }) => weighed_at === null).length };
}
