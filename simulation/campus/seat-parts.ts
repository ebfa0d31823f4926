import type { Consent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Catalog } from '../../src/sources/course-seats/catalog/catalog.ts';
import { createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import type { OpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import type { Subscriptions } from '../../src/sources/course-seats/subscriptions/subscriptions.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog as log } from '../../src/std/log.ts';
import type { Faults } from '../faults.ts';
import { overheardSource } from '../overheard-source.ts';
import { idsOf, type World } from '../world.ts';
import { type Campus, campusCodes, seatSecrets, termId, timeZone } from './campus.ts';
import type { CampusFeed } from './campus-feed.ts';

/** Course seats as one process has them, put together as the front door of the source does it. */
export interface SeatParts {
  sources: readonly Source[];
  turns: Readonly<Record<SeatTurn, () => Promise<unknown>>>;
  catalog: Catalog;
  events: OpenEvents;
  subscriptions: Subscriptions;
}

const seatTurns = ['poll', 'fan_out', 'weigh', 'ingest', 'housekeep', 'poll_now'] as const;
export type SeatTurn = (typeof seatTurns)[number];

export interface CampusSide {
  campus: Campus;
  feed: CampusFeed;
}

interface Parts {
  name: string;
  world: World;
  campus: CampusSide;
  db: Database;
  faults: Pick<Faults, 'call' | 'clock'>;
  outbox: Outbox;
  consent: Consent;
  stopping: AbortController;
}

export function createSeatParts(parts: Parts): SeatParts {
  const { name, world, campus, db, faults, outbox, consent, stopping } = parts;
  const { chance, namespace } = world;
  const { clock } = faults;
  const seats = createCourseSeats({
    ...{ db, outbox, clock, log, namespace, random: chance, holder: name, timeZone },
    ids: { ...idsOf(chance), uuid: () => `trace-${chance.between(1, 999_999_999)}` },
    unsubscribe: consent.unsubscribe,
    feed: campus.feed.of(name, (what, work) => faults.call(what, work)),
    ...{ isSample: false, configured: { termIds: [termId], campusCodes } },
    ...{ secrets: seatSecrets, baseUrl: () => 'https://seats.example.org', verifiesAddresses: true },
    onEnqueued: () => {},
  });
  const { catalog, events, fanOut, poller, subscriptions } = seats;
  const housekeeping = seats.chores.find((chore) => chore.name === 'seats-housekeeping');
  const ingest = async () => {
    for (const campusCode of campusCodes)
      await catalog.ingest({ termId, campusCode, signal: stopping.signal });
  };
  return {
    sources: seats.sources.map((source) => overheardSource(source, world)),
    ...{ catalog, events, subscriptions },
    turns: {
      poll() {
        campus.feed.begins(name, false);
        return poller.runOnce(stopping.signal);
      },
      poll_now() {
        campus.feed.begins(name, true);
        return poller.pollNow(undefined, stopping.signal);
      },
      fan_out: () => fanOut.runOnce(),
      weigh: () => events.weighCatalog(),
      ingest,
      housekeep: async () => housekeeping?.once(stopping.signal),
    },
  };
}
