import { createTokens } from '../../consent/token.ts';
import type { Unsubscribe } from '../../consent/unsubscribe.ts';
import type { Database } from '../../db/database.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Clock } from '../../std/clock.ts';
import type { Ids } from '../../std/ids.ts';
import type { Log } from '../../std/log.ts';
import type { Random } from '../../std/random.ts';
import type { Chore, Source } from '../source.ts';
import { type Catalog, createCatalog } from './catalog/catalog.ts';
import { createIngestChore } from './catalog/ingest-chore.ts';
import { createFanOut, type FanOut } from './events/fan-out.ts';
import { createOpenEvents, type OpenEvents } from './events/open-events.ts';
import { createPoller, type Poller } from './feed/poller.ts';
import { createSeatSource } from './mail/seat-source.ts';
import { createVerificationSource } from './mail/verification-source.ts';
import type { OpenedFeed, SeatsByHand, SectionKey } from './open-feed.ts';
import { createSeatOverview, type SeatOverview } from './overview/overview.ts';
import { noRegistrationUrl, type RegistrationUrl, rutgersRegistrationUrl } from './registration.ts';
import { readSeatsStatus, type SeatsStatus } from './status.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts';
import { createTermsWanted } from './wanted-catalogs.ts';

/**
 * Course seats: a student watches a section, and when it opens they are told, once. The feed says what is open; the poller turns
 * lists into edges, the events keep them, the fan-out makes a delivery for everybody who watches, and the source answers for each
 * mail when it is due. It never sends, and never tells anybody of a list that only hiccups.
 */
export interface CourseSeats {
  readonly sources: readonly Source[];
  /** What it does by itself, where somebody works. */
  readonly chores: readonly Chore[];
  readonly catalog: Catalog;
  readonly subscriptions: Subscriptions;
  readonly events: OpenEvents;
  readonly poller: Poller;
  readonly fanOut: FanOut;
  readonly registrationUrl: RegistrationUrl;
  readonly timeZone: string;
  readonly verifiesAddresses: boolean;
  /** A campus that is not there. */
  readonly isSample: boolean;
  /** Of a sample: what opens and closes all the time. */
  moving(): readonly SectionKey[];
  readonly byHand: SeatsByHand | undefined;
  status(): Promise<SeatsStatus>;
  readonly overview: SeatOverview;
  close(): Promise<void>;
}

export interface CourseSeatsParts extends OpenedFeed {
  db: Database;
  outbox: Outbox;
  unsubscribe: Pick<Unsubscribe, 'linksFor' | 'undoFor' | 'startAgain'>;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  namespace: string;
  /** The first signs; all are accepted. */
  secrets: readonly string[];
  baseUrl: () => string;
  timeZone: string;
  verifiesAddresses: boolean;
  /** This process among those that could poll. */
  holder: string;
  /** A page of deliveries was committed. */
  onEnqueued: () => void;
}

const confirmPath = '/seats/confirm';
const managePath = '/seats/manage';

/** 004-57 */
const retentionMs = 30 * 86_400_000;
const housekeepBatch = 200;

export function createCourseSeats(parts: CourseSeatsParts): CourseSeats {
  const { db, feed, clock, log, baseUrl, secrets, timeZone, verifiesAddresses, configured } = parts;
  const tokens = createTokens(secrets, 'seats');
  const link = (path: string) => (token: string) => `${baseUrl().replace(/\/+$/, '')}${path}/${token}`;
  const catalog = createCatalog(parts);
  const fanOut = createFanOut(parts);
  const events = createOpenEvents({ ...parts, onOpened: fanOut.wake });
  const poller = createPoller({ ...parts, events, onOpened: fanOut.wake });
  const subscriptions = createSubscriptions({ ...parts, catalog, tokens });
  const registrationUrl = parts.isSample ? noRegistrationUrl : rutgersRegistrationUrl;
  const mail = {
    ...{ db, clock, log, timeZone, verifiesAddresses, subscriptions, registrationUrl },
    tokenOf: tokens.of,
    links: {
      manageUrl: link(managePath),
      confirmUrl: link(confirmPath),
      unsubscribeUrls: parts.unsubscribe.linksFor,
    },
  };
  const wanted = createTermsWanted({ db, configured });
  const chores: Chore[] = [
    poller.chore,
    fanOut.chore,
    createIngestChore({ db, catalog, clock, log, wanted }),
    {
      ...{ name: 'seats-catalog', pauseMs: 5_000 },
      once: async () => ((await events.weighCatalog()) > 0 ? 'again' : 'pause'),
    },
    {
      ...{ name: 'seats-housekeeping', pauseMs: 60_000 },
      async once() {
        const ended = await subscriptions.housekeep(housekeepBatch);
        const forgotten = await events.forget(clock.now() - retentionMs, housekeepBatch);
        return Math.max(ended, forgotten) >= housekeepBatch ? 'again' : 'pause';
      },
    },
  ];
  return {
    sources: [createSeatSource(mail), createVerificationSource(mail)],
    ...{ chores, catalog, subscriptions, events, poller, fanOut, timeZone, verifiesAddresses },
    ...{ registrationUrl, isSample: parts.isSample, moving: () => parts.moving?.() ?? [] },
    byHand: parts.byHand,
    status: () => readSeatsStatus(db, clock),
    overview: createSeatOverview({ db, clock }),
    close: () => feed.close(),
  };
}
