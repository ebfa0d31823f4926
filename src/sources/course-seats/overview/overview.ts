import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import { type EdgeHistory, readHistory } from './edge-history.ts';
import { type EventsOrder, readEvents, type SeenEvent } from './seen-events.ts';
import type { HistorySpan } from './spans.ts';
import {
  readWatchedPage,
  readWatchedSection,
  type SectionOverview,
  type WatchedOrder,
  type WatchedSection,
} from './watched-sections.ts';

/**
 * Course seats as whoever runs them looks at them: which sections are watched and how each stands, what opened and whom that told.
 * It reads by indexes and page by page, and changes nothing. Nobody's address is in it.
 */
export interface SeatOverview {
  /** Sections that somebody watches, by term and index. */
  sections(order: WatchedOrder): Promise<WatchedSection[]>;
  /** Undefined where neither the catalog nor the feed nor a watch has it. */
  section(termId: string, indexNumber: string): Promise<SectionOverview | undefined>;
  /** Openings and closings, newest first. */
  events(order: EventsOrder): Promise<SeenEvent[]>;
  history(span: HistorySpan): Promise<EdgeHistory>;
}

export function createSeatOverview({ db, clock }: { db: Database; clock: Clock }): SeatOverview {
  return {
    sections: (order) => readWatchedPage(db, order),
    section: (termId, indexNumber) => readWatchedSection(db, termId, indexNumber),
    events: (order) => readEvents(db, order),
    history: (span) => readHistory(db, span, clock.now()),
  };
}
