import type { Insertable } from 'kysely';
import type { DialectName } from '../../src/db/dialect.ts';
import type { OpenEventRow, SeatsSchema } from '../../src/db/seats-schema.ts';
import {
  createFanOut,
  type FanOut,
  type FanOutParts,
} from '../../src/sources/course-seats/events/fan-out.ts';
import {
  createOpenEvents,
  type Edge,
  type OpenEvents,
  type RecordedEdges,
  type Seen,
} from '../../src/sources/course-seats/events/open-events.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeatsWorld, index, type SeatsWorld, termId } from './seats-world.ts';

/** The small campus, with its open events, their fan-out, and what a poller would write. */
export interface EventsWorld extends SeatsWorld {
  events: OpenEvents;
  fanOut: FanOut;
  fanOutWith(more: Partial<FanOutParts>): FanOut;
  /** As a poller's transaction does it; NB's list, now, unless told otherwise. */
  record(edges: readonly Edge[], more?: Partial<Seen>): Promise<RecordedEdges>;
  opens(indexNumber?: string): Promise<RecordedEdges>;
  closes(indexNumber?: string): Promise<RecordedEdges>;
  recorded(): Promise<OpenEventRow[]>;
  addList(more?: Partial<Insertable<SeatsSchema['open_lists']>>): Promise<void>;
  /** `<open event>-<subscription>` of each that waits in the outbox. */
  waiting(): Promise<string[]>;
}

export const opening = (indexNumber = index): Edge => ({
  ...{ indexNumber, statusBefore: 'Closed', statusAfter: 'Open' },
});
export const closing = (indexNumber = index): Edge => ({
  ...{ indexNumber, statusBefore: 'Open', statusAfter: 'Closed' },
});

export async function createEventsWorld(dialect: DialectName): Promise<EventsWorld> {
  const world = await createSeatsWorld(dialect);
  const { db, clock, outbox } = world;
  const events = createOpenEvents({ db, outbox, clock, ids: systemIds, log: silentLog });
  const fanOutWith = (more: Partial<FanOutParts>) =>
    createFanOut({ db, outbox, clock, timeZone: 'America/New_York', log: silentLog, ...more });
  const record: EventsWorld['record'] = (edges, more = {}) =>
    db.transaction((tx) =>
      events.record(tx, {
        ...{ list: { termId, campusCode: 'NB' }, edges, detectedBy: 'open_sections' },
        ...{ snapshot: { id: 7, hash: 'hash-7' }, traceId: 'trace-7', at: clock.now() },
        ...more,
      }),
    );
  return {
    ...world,
    ...{ events, fanOutWith, fanOut: fanOutWith({}), record },
    opens: (indexNumber) => record([opening(indexNumber)]),
    closes: (indexNumber) => record([closing(indexNumber)]),
    recorded: () => db.read.selectFrom('open_events').selectAll().orderBy('open_event_id').execute(),
    async addList(more = {}) {
      const now = clock.now();
      await db.write
        .insertInto('open_lists')
        .values({
          ...{ term_id: termId, campus_code: 'NB', baseline_at: now, heard_at: now, good_at: now },
          ...{ source_hash: 'hash', held: null, last_error: null },
          ...more,
        })
        .execute();
    },
    async waiting() {
      const rows = await db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
      return rows.map(({ occasion, recipient }) => `${occasion}-${recipient}`).sort();
    },
  };
}
