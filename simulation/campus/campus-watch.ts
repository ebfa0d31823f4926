import type { Database } from '../../src/db/database.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import type { Clock } from '../../src/std/clock.ts';
import type { Ledger } from '../ledger.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { SideWatch } from '../side-watch.ts';
import type { Story } from '../story.ts';
import type { CampusFeed } from './campus-feed.ts';
import { createHearingWatch } from './hearing.ts';
import { createOpeningWatch } from './openings.ts';
import { createSeatReader, type Seats } from './seat-tables.ts';

/** Keeps an eye on the tables of course seats, after every commit that has written to them or to the deliveries. */
export interface CampusWatch extends SideWatch {
  told(facts: readonly Fact[]): void;
  reported(index: string): void;
  atTheEnd(rows: readonly WatchedRow[]): Promise<void>;
  readonly seats: Seats;
  /** That there ever were. */
  readonly eventCount: number;
}

export interface CampusWatchParts {
  db: Database;
  violate: Violate;
  story: Story;
  clock: Clock;
  ledger: Ledger;
  feed: CampusFeed;
}

const nothing: Seats = {
  ...{ events: [], snapshots: [], lists: [], words: [], fanouts: [], entries: [] },
  ...{ beliefs: new Map(), watches: new Map() },
};

export function createCampusWatch({
  db,
  violate,
  story,
  clock,
  ledger,
  feed,
}: CampusWatchParts): CampusWatch {
  const reader = createSeatReader(db);
  const openings = createOpeningWatch({ violate, story, clock, told: feed.told });
  const hearing = createHearingWatch({ violate, clock, openings });
  let seats = nothing;
  let checked = 0;
  let eventCount = 0;

  return {
    told: hearing.told,
    reported: openings.reported,
    async look(written, rowsBefore, rows) {
      if (written.size === 0) return;
      const before = seats;
      // What only grows is told once.
      seats = written.has('seats')
        ? await reader.read()
        : { ...seats, events: [], snapshots: [], entries: [] };
      eventCount += seats.events.length;
      openings.look(before, seats);
      hearing.look({ before, seats, rowsBefore, rows });
      for (; checked < ledger.entries.length; checked++) {
        const { key, deliveryId, round } = ledger.entries[checked] as (typeof ledger.entries)[number];
        const own = round > 1 ? `${deliveryId}-r${round}` : deliveryId;
        if (key !== own) violate('keys', `a mail of ${deliveryId} left under ${key}`);
      }
    },
    async atTheEnd(rows) {
      seats = await reader.read();
      hearing.atTheEnd(seats, rows);
    },
    get eventCount() {
      return eventCount;
    },
    get seats() {
      return seats;
    },
  };
}
