import type { OpenEventRow, SubscriptionRow } from '../../src/db/seats-schema.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import type { Clock } from '../../src/std/clock.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import { createGateWatch, isSeat, seatSource } from './gate.ts';
import type { OpeningWatch } from './openings.ts';
import type { Seats } from './seat-tables.ts';

/** Who hears of an opening, who does not, and what is written down of it: by the tables, and by an account of our own. */
export interface HearingWatch {
  /** A source has booked these, in the commit that is looked at next. */
  told(facts: readonly Fact[]): void;
  look(change: Change): void;
  atTheEnd(seats: Seats, rows: readonly WatchedRow[]): void;
}

export interface Change {
  before: Seats;
  seats: Seats;
  rowsBefore: readonly WatchedRow[];
  rows: readonly WatchedRow[];
}

interface Parts {
  violate: Violate;
  clock: Clock;
  openings: OpeningWatch;
}

export function createHearingWatch({ violate, clock, openings }: Parts): HearingWatch {
  const gate = createGateWatch({ violate, clock, openings });
  /** What each watch was last told, by our own account. */
  const known = new Map<number, 'Open' | 'not open'>();
  const sent = new Map<number, number>();
  const booked = new Set<string>();
  /** Openings that are being told: to whom they must be. */
  const waiting = new Map<number, Set<number>>();
  let facts: readonly Fact[] = [];

  const wants = (watch: SubscriptionRow, event: OpenEventRow) =>
    watch.index_number === event.index_number &&
    (watch.status === 'active' || watch.status === 'pending') &&
    watch.notify_on.includes('"open"') &&
    (watch.max_notifications === null || watch.notifications_sent < watch.max_notifications) &&
    known.get(watch.subscription_id) !== 'Open';

  function keepAccount({ before, seats }: Change): void {
    for (const event of seats.events) {
      if (event.status_after !== 'Closed') continue;
      for (const watch of seats.watches.values()) {
        if (watch.index_number === event.index_number) known.set(watch.subscription_id, 'not open');
      }
    }
    for (const [id, watch] of seats.watches) {
      if (before.watches.has(id)) continue;
      known.set(id, watch.last_known_section_status === 'Open' ? 'Open' : 'not open');
      const list = watch.index_number === '40001' ? 'ONLINE_NB' : 'NB';
      const isBelieved = openings.isOpenIn(list, watch.index_number);
      if (watch.last_known_section_status === 'Open' && !isBelieved) {
        violate(
          'last known',
          `watch ${id} begins as told of ${watch.index_number}, which nobody believes open`,
        );
      }
    }
    for (const { kind, delivery } of facts) {
      if (kind !== 'first_accepted' || delivery.source !== seatSource) continue;
      const name = `${delivery.occasion} ${delivery.recipient}`;
      if (booked.has(name)) continue;
      booked.add(name);
      const id = Number(delivery.recipient);
      sent.set(id, (sent.get(id) ?? 0) + 1);
      const event = openings.event(Number(delivery.occasion));
      // What was closed since may be opened anew, and then they are to hear of it.
      if (openings.lastClosing(event?.index_number ?? '') < Number(delivery.occasion)) known.set(id, 'Open');
    }
    facts = [];
  }

  function checkBooks({ before, seats }: Change): void {
    for (const [id, watch] of seats.watches) {
      // Who goes on after their last mail wants as many again.
      const wasPaused = before.watches.get(id)?.status === 'paused';
      if (wasPaused && watch.status !== 'paused' && watch.notifications_sent === 0) sent.set(id, 0);
      const isOpen = watch.last_known_section_status === 'Open';
      if (isOpen !== (known.get(id) === 'Open')) {
        const told = isOpen ? 'as told, and was not' : 'as not told, and was';
        violate('last known', `watch ${id} of ${watch.index_number} is written down ${told}`);
      }
      if (watch.notifications_sent !== (sent.get(id) ?? 0)) {
        violate(
          'last known',
          `watch ${id} has ${watch.notifications_sent} mails written down, and had ${sent.get(id) ?? 0}`,
        );
      }
      const { max_notifications: max, notifications_sent: had } = watch;
      const hadBefore = before.watches.get(id)?.notifications_sent ?? had;
      if (max !== null && had >= max && had > hadBefore && watch.status === 'active') {
        violate('who should not hear does not', `watch ${id} has had ${had} mails of ${max}, and goes on`);
      }
    }
    for (const { event_type: type, open_event_id: event, subscription_id: id } of seats.entries) {
      if (type !== 'notify_sent') continue;
      const name = `${event} ${id}`;
      if (!booked.has(name))
        violate('last known', `watch ${id} has notify_sent of ${event}, which nobody accepted`);
      if (entered.has(name)) violate('last known', `watch ${id} has notify_sent of ${event} twice`);
      entered.add(name);
    }
  }
  const entered = new Set<string>();

  function checkFanOut({ before, seats, rowsBefore, rows }: Change): void {
    for (const event of seats.events) {
      if (event.status_after === 'Open') {
        const to = [...seats.watches.values()].filter((watch) => wants(watch, event));
        waiting.set(event.open_event_id, new Set(to.map((watch) => watch.subscription_id)));
      }
    }
    const names = new Set(rows.filter(isSeat).map(({ occasion, recipient }) => `${occasion} ${recipient}`));
    for (const { open_event_id: id, finished_at } of seats.fanouts) {
      const event = openings.event(id);
      const to = waiting.get(id);
      if (!to || !event) continue;
      for (const watchId of to) {
        const watch = seats.watches.get(watchId);
        if (!names.has(`${id} ${watchId}`) && !(watch && wants(watch, event))) to.delete(watchId);
      }
      if (finished_at === null) continue;
      waiting.delete(id);
      const missing = [...to].find((watchId) => !names.has(`${id} ${watchId}`));
      if (missing !== undefined) {
        violate('nobody is forgotten', `the fan-out of ${id} is finished, without watch ${missing}`);
      }
    }
    const had = new Set(rowsBefore.map(({ seq }) => seq));
    for (const row of rows) {
      if (had.has(row.seq) || !isSeat(row)) continue;
      const event = openings.event(Number(row.occasion));
      const watch = before.watches.get(Number(row.recipient)) ?? seats.watches.get(Number(row.recipient));
      if (event?.status_after !== 'Open' || !watch || !wants(watch, event)) {
        violate(
          'who should not hear does not',
          `watch ${row.recipient} is to hear of ${row.occasion}, and should not`,
        );
      }
    }
  }

  return {
    told(more) {
      facts = [...facts, ...more];
    },
    look(change) {
      keepAccount(change);
      checkBooks(change);
      checkFanOut(change);
      gate.look(change);
    },
    atTheEnd({ fanouts }, rows) {
      const open = fanouts.find(({ finished_at }) => finished_at === null);
      if (open) violate('everything ends', `the fan-out of ${open.open_event_id} is not finished`);
      for (const row of rows) {
        if (isSeat(row) && row.sent_at !== null && !entered.has(`${row.occasion} ${row.recipient}`)) {
          violate(
            'last known',
            `#${row.seq} was accepted, and watch ${row.recipient} has no notify_sent of it`,
          );
        }
      }
    },
  };
}
