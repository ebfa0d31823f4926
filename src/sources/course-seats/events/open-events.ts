import type { Tx } from '../../../db/database.ts';
import type { OpenEventRow, SectionStatus } from '../../../db/seats-schema.ts';
import type { ListKey } from '../term.ts';

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
