import type { OpenEventRow, SubscriptionRow } from '../../src/db/seats-schema.ts';
import { statuses } from '../../src/domain/status.ts';
import type { Clock } from '../../src/std/clock.ts';
import { skewMs, type Violate, type WatchedRow } from '../promises.ts';
import { timeZone } from './campus.ts';
import type { Change } from './hearing.ts';
import type { OpeningWatch } from './openings.ts';

/** The last look before a seat mail leaves, looked at: who may have it now, and whether what ended without one had a reason that is so. */
export interface GateWatch {
  look(change: Change): void;
}

export const seatSource = 'course-seats';
export const isSeat = (row: WatchedRow) => row.source === seatSource;

interface Parts {
  violate: Violate;
  clock: Clock;
  openings: OpeningWatch;
}

export function createGateWatch({ violate, clock, openings }: Parts): GateWatch {
  /** Why this mail must not leave now; undefined where it may. */
  function objectionTo(row: WatchedRow, { seats, rows }: Change): string | undefined {
    const watch = seats.watches.get(Number(row.recipient));
    const event = openings.event(Number(row.occasion));
    if (!watch || !event) return 'it is gone';
    const { max_notifications: max, notifications_sent: had } = watch;
    // What bounced for now was counted when it was accepted: its next round is not one more mail.
    const isCounted = row.sent_at !== null;
    const isPausedByCount = watch.status === 'paused' && max !== null && had >= max;
    if (watch.status !== 'active' && !(isCounted && isPausedByCount)) return `it is ${watch.status}`;
    if (watch.verified_at === null) return 'nobody has confirmed the address';
    if (max !== null && had >= max && !isCounted) return 'it has had enough';
    if ((watch.snooze_until ?? 0) > clock.now() + skewMs) return 'it is snoozed';
    if (!isWelcome(watch, clock.now())) return 'the hours are quiet';
    if (openings.last(event.index_number)?.status_after !== 'Open') return `${event.index_number} is closed`;
    const newer = othersOf(row, rows).find(
      (other) =>
        Number(other.occasion) > Number(row.occasion) &&
        (!statuses[other.status].isFinal || other.sent_at !== null),
    );
    return newer && `a later opening is told to it, as #${newer.seq}`;
  }

  /** It ended without a mail: the reason that is written down must be so. */
  function checkEnd(before: WatchedRow, row: WatchedRow, change: Change): void {
    const { code = '' } = JSON.parse(row.last_error ?? '{}') as { code?: string };
    const watch = change.seats.watches.get(Number(row.recipient));
    const event = openings.event(Number(row.occasion));
    const isSo = watch === undefined || event === undefined || isTrue(code, watch, event, row, change);
    if (!isSo) {
      violate(
        'nobody is forgotten',
        `#${row.seq} ended as ${row.status} because of ${code}, which is not so`,
      );
    }
    if (before.status === 'claimed' && row.attempts !== before.attempts + 1) {
      const attempts = `${before.attempts} attempts became ${row.attempts}`;
      violate('attempts', `#${row.seq} ended by a verdict of the gate, and ${attempts}`);
    }
  }

  function isTrue(
    code: string,
    watch: SubscriptionRow,
    event: OpenEventRow,
    row: WatchedRow,
    { rows }: Change,
  ): boolean {
    const others = othersOf(row, rows);
    switch (code) {
      case 'unverified':
        // What came back was the mail that asked its owner: then it is suppressed, and nobody has confirmed it either.
        return watch.status === 'pending' || (watch.status === 'suppressed' && watch.verified_at === null);
      case 'paused':
        return watch.status === 'paused';
      case 'suppressed':
        return watch.status === 'suppressed';
      case 'not_wanted':
        return !watch.notify_on.includes('"open"');
      case 'max_notifications':
        return watch.max_notifications !== null && watch.notifications_sent >= watch.max_notifications;
      case 'seat_closed':
        return openings.last(event.index_number)?.status_after === 'Closed';
      case 'superseded':
        return others.some((other) => Number(other.occasion) > Number(row.occasion));
      case 'already_told':
        return others.some(
          (other) => Number(other.occasion) < Number(row.occasion) && other.sent_at !== null,
        );
      default:
        return false;
    }
  }

  return {
    look(change) {
      const had = new Map(change.rowsBefore.map((row) => [row.seq, row]));
      for (const row of change.rows) {
        const before = had.get(row.seq);
        if (!before || !isSeat(row) || before.status === row.status) continue;
        if (row.status === 'skipped_ineligible' || row.status === 'expired') checkEnd(before, row, change);
        if (before.status !== 'claimed' || row.status !== 'sending') continue;
        const why = objectionTo(row, change);
        if (why)
          violate('who should not hear does not', `#${row.seq} leaves for watch ${row.recipient}: ${why}`);
      }
    },
  };
}

/** What else was to be told to the same person. */
function othersOf(row: WatchedRow, rows: readonly WatchedRow[]): WatchedRow[] {
  return rows.filter((other) => isSeat(other) && other.recipient === row.recipient && other.seq !== row.seq);
}

/** By the clock on the wall of the campus; a process may be a little ahead of it, or behind. */
function isWelcome(
  { window_start_minutes: start, window_end_minutes: end }: SubscriptionRow,
  now: number,
): boolean {
  if (start === null || end === null || start === end) return true;
  return [now - skewMs, now, now + skewMs].some((at) => {
    const minute = minuteOfDay(at);
    return start < end ? minute >= start && minute < end : minute >= start || minute < end;
  });
}

const wall = new Intl.DateTimeFormat('en-GB', {
  timeZone,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

function minuteOfDay(at: number): number {
  const [hours = 0, minutes = 0] = wall.format(at).split(':').map(Number);
  return hours * 60 + minutes;
}
