import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { type Status, statuses } from '../../../domain/status.ts';
import type { Verdict } from '../../../outbox/begin.ts';
import { nextWelcomeAt } from '../subscriptions/quiet-hours.ts';
import { termEndsAt } from '../term.ts';
import { notifyOnOf } from './mail-job.ts';

/**
 * May this seat mail leave now? A pure function of what the gate has read. What the person wants outweighs what became of the
 * seat, and both outweigh the hour: a mail that waits for the morning is asked about again in the morning.
 */
export interface Circumstances {
  now: number;
  timeZone: string;
  verifiesAddresses: boolean;
  watch: SubscriptionRow | undefined;
  event: EventFacts | undefined;
  /** Other open events that are, or were, to be told to the same subscription. */
  siblings: readonly Sibling[];
}

interface EventFacts {
  openEventId: number;
  termId: string;
  eventAt: number;
  /** The last closing before this opening, and the last closing and opening after it, by their numbers. */
  closedBefore: number | null;
  closedAfter: number | null;
  openedAfter: number | null;
  /** The last opening is still being told to people, and this one's turn has not come. */
  isFanningOut: boolean;
  /** Since when the list is without the section; null while it is in it. */
  listClosedAt: number | null;
  /** A mail about it was accepted before: this is a later round of one that is counted already. */
  isBooked: boolean;
  /** If the watch is paused, then because of the number of mails, and not by its owner's hand. */
  isPausedByCount: boolean;
}

export interface Sibling {
  openEventId: number;
  status: Status;
  wasAccepted: boolean;
}

export function judge(circumstances: Circumstances): Verdict | undefined {
  const { watch, event } = circumstances;
  if (!watch || !event) return ineligible('event_gone', 'The open event or the subscription is gone.');
  return (
    byTheWatch(watch, event, circumstances) ??
    byTheSeat(event, circumstances) ??
    byTheCount(watch, event, circumstances) ??
    byTheHour(watch, circumstances)
  );
}

const unverified = ineligible('unverified', 'Nobody has confirmed this address.');

function byTheWatch(
  watch: SubscriptionRow,
  event: EventFacts,
  { verifiesAddresses }: Circumstances,
): Verdict | undefined {
  switch (watch.status) {
    case 'unsubscribed':
      return {
        event: 'unsubscribed',
        error: { code: 'unsubscribed', message: 'They no longer watch this section.' },
      };
    case 'suppressed':
      // Consent's list says who must not be mailed, and is asked in the same transaction. Once the line is lifted, an operator may
      // send again what has bounced.
      if (verifiesAddresses && watch.verified_at === null) return unverified;
      break;
    case 'paused':
      // Its own first round paused it, and then bounced: without this one their last mail would never arrive.
      if (event.isBooked && event.isPausedByCount) break;
      return ineligible('paused', 'They have paused this watch.');
    case 'pending':
      if (verifiesAddresses) return unverified; // 8.5
      break;
    case 'active':
  }
  if (!notifyOnOf(watch).includes('open')) return ineligible('not_wanted', 'They do not ask for openings.');
  return undefined;
}

/** 8.7, 8.13. Openings and closings go by their numbers: two may have been seen in the same millisecond. */
function byTheSeat(event: EventFacts, { now, siblings }: Circumstances): Verdict | undefined {
  const { openEventId, closedBefore, closedAfter, openedAfter, listClosedAt } = event;
  if ((termEndsAt(event.termId) ?? Number.POSITIVE_INFINITY) <= now)
    return expired('term_over', 'The term is over.');
  const isClosed = (closedAfter ?? 0) > (openedAfter ?? openEventId);
  // "After the event": an operator, or the catalog, may know of an opening that the list does not have.
  if (isClosed || (openedAfter === null && listClosedAt !== null && listClosedAt > event.eventAt))
    return expired('seat_closed', 'The section has closed again.');
  const newer = siblings.filter((sibling) => sibling.openEventId > openEventId);
  if (newer.some(isToldOrWaits))
    return expired('superseded', 'They are told of a later opening of the same section.');
  if (event.isFanningOut) {
    const error = { code: 'newer_opening', message: 'A later opening is just being told to its watchers.' };
    return { event: 'deferred', dueAt: now + fanoutPauseMs, error };
  }
  // The same opening, seen twice. One after a recorded closing is another (004-56), whoever was told of the one before.
  const same = siblings.filter(
    (other) => other.openEventId < openEventId && other.openEventId > (closedBefore ?? 0),
  );
  if (same.some(({ wasAccepted }) => wasAccepted))
    return ineligible('already_told', 'They were told of this opening before.');
  if (!same.some(isInDoubt)) return undefined;
  const error = {
    code: 'told_in_doubt',
    message: 'An earlier mail about this opening may have reached them.',
  };
  return { event: 'deferred', dueAt: now + doubtPauseMs, error };
}

/** A fan-out takes a moment; if it comes to this person, the later mail is the better one. */
const fanoutPauseMs = 2_000;

function isToldOrWaits({ status, wasAccepted }: Sibling): boolean {
  return wasAccepted || !statuses[status].isFinal;
}

/** What is in doubt may count or not: it is settled first. What only an operator can settle does not count. */
function byTheCount(
  watch: SubscriptionRow,
  { isBooked }: EventFacts,
  { now, siblings }: Circumstances,
): Verdict | undefined {
  const { max_notifications: max, notifications_sent: sent } = watch;
  if (max === null || isBooked) return undefined;
  if (sent >= max) return ineligible('max_notifications', 'They have had as many mails as they want.');
  if (sent + siblings.filter(isInDoubt).length < max) return undefined;
  const error = { code: 'count_in_doubt', message: 'An earlier mail may have been the last one they want.' };
  return { event: 'deferred', dueAt: now + doubtPauseMs, error };
}

const doubtPauseMs = 30_000;

function isInDoubt({ status }: Sibling): boolean {
  return status === 'sending' || status === 'reconciling';
}

/** 8.7 */
export function byTheHour(
  watch: SubscriptionRow,
  { now, timeZone }: Pick<Circumstances, 'now' | 'timeZone'>,
): Verdict | undefined {
  const { window_start_minutes: startMinutes, window_end_minutes: endMinutes, snooze_until } = watch;
  const window = startMinutes === null || endMinutes === null ? null : { startMinutes, endMinutes };
  const awakeAt = Math.max(now, snooze_until ?? 0);
  const dueAt = nextWelcomeAt(awakeAt, window, timeZone);
  if (dueAt <= now) return undefined;
  const error =
    awakeAt > now
      ? { code: 'snoozed', message: 'They asked for silence until then.' }
      : { code: 'quiet_hours', message: 'Mail is not welcome at this hour.' };
  return { event: 'deferred', dueAt, error };
}

function ineligible(code: string, message: string): Verdict {
  return { event: 'ineligible', error: { code, message } };
}

function expired(code: string, message: string): Verdict {
  return { event: 'expired', error: { code, message } };
}
