import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { OpenEventRow, SectionStatus } from '../../../db/seats-schema.ts';
import type { EventPayload } from '../event-payload.ts';
import { seatSource } from '../events/fan-out.ts';

/** That a section opened or closed, and how many were told of it. */
export interface SeenEvent {
  openEventId: number;
  termId: string;
  campusCode: string;
  indexNumber: string;
  courseString: string;
  courseTitle: string;
  sectionNumber: string;
  statusBefore: SectionStatus;
  statusAfter: OpenEventRow['status_after'];
  at: string;
  detectedBy: OpenEventRow['detected_by'];
  /** Not everybody who watches has a delivery yet. */
  isFanningOut: boolean;
  /** At most `deliveriesMax` are counted. */
  deliveries: number;
}

export interface EventsOrder {
  section?: { termId: string; indexNumber: string } | undefined;
  below?: number | undefined;
  limit: number;
}

/** A section that a hundred thousand watch must not hold up the page. */
export const deliveriesMax = 1_000;

type Row = Pick<
  OpenEventRow,
  | 'open_event_id'
  | 'term_id'
  | 'campus_code'
  | 'index_number'
  | 'status_before'
  | 'status_after'
  | 'event_at'
  | 'detected_by'
  | 'payload'
> & { is_open: number | null; deliveries: number | string };

export async function readEvents(db: Database, { section, below, limit }: EventsOrder): Promise<SeenEvent[]> {
  const of = section
    ? sql`AND events.term_id = ${section.termId} AND events.index_number = ${section.indexNumber}`
    : sql``;
  const older = below === undefined ? sql`` : sql`AND events.open_event_id < ${below}`;
  // In the words of the outbox's own index of occasions. To SQLite a number that is cast is a text, which an expression is not: `|| ''`
  // makes the two alike, or the index would not be used.
  const { rows } = await sql<Row>`
    SELECT events.open_event_id, events.term_id, events.campus_code, events.index_number, events.status_before,
      events.status_after, events.event_at, events.detected_by, events.payload,
      (SELECT 1 FROM open_event_fanouts AS fanouts
        WHERE fanouts.open_event_id = events.open_event_id AND fanouts.finished_at IS NULL) AS is_open,
      CASE WHEN events.status_after = 'Open' THEN (
        SELECT COUNT(*) FROM (
          SELECT 1 FROM deliveries WHERE (deliveries.occasion || '') = (CAST(events.open_event_id AS TEXT) || '')
            AND deliveries.source || '' = ${seatSource} LIMIT ${sql.lit(deliveriesMax)}
        ) AS told
      ) ELSE 0 END AS deliveries
    FROM open_events AS events WHERE true ${of} ${older} ORDER BY events.open_event_id DESC LIMIT ${limit}
  `.execute(db.read);
  return rows.map(eventOf);
}

/** As the catalog itself says it of what is not settled; also of what another program has written. */
const unsaid = 'TBA';

function eventOf(row: Row): SeenEvent {
  const payload = JSON.parse(row.payload) as EventPayload;
  const { courseString = unsaid, courseTitle = unsaid, sectionNumber = unsaid } = payload;
  return {
    ...{ openEventId: row.open_event_id, termId: row.term_id, campusCode: row.campus_code },
    ...{ indexNumber: row.index_number, courseString, courseTitle, sectionNumber },
    ...{ statusBefore: row.status_before, statusAfter: row.status_after, at: row.event_at },
    ...{ detectedBy: row.detected_by, isFanningOut: row.is_open !== null },
    deliveries: Number(row.deliveries),
  };
}
