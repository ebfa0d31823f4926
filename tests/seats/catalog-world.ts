import type { DialectName } from '../../src/db/dialect.ts';
import type { SectionRow } from '../../src/db/seats-schema.ts';
import {
  type Catalog,
  createCatalog,
  type Ingested,
  type IngestOrder,
} from '../../src/sources/course-seats/catalog/catalog.ts';
import type { CatalogAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { createWorld, type World } from '../support/world.ts';

/** A catalog on a real database, and a feed that answers what the test says. */
export interface CatalogWorld extends World {
  catalog: Catalog;
  log: RecordingLog;
  /** What the feed answers from now on: courses as JSON, a text as it stands, or anything else. */
  answer(given: readonly unknown[] | string | CatalogAnswer): void;
  ingest(more?: Partial<IngestOrder>): Promise<Ingested>;
  section(index: string): Promise<SectionRow>;
  sections(): Promise<SectionRow[]>;
  /** `09214 Closed→Open waits`, in order. */
  words(): Promise<string[]>;
  watch(index: string, more?: { status?: 'active' | 'paused'; campusCode?: string }): Promise<number>;
  /** What the poller believes of the list that NB, NK and CM share. */
  poll(open: Readonly<Record<string, boolean>>): Promise<void>;
}

export const termId = '12026';

export const sectionOf = (index: string, more: Record<string, unknown> = {}) => ({
  ...{ index, number: '01', openStatus: true, meetingTimes: [], instructors: [] },
  ...more,
});

export const courseOf = (
  number: string,
  sections: readonly unknown[],
  more: Record<string, unknown> = {},
) => ({
  ...{ courseString: `01:198:${number}`, supplementCode: '  ', campusCode: 'NB', subject: '198' },
  ...{ title: `COURSE ${number}`, expandedTitle: '', subjectDescription: 'Computer Science' },
  sections: [...sections],
  ...more,
});

export async function* inPieces(text: string, octets = 1_000) {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += octets) yield all.subarray(at, at + octets);
}

export async function createCatalogWorld(dialect: DialectName): Promise<CatalogWorld> {
  const world = await createWorld(dialect);
  const { db, clock } = world;
  const log = createRecordingLog();
  let given: readonly unknown[] | string | CatalogAnswer = [];
  let watches = 0;
  const feed = {
    async courses(): Promise<CatalogAnswer> {
      if (typeof given === 'object' && 'kind' in given) return given;
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return { kind: 'catalog', pieces: inPieces(text) };
    },
  };
  const catalog = createCatalog({ db, feed, clock, log });
  return {
    ...world,
    catalog,
    log,
    answer(next) {
      given = next;
    },
    ingest: (more = {}) =>
      catalog.ingest({ termId, campusCode: 'NB', signal: new AbortController().signal, ...more }),
    section: (index) =>
      db.read.selectFrom('sections').selectAll().where('index_number', '=', index).executeTakeFirstOrThrow(),
    sections: () => db.read.selectFrom('sections').selectAll().orderBy('index_number').execute(),
    async words() {
      const rows = await db.read
        .selectFrom('section_status_events')
        .selectAll()
        .orderBy('status_event_id')
        .execute();
      return rows.map(
        ({ index_number, status_before, status_after, weighed_at }) =>
          `${index_number} ${status_before}→${status_after} ${weighed_at === null ? 'waits' : 'weighed'}`,
      );
    },
    async watch(index, { status = 'active', campusCode = 'NB' } = {}) {
      watches += 1;
      const { subscription_id } = await db.write
        .insertInto('subscriptions')
        .values({
          ...{ section_id: null, term_id: termId, campus_code: campusCode, index_number: index },
          ...{ contact_type: 'email', contact_value: `student-${watches}@example.org` },
          ...{ contact_hash: `hash-${watches}`, locale: null, status, last_known_section_status: null },
          ...{ max_notifications: null, window_start_minutes: null, window_end_minutes: null },
          ...{ snooze_until: null, token_id: `token-${watches}`.padEnd(22, '0'), verified_at: null },
          ...{ left_at: null, status_before_leaving: null, created_at: 0, updated_at: 0 },
        })
        .returning('subscription_id')
        .executeTakeFirstOrThrow();
      return subscription_id;
    },
    async poll(open) {
      await db.write
        .insertInto('open_lists')
        .values({
          ...{ term_id: termId, campus_code: 'NB', baseline_at: 1, heard_at: 1, good_at: 1 },
          ...{ source_hash: null, held: null, last_error: null },
        })
        .execute();
      const rows = Object.entries(open).map(([index_number, isOpen]) => ({
        ...{ term_id: termId, campus_code: 'NB', index_number, is_open: isOpen ? 1 : 0 },
        ...{ missed_at: null, opened_at: null, closed_at: null },
      }));
      if (rows.length > 0) await db.write.insertInto('open_list_indexes').values(rows).execute();
    },
  };
}
