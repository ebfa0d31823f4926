import type { Insertable } from 'kysely';
import type { DialectName } from '../../src/db/dialect.ts';
import type { SeatsSchema, SectionStatus, SubscriptionRow } from '../../src/db/seats-schema.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';

/**
 * A small campus in a database of its own: one course of spring 2026 at NB, with section 09214. What a test needs beside it is
 * written straight into the tables, so that no part of the source has to be right for another one's test.
 */
export interface SeatsWorld extends DispatchWorld {
  courseId: number;
  sectionId: number;
  /** The outbox with the books of these sources; until then nobody is told of facts. */
  keepBooks(...sources: Source[]): void;
  /** One turn of the dispatch for this source, on the outbox with its books. */
  send(source: Source): Promise<void>;
  addSection(index: string, more?: Partial<Insertable<SeatsSchema['sections']>>): Promise<number>;
  /** Active, verified, English, watches 09214 and was told nothing; answers its number. */
  addSubscription(more?: Partial<Insertable<SeatsSchema['subscriptions']>>): Promise<number>;
  /** Section 09214 has opened, now; answers its number. It fans out nothing and changes no other table. */
  addOpenEvent(more?: Partial<Insertable<SeatsSchema['open_events']>>): Promise<number>;
  /** What is believed of a section, in all the places where it stands. */
  believe(status: SectionStatus, index?: string): Promise<void>;
  /** The intent that a fan-out would make; answers its number in the outbox. */
  tell(openEventId: number, subscriptionId: number, more?: { dueAt?: number }): Promise<number>;
  subscription(subscriptionId: number): Promise<SubscriptionRow>;
  /** `notify_sent 1 Open`: type, open event, section's status. */
  eventsOf(subscriptionId: number): Promise<string[]>;
}

export const termId = '12026';
export const index = '09214';
export const isoOf = (ms: number) => new Date(ms).toISOString();

/** As an event carries it from its detection on. */
export const payload = {
  courseTitle: 'INTRO COMPUTER SCI',
  courseString: '01:198:111',
  subjectCode: '198',
  sectionNumber: '05',
  meetingSummary: 'M 10:20-11:40 BUS HIL 114; H 10:20-11:40 BUS HIL 114',
  snapshotHash: 'a'.repeat(40),
};

