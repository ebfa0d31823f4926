import type { Provider } from '../../providers/provider.ts';
import type { Catalog } from '../../sources/course-seats/catalog/catalog.ts';
import type { CourseSeats } from '../../sources/course-seats/course-seats.ts';
import type { OpenEvents } from '../../sources/course-seats/events/open-events.ts';
import type { Poller } from '../../sources/course-seats/feed/poller.ts';
import type { RegistrationUrl } from '../../sources/course-seats/registration.ts';
import type { Subscriptions } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { createRateLimit, type RateLimit } from '../../std/rate-limit.ts';
import { keptFor } from '../kept.ts';
import type { Freshness } from '../pages/seats/section-view.ts';

/** What the routes and pages of course seats work with. */
export interface Seats {
  catalog: Pick<Catalog, 'search' | 'section' | 'terms'>;
  subscriptions: Omit<Subscriptions, 'left' | 'returned' | 'housekeep' | 'stop' | 'list' | 'recipientsAt'>;
  events: Pick<OpenEvents, 'reportOpening'>;
  poller: Pick<Poller, 'status'>;
  /** Of the campuses: quiet hours are in it. */
  timeZone: string;
  registrationUrl: RegistrationUrl;
  /** False where an address is taken as it comes. */
  verifiesAddresses: boolean;
  /** A campus that is not there; its students are told so. */
  isSample: boolean;
  /** Of a sample: what opens and closes all the time. */
  moving: CourseSeats['moving'];
  status: CourseSeats['status'];
  overview: CourseSeats['overview'];
}

/** Requests a minute from one network, for what needs no key. */
export interface SeatLimits {
  /** Searches, and pages of sections. */
  looks: number;
  /** Watches that are asked for; the subscriptions have limits of their own besides. */
  watches: number;
  /** Whatever is asked with the link of a mail. */
  links: number;
}

/** A lecture hall may be behind one address; nobody fills in a form ten times a minute. */
const limitsByDefault: SeatLimits = { looks: 240, watches: 20, links: 120 };

export interface SeatParts {
  seats: Seats;
  /** Who takes the mail; of the built-in inbox students are told where it is. */
  provider: Pick<Provider, 'name'>;
  seatLimits?: SeatLimits | undefined;
  clock: Clock;
  log: Log;
}

export interface SeatRouteParts extends Omit<SeatParts, 'seatLimits' | 'provider'> {
  /** Mail goes to the built-in inbox, and leaves this machine nowhere. */
  hasInbox: boolean;
  limits: Readonly<Record<keyof SeatLimits, RateLimit>>;
  /** How fresh is what is believed of a campus's sections? */
  freshness(): Promise<(of: { termId: string; campusCode: string }) => Freshness>;
  /** Does the university answer with anything but failures? */
  isFailing(): Promise<boolean>;
}

const minuteMs = 60_000;
const statusKeptMs = 1_000; // Anybody can ask for these pages.

export function seatRouteParts({
  seats,
  provider,
  seatLimits = limitsByDefault,
  clock,
  log,
}: SeatParts): SeatRouteParts {
  const status = keptFor(statusKeptMs, clock, () => seats.poller.status());
  const { looks, watches, links } = seatLimits;
  return {
    ...{ seats, clock, log, hasInbox: provider.name === 'capture' },
    limits: {
      looks: createRateLimit(looks, minuteMs, clock),
      watches: createRateLimit(watches, minuteMs, clock),
      links: createRateLimit(links, minuteMs, clock),
    },
    isFailing: async () => (await status()).some(({ failures }) => failures > 0),
    async freshness() {
      const lists = await status();
      return ({ termId, campusCode }) => {
        const list = lists.find((one) => one.termId === termId && one.campuses.includes(campusCode));
        if (!list) return { goodAt: null, isHeld: false, isStale: false };
        const { goodAt, isHeld, isStale } = list;
        return { goodAt, isHeld, isStale };
      };
    },
  };
}
