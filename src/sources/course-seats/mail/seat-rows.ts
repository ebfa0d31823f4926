import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf, seqsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { JobRow } from './mail-job.ts';

/** Spec 000's join (000-16), in one statement for a batch: by the queue's number. */
export async function readJobRows(
  db: Database,
  notificationIds: readonly number[],
): Promise<ReadonlyMap<number, JobRow>> {
  const input = seqsOf(db.dialect, notificationIds);
  const { rows } = await sql<JobRow>`
    SELECT queue.notification_id, queue.dedupe_key,
      events.open_event_id, events.section_id, events.term_id, events.campus_code, events.index_number,
      events.status_before, events.status_after, events.event_at, events.detected_by, events.trace_id, events.payload,
      watches.subscription_id, watches.contact_type, watches.contact_value, watches.contact_hash, watches.locale,
      watches.status, watches.last_known_section_status, watches.notify_on, watches.max_notifications,
      watches.window_start_minutes, watches.window_end_minutes, watches.snooze_until, watches.token_id,
      coalesce(courses.expanded_title, courses.title) AS course_title, courses.course_string,
      sections.section_number, sections.meeting_summary, sections.special_permission, sections.restrictions,
      sections.cross_listed, sections.notes AS section_notes
    FROM ${input}
    JOIN open_event_notifications AS queue ON queue.notification_id = input.seq
    JOIN open_events AS events ON events.open_event_id = queue.open_event_id
    JOIN subscriptions AS watches ON watches.subscription_id = queue.subscription_id
    LEFT JOIN sections ON sections.term_id = events.term_id AND sections.index_number = events.index_number
    LEFT JOIN courses ON courses.course_id = sections.course_id
  `.execute(db.read);
  return new Map(rows.map((row) => [row.notification_id, row]));
}

export interface SectionKey {
  termId: string;
  indexNumber: string;
}

export const sectionKey = ({ termId, indexNumber }: SectionKey) => `${termId} ${indexNumber}`;

/** What is believed of these sections now, by `sectionKey`. */
export async function readStatuses(
  db: Database,
  sections: readonly SectionKey[],
): Promise<ReadonlyMap<string, SectionStatus>> {
  if (sections.length === 0) return new Map();
  const distinct = new Map(sections.map((section) => [sectionKey(section), section]));
  const input = rowsOf(
    db.dialect,
    { term_id: 'text', index_number: 'text' },
    [...distinct.values()].map(({ termId, indexNumber }) => ({ term_id: termId, index_number: indexNumber })),
  );
  const { rows } = await sql<{ term_id: string; index_number: string; status: SectionStatus }>`
    SELECT sections.term_id, sections.index_number, sections.last_known_section_status AS status FROM ${input}
    JOIN sections ON sections.term_id = input.term_id AND sections.index_number = input.index_number
  `.execute(db.read);
  return new Map(
    rows.map(({ term_id, index_number, status }) => [
      sectionKey({ termId: term_id, indexNumber: index_number }),
      status,
    ]),
  );
}