export async function createSeatsWorld(dialect: DialectName): Promise<SeatsWorld> {
  const world = await createDispatchWorld(dialect);
  const { db, clock } = world;
  const sources: Source[] = [];
  const outbox: Outbox = createOutbox({
    ...{ db, clock, log: silentLog, namespace: await readNamespace(db) },
    listeners: {
      consent: consentOf(world).learn,
      source: (name) => sources.find((source) => source.name === name)?.changed,
    },
  });
  let made = 0;

  const { course_id: courseId } = await db.write
    .insertInto('courses')
    .values({
      ...{ term_id: termId, campus_code: 'NB', course_string: '01:198:111', supplement_code: '' },
      ...{ offering_campus: 'NB', subject_code: '198', title: 'INTRO COMPUTER SCI' },
      ...{
        expanded_title: 'Introduction to Computer Science',
        search_words: 'introduction computer science',
      },
      seen_at: clock.now(),
    })
    .returning('course_id')
    .executeTakeFirstOrThrow();

  const addSection: SeatsWorld['addSection'] = async (indexNumber, more = {}) => {
    const { section_id } = await db.write
      .insertInto('sections')
      .values({
        ...{ course_id: courseId, term_id: termId, campus_code: 'NB', index_number: indexNumber },
        ...{ section_number: '05', subtitle: null, last_known_section_status: 'Open' },
        ...{ meeting_summary: payload.meetingSummary, instructors: 'SMITH', special_permission: null },
        ...{ restrictions: null, cross_listed: null, notes: null, content_hash: 'h', gone_at: null },
        seen_at: clock.now(),
        ...more,
      })
      .returning('section_id')
      .executeTakeFirstOrThrow();
    return section_id;
  };
  const sectionId = await addSection(index);

  return {
    ...world,
    outbox,
    courseId,
    sectionId,
    keepBooks: (...more) => {
      sources.push(...more);
    },
    async send(source) {
      await world.dispatch({ outbox, source }).runOnce(signal());
    },
    addSection,
    async addSubscription(more = {}) {
      made += 1;
      const { subscription_id } = await db.write
        .insertInto('subscriptions')
        .values({
          ...{ section_id: sectionId, term_id: termId, campus_code: 'NB', index_number: index },
          ...{ contact_type: 'email', contact_value: `student-${made}@example.org` },
          ...{ contact_hash: `hash-${made}`, locale: 'en', status: 'active' },
          ...{ last_known_section_status: null, max_notifications: null },
          ...{ window_start_minutes: null, window_end_minutes: null, snooze_until: null },
          ...{ token_id: `token-${String(made).padStart(16, '0')}`, verified_at: clock.now(), left_at: null },
          ...{ status_before_leaving: null, created_at: clock.now(), updated_at: clock.now() },
          ...more,
        })
        .returning('subscription_id')
        .executeTakeFirstOrThrow();
      return subscription_id;
    },
    async addOpenEvent(more = {}) {
      made += 1;
      const { open_event_id } = await db.write
        .insertInto('open_events')
        .values({
          ...{ section_id: sectionId, term_id: termId, campus_code: 'NB', index_number: index },
          ...{ status_before: 'Closed', status_after: 'Open', seat_delta: 1 },
          ...{ event_at: isoOf(clock.now()), detected_by: 'open_sections', snapshot_id: null },
          ...{ dedupe_key: `dedupe-${made}`, trace_id: `trace-${made}` },
          payload: JSON.stringify(payload),
          ...more,
        })
        .returning('open_event_id')
        .executeTakeFirstOrThrow();
      return open_event_id;
    },
    async believe(status, of = index) {
      const isOpen = status === 'Open' ? 1 : 0;
      const key = { term_id: termId, campus_code: 'NB', index_number: of };
      await db.write
        .updateTable('sections')
        .set({ last_known_section_status: status })
        .where('term_id', '=', termId)
        .where('index_number', '=', of)
        .execute();
      await db.write
        .insertInto('open_list_indexes')
        .values({ ...key, is_open: isOpen, missed_at: null, opened_at: null, closed_at: null })
        .onConflict((conflict) =>
          conflict.columns(['term_id', 'campus_code', 'index_number']).doUpdateSet({ is_open: isOpen }),
        )
        .execute();
    },
    async tell(openEventId, subscriptionId, more = {}) {
      const event = await db.read
        .selectFrom('open_events')
        .select(['dedupe_key', 'trace_id'])
        .where('open_event_id', '=', openEventId)
        .executeTakeFirstOrThrow();
      const [enqueued] = await outbox.enqueue([
        {
          ...{ source: 'course-seats', lane: 'urgent' },
          ...{ occasion: String(openEventId), recipient: String(subscriptionId) },
          ...{ dedupeKey: event.dedupe_key, traceId: event.trace_id },
          ...more,
        },
      ]);
      return enqueued?.seq ?? 0;
    },
    subscription: (subscriptionId) =>
      db.read
        .selectFrom('subscriptions')
        .selectAll()
        .where('subscription_id', '=', subscriptionId)
        .executeTakeFirstOrThrow(),
    async eventsOf(subscriptionId) {
      const rows = await db.read
        .selectFrom('subscription_events')
        .selectAll()
        .where('subscription_id', '=', subscriptionId)
        .orderBy('subscription_event_id')
        .execute();
      return rows.map(({ event_type, open_event_id, section_status }) =>
        [event_type, open_event_id, section_status].filter((part) => part !== null).join(' '),
      );
    },
  };
}
