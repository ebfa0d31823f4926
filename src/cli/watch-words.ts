import type { SubscriptionStatus } from '../db/seats-schema.ts';
import { iso } from '../outbox/delivery-json.ts';
import type { ListedWatch } from '../sources/course-seats/subscriptions/watch-list.ts';
import { ago, duration } from '../std/duration.ts';
import { printable } from './printable.ts';
import { sectionName, termName } from './seats-arguments.ts';

/** A watch for whoever has its owner on the telephone. */
export function tellWatch(watch: ListedWatch, now: number): string {
  const { subscriptionId, termId, indexNumber, section } = watch;
  return `Watch ${subscriptionId}, of ${sectionName(indexNumber, section)}, ${termName(termId)}: ${printable(stateOf(watch, now))}.`;
}

/** How it stands, without a stop. */
export function stateOf({ status, ended, preferences: { snoozeUntil } }: ListedWatch, now: number): string {
  if (ended) {
    const because = ended.because === null ? '' : ` (${ended.because})`;
    return `ended ${ago(now - ended.at)}, ${endWords[ended.how] ?? `by ${ended.how}`}${because}`;
  }
  const isSnoozed = snoozeUntil !== null && snoozeUntil > now;
  return `${stateWords[status]}${isSnoozed ? `, silent for ${duration(snoozeUntil - now)} more` : ''}`;
}

const stateWords: Readonly<Record<SubscriptionStatus, string>> = {
  active: 'active',
  pending: 'waits until its address is confirmed',
  paused: 'paused',
  suppressed: 'stopped, because the address must not be mailed',
  unsubscribed: 'ended',
};

const endWords: Readonly<Record<string, string>> = {
  'link in a mail': 'by the link in a mail',
  'manage page': 'by its owner, on its page',
  'all mails stopped': 'with all mails to the address',
  'term over': 'because the term is over',
  'never confirmed': 'because nobody confirmed the address',
  unknown: 'nobody wrote down how',
};

export function watchJson({ createdAt, undoUntil, ended, preferences, ...watch }: ListedWatch) {
  const { snoozeUntil } = preferences;
  return {
    ...watch,
    preferences: { ...preferences, snoozeUntil: iso(snoozeUntil) },
    ...{ createdAt: iso(createdAt), undoUntil: iso(undoUntil) },
    ended: ended && { ...ended, at: iso(ended.at) },
  };
}
