import type { Database, Tx } from '../../../db/database.ts';
import type { OpenEventRow, SectionStatus } from '../../../db/seats-schema.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import type { Log } from '../../../std/log.ts';
import type { ListKey } from '../term.ts';
import { forgetEvents } from './forget.ts';
import { recordEdges } from './record.ts';
import { recordReport } from './report-opening.ts';
import { weighWords } from './weigh-catalog.ts';

/**
 * Open events: that a section opened or closed, once each, with all that a mail needs to say about it. Append-only. An opening
 * waits for its fan-out from the transaction on that writes it; a closing resets what its watchers were last told.
 */
export interface OpenEvents {
  /** In the transaction of whoever saw it. What is not a real edge (8.2) is left out, and not an error. */
  record(tx: Tx, seen: Seen): Promise<RecordedEdges>;
  /** An operator says that a section is open (`detected_by = manual`). */
  reportOpening(order: { termId: string; indexNumber: string; traceId: string }): Promise<Reported>;
  /** What the catalog said and the feed has missed (004-32): answers how many changes it has weighed. */
  weighCatalog(): Promise<number>;
  /** Retention (004-57): events and their deliveries of before; answers how many events went. */
  forget(beforeMs: number, limit: number): Promise<number>;
}

export interface Seen {
  /** Whose list it is in; a section's own campus is looked up. */
  list: ListKey;
  edges: readonly Edge[];
  detectedBy: OpenEventRow['detected_by'];
  snapshot: { id: number; hash: string } | null;
  traceId: string;
  at: number;
}

export interface Edge {
  indexNumber: string;
  statusBefore: SectionStatus;
  statusAfter: 'Open' | 'Closed';
}

export interface RecordedEdges {
  /** Indexes for which an event was written. */
  opened: string[];
  closed: string[];
  /** Left out: told a moment ago. */
  repeated: string[];
}

export type Reported = { kind: 'reported'; openEventId: number } | { kind: 'repeated' | 'section_not_found' };

export interface OpenEventsParts {
  db: Database;
  outbox: Pick<Outbox, 'remove'>;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Called after an opening that was not the poller's is committed: its fan-out need not wait for the next look. */
  onOpened?: () => void;
}

/** Rows of the catalog's words that one transaction weighs: an ingest after a long silence brings thousands. */
const wordsMax = 500;

export function createOpenEvents({ db, outbox, clock, ids, log, onOpened }: OpenEventsParts): OpenEvents {
  return {
    record: (tx, seen) => recordEdges(tx, db.dialect, seen),

    async reportOpening(order) {
      const reported = await db.transaction((tx) => recordReport(tx, db.dialect, order, clock.now()));
      const { termId, indexNumber: index, traceId } = order;
      log.info('seats.opening_reported', { ...reported, termId, index, traceId });
      if (reported.kind === 'reported') onOpened?.();
      return reported;
    },

    async weighCatalog() {
      const traceId = ids.uuid();
      const order = { limit: wordsMax, traceId };
      const weighed = await db.transaction((tx) =>
        weighWords(tx, db.dialect, { ...order, now: clock.now() }),
      );
      if (weighed.opened + weighed.closed > 0) log.info('seats.catalog_weighed', { ...weighed, traceId });
      if (weighed.opened > 0) onOpened?.();
      return weighed.count;
    },

    async forget(beforeMs, limit) {
      const forgotten = await forgetEvents({ db, outbox }, beforeMs, limit);
      const { events, deliveries, snapshots, words } = forgotten;
      if (events + deliveries + snapshots + words > 0) log.info('seats.forgotten', { ...forgotten });
      return events;
    },
  };
}
