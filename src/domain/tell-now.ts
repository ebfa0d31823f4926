import { ago, duration } from '../std/duration.ts';
import { isHeldBack } from './delivery.ts';
import { capital, nameOf } from './hindrances.ts';
import { type Meaning, meanings } from './meanings.ts';
import { type Status, statuses } from './status.ts';
import type { DeliveryState } from './transition.ts';

/**
 * How a delivery stands, in a sentence: also while it is under way, when its story has no sentence for that yet.
 * Error messages are other people's texts and come out as they are: whoever shows a sentence escapes it for its place.
 */
export interface Standing {
  sentence: string;
  meaning: Meaning;
  /** Nobody knows yet whether a mail exists. */
  isDoubt: boolean;
}

export function tellNow(state: DeliveryState, now: number): Standing {
  const isDoubt = statuses[state.status].mailExists === 'perhaps' || state.firstPossibleAcceptAt !== null;
  return {
    sentence: capital(nowSentences[state.status](state, now)),
    meaning: meanings[state.status],
    isDoubt,
  };
}

const nowSentences: Record<Status, (state: DeliveryState, now: number) => string> = {
  pending: (state, now) => `It waits to be sent, ${due(state, now)}.`,
  failed_transient: (state, now) => `It is known not to have arrived and is tried again, ${due(state, now)}.`,
  claimed: (state, now) => `${holder(state)} has had it in hand; nothing has left yet.${leaseOf(state, now)}`,
  sending: (state, now) =>
    `${holder(state)} has been handing it to ${nameOf(state.account)} (attempt ${state.attempts + 1}).${leaseOf(state, now)}`,
  reconciling: (state, now) =>
    `A mail may exist: we don't know yet whether ${nameOf(state.account)} accepted it. ${
      state.lockedBy === null
        ? `Looking into it is ${due(state, now)}`
        : `${capital(holder(state))} has been looking into it`
    }.`,
  needs_review: ({ account }) =>
    `Nobody can find out whether ${nameOf(account)} accepted it. A person must decide.`,
  // sent_at is the first time; of a later round, its own beginning is nearer the truth.
  sent: ({ account, sentAt: firstAt, lastAttemptAt, round, providerMessageId }, now) => {
    const sentAt = round > 1 ? (lastAttemptAt ?? firstAt) : firstAt;
    return providerMessageId === null
      ? `It counts as sent since ${ago(now - (sentAt ?? now))}, without an answer of the provider.`
      : `${nameOf(account)} accepted it ${ago(now - (sentAt ?? now))}.`;
  },
  delivered: ({ account, deliveredAt, sentAt }, now) => {
    const when = ago(now - (deliveredAt ?? sentAt ?? now));
    return nameOf(account) === 'capture'
      ? `The built-in inbox reported it as delivered ${when}; no mail left this machine.`
      : `It reached the recipient's mail server ${when}.`;
  },
  failed_permanent: (state) => {
    if (state.firstPossibleAcceptAt !== null) return 'Given up in doubt: it may have been sent.';
    const why = state.lastError
      ? `: ${(state.lastError.message ?? state.lastError.code).replace(/[.\s]+$/, '')}`
      : '';
    if (state.sentAt === null) return `Given up${why}. It was not sent.`;
    // What ended by a bounce did not arrive; of a mail before that, the row alone does not tell what became.
    const isBounced = state.evidence % 4 === 2 && state.deliveredAt === null;
    return `Given up${why}. ${isBounced ? 'It had been accepted, and did not arrive.' : 'It had been accepted before.'}`;
  },
  suppressed: ({ sentAt }) =>
    sentAt === null
      ? 'Not sent: the address must not be mailed.'
      : 'It was accepted; since then the address must not be mailed.',
  skipped_unsubscribed: notSent('the recipient had unsubscribed'),
  skipped_no_email: notSent('the recipient has no address'),
  skipped_ineligible: notSent('the source said not to'),
  expired: notSent('too late to be of use'),
};

/** A round that ends here may have had one before it. Whether its mail bounced or was complained of, the story knows. */
function notSent(why: string) {
  return ({ sentAt, deliveredAt }: DeliveryState) => {
    if (sentAt === null) return `Not sent: ${why}.`;
    const earlier = deliveredAt === null ? 'was accepted' : 'was accepted and arrived';
    return `An earlier mail ${earlier}; it was not sent again: ${why}.`;
  };
}

function due({ dueAt }: DeliveryState, now: number): string {
  if (dueAt === null) return 'due at no set time';
  if (isHeldBack(dueAt)) return 'held back by its source';
  return dueAt <= now ? `due for ${duration(now - dueAt)}` : `due in ${duration(dueAt - now)}`;
}

/** The time of day in UTC: what is under way began today, or something is wrong and `leaseOf` says so. */
function holder({ lockedBy, lockedAt }: DeliveryState): string {
  const worker = lockedBy === null ? 'a worker' : `worker ${lockedBy}`;
  return lockedAt === null ? worker : `since ${new Date(lockedAt).toISOString().slice(11, 19)}Z ${worker}`;
}

function leaseOf({ dueAt }: DeliveryState, now: number): string {
  if (dueAt === null) return '';
  if (dueAt >= now) return ` If it does not come back, the sweep takes over in ${duration(dueAt - now)}.`;
  return ` Its time was up ${ago(now - dueAt)}: the worker is probably gone, and the sweep takes over.`;
}
