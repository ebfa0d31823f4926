import { ago, duration } from '../std/duration.ts';
import { momentName } from '../std/moment.ts';
import {
  isInbox,
  no,
  noAsItStands,
  notYet,
  onlyInInbox,
  unknown,
  unknownYet,
  type Verdict,
  yes,
} from './answers.ts';
import { isHeldBack } from './delivery.ts';
import type { Circumstances, Hindrance } from './hindrances.ts';
import { hearsLater, nameOf, tellSuppression, withoutStop } from './hindrances.ts';
import type { Moment } from './sentences.ts';
import type { Status } from './status.ts';
import type { DeliveryError, DeliveryState } from './transition.ts';
import { undoUntil } from './undo.ts';

/** All that a verdict follows from. */
export interface Case {
  source: string;
  expiresAt: number | null;
  state: DeliveryState;
  /** The story, oldest first. */
  moments: readonly Moment[];
  hindrances: readonly Hindrance[];
  circumstances: Circumstances;
}

export function verdictOf(one: Case): Verdict {
  const verdict = verdicts[one.state.status](one);
  const arrival = arrivalOf(one);
  if (!arrival || verdict.answer === 'yes') return verdict;
  const spam = arrival.event === 'complained' ? ', and the recipient reported it as spam' : '';
  return yes(`an earlier mail arrived${spam}. As for another one: ${lowered(verdict.sentence)}`);
}

/** The word that a mail arrived, and not only in the inbox: it stays true when the delivery is put back, whatever becomes of the next mail. */
function arrivalOf({ moments }: Case): Moment | undefined {
  const known = moments.filter(({ detail }) => detail.ignored === undefined && !isInbox(detail.account));
  const isTakenBack = ({ round }: Moment) =>
    known.some((moment) => moment.event === 'bounced_for_good' && moment.round === round);
  return known.findLast(
    (moment) => moment.event === 'complained' || (moment.event === 'confirmed' && !isTakenBack(moment)),
  );
}

const verdicts: Record<Status, (one: Case) => Verdict> = {
  pending: (one) => {
    const deferred = last(one, 'deferred');
    const isPutOff = deferred?.detail.from === 'sending' && deferred === one.moments.at(-1);
    if (isPutOff) {
      const name = nameOf(deferred.detail.account ?? null);
      return waiting(one, `${name} could not take it${inBrackets(deferred.detail.error)}`, 'next try');
    }
    return waiting(one, waitsBecause(one, deferred), 'due');
  },
  failed_transient: (one) => {
    const { state } = one;
    const cause = last(one, ...pauses);
    const name = nameOf(state.account);
    if (cause?.event === 'bounced_for_now')
      return waiting(one, `it bounced for now${inBrackets(cause.detail.error)}`, 'a new mail leaves');
    if (cause?.event === 'over_quota')
      return waiting(one, `the quota of the day was full at ${name}`, 'a new mail leaves');
    if (cause?.event === 'not_at_provider')
      return waiting(one, `${name} was asked and does not have it`, 'next try');
    if (cause?.event === 'resolved_not_sent')
      return waiting(one, `${cause.actor} decided that it was not sent`, 'next try');
    return waiting(one, `${name} refused it for now${inBrackets(state.lastError)}`, 'next try');
  },
  claimed: ({ hindrances: [late] }) =>
    notYet(
      late ? `${late.brief}. Nothing has left.` : 'a worker has it in hand, and nothing has left so far.',
    ),
  sending: ({ state, hindrances: [late] }) =>
    late
      ? unknown(`${late.brief}; ${nameOf(state.account)} may have got the mail.`)
      : unknownYet(`it is being handed to ${nameOf(state.account)} at this moment.`),
  reconciling: (one) => {
    const { state, circumstances } = one;
    const soon = state.lockedBy === null ? whenOf(state, circumstances.now) : 'at this moment';
    return unknownYet(`${doubtOf(one)}. That is looked into ${soon}.`);
  },
  needs_review: (one) =>
    unknown(`${doubtOf(one)}. Nobody could find out what became of it; a person must decide.`),
  sent: (one) => {
    const { state, circumstances } = one;
    const when = ago(circumstances.now - (state.sentAt ?? circumstances.now));
    if (isInbox(state.account)) return onlyInInbox(when);
    const accepted = last(one, 'accepted');
    if (accepted?.actor.startsWith('operator '))
      return yes(`${accepted.actor} said ${when} that it was sent; the provider itself has not said so.`);
    if (accepted?.actor === 'import')
      return yes(`an older system sent it ${when}, and its word was taken over.`);
    const word = hearsLater(state.account)
      ? 'No word has come so far on whether it reached their mailbox.'
      : 'Whether it reached their mailbox is not told in this way of sending.';
    return yes(`${nameOf(state.account)} accepted it ${when}. ${word}`);
  },
  delivered: (one) => {
    const { state, circumstances } = one;
    const { now } = circumstances;
    const arrivedAt = state.deliveredAt ?? now;
    if (isInbox(state.account)) return onlyInInbox(ago(now - (state.sentAt ?? arrivedAt)));
    const arrived = "the recipient's mail server took it";
    const latest = isOnlyLookedUp(one) ? ' at the latest' : '';
    if (state.sentAt === null) return yes(`${arrived} ${ago(now - arrivedAt)}${latest}.`);
    const later =
      arrivedAt - state.sentAt < 1_000 ? 'at once' : `${duration(arrivedAt - state.sentAt)} later${latest}`;
    return yes(`${nameOf(state.account)} accepted it ${ago(now - state.sentAt)}, and ${arrived} ${later}.`);
  },
  failed_permanent: (one) => {
    const { state } = one;
    const cause = last(one, ...ends);
    if (cause?.event === 'resolved_closed' || state.firstPossibleAcceptAt !== null) {
      const who = cause?.actor ?? 'somebody';
      const reason = cause?.detail.reason === undefined ? '' : `: ${withoutStop(cause.detail.reason)}`;
      return unknown(`${who} closed it in doubt${reason}. It may have been sent; nothing more will be.`);
    }
    const error = cause?.detail.error ?? state.lastError;
    const name = nameOf(cause?.detail.account ?? state.account);
    switch (cause?.event) {
      case 'unsendable':
        return no(`it cannot be sent as it is${inBrackets(error)}. Nothing left.`);
      case 'refused_for_good':
        return no(`${name} refused it for good${inBrackets(error)}.`);
      case 'provider_failed':
        return no(`${name} had it and could not send it on${inBrackets(error)}.`);
      case 'bounced_for_now':
        return no(
          `${name} accepted it ${times(roundsThatLeft(one))}, and it bounced each time${inBrackets(error)}.`,
        );
      case 'over_quota':
        return no(`the quota of the day was full at ${name} again and again${inBrackets(error)}.`);
      case 'gave_up':
        return cause.detail.from === 'sending'
          ? no(`${name} refused it ${times(state.attempts)}${inBrackets(error)}, and it was given up.`)
          : no(`the worker died ${times(state.lapses + 1)} over it, and it was given up. Nothing left.`);
      default:
        return no(`it was given up${inBrackets(error)}.`);
    }
  },
  suppressed: (one) => {
    const { state, circumstances } = one;
    const cause = last(one, 'complained', 'bounced_for_good', 'provider_suppressed', 'address_suppressed');
    const name = nameOf(state.account);
    if (cause?.event === 'complained')
      return yes('it arrived, and the recipient reported it as spam. The address is not mailed any more.');
    if (cause?.event === 'bounced_for_good')
      return no(
        `${name} accepted it, and the recipient's mail server turned it away for good${inBrackets(cause.detail.error)}.`,
      );
    if (cause?.event === 'provider_suppressed')
      return no(`${name} does not mail this address${inBrackets(cause.detail.error)}.`);
    const { suppression, now } = circumstances;
    return notSent(
      one,
      suppression
        ? lowered(tellSuppression(suppression, now))
        : 'the address was not to be mailed when it was to leave. By now it is off the list.',
    );
  },
  skipped_unsubscribed: (one) => {
    const { unsubscribedAt, now } = one.circumstances;
    const when = unsubscribedAt === null ? '' : `, ${ago(now - unsubscribedAt)}`;
    const cause = last(one, 'unsubscribed');
    if (cause?.actor.startsWith('operator ')) {
      const reason = cause.detail.reason === undefined ? '' : `: ${withoutStop(cause.detail.reason)}`;
      return notSent(one, `${cause.actor} stopped it for them${reason}.`);
    }
    const why = `the recipient had unsubscribed before it was to leave${when}`;
    return undoUntil(one) === null
      ? notSent(one, `${why}.`)
      : notSent(one, `${why}${when === '' ? '' : ','} and can still take that back.`, noAsItStands);
  },
  skipped_no_email: (one) => notSent(one, `the source ${one.source} knows no address of this recipient.`),
  skipped_ineligible: (one) => {
    const reason = last(one, 'ineligible')?.detail;
    const why =
      reason?.reason === undefined ? inBrackets(reason?.error ?? null) : ` (${withoutStop(reason.reason)})`;
    return notSent(one, `when it was to leave, the source ${one.source} said not to send it${why}.`);
  },
  expired: (one) => {
    const ended = last(one, 'expired');
    const reason = ended?.detail.error?.message;
    // Before its own time was over, it was the source that saw no use in it any more.
    if (reason && (one.expiresAt === null || ended.at < one.expiresAt))
      return notSent(one, `it had become too late for it to be of use: ${lowered(withoutStop(reason))}.`);
    const bound = one.expiresAt === null ? '' : ` It had to leave before ${momentName(one.expiresAt)}.`;
    return notSent(one, `it had become too late for it to be of use.${bound}`);
  },
};

const onlyWaits = 'it waits to be sent';

/** Its time is the source's wish: what it said when it put the delivery off, or would say now of one that it made for later. */
function waitsBecause({ moments, state, circumstances }: Case, deferred: Moment | undefined): string {
  if (state.dueAt === null || state.dueAt <= circumstances.now) return onlyWaits;
  const said = deferred === moments.at(-1) ? deferred?.detail.error?.message : undefined;
  const reason = said ?? circumstances.sourceSays;
  return reason ? `${onlyWaits}: ${lowered(withoutStop(reason))}` : onlyWaits;
}

/** What makes a delivery wait for another try. */
const pauses = [
  'refused_for_now',
  'bounced_for_now',
  'over_quota',
  'not_at_provider',
  'resolved_not_sent',
] as const;

/** What ends a delivery as given up. */
const ends = [
  'unsendable',
  'refused_for_good',
  'provider_failed',
  'bounced_for_now',
  'over_quota',
  'gave_up',
  'resolved_closed',
] as const;

function last({ moments }: Pick<Case, 'moments'>, ...events: readonly string[]): Moment | undefined {
  return moments.findLast(({ event, detail }) => events.includes(event) && detail.ignored === undefined);
}

/** A mail that met a full quota never left the provider. */
function roundsThatLeft({ state, moments }: Case): number {
  const full = moments.filter(({ event, round }) => event === 'over_quota' && round < state.round);
  return state.round - new Set(full.map(({ round }) => round)).size;
}

/** Then the time is that of our question, and it may have arrived long before. */
function isOnlyLookedUp({ moments }: Case): boolean {
  const words = moments.filter(({ event }) => event === 'confirmed');
  return words.length > 0 && words.every(({ detail }) => detail.evidence === 'look-up');
}

function waiting({ state, hindrances: [first], circumstances: { now } }: Case, why: string, what: string) {
  if (first) return notYet(`${first.brief}${why === onlyWaits ? '' : `; before that, ${why}`}.`);
  return notYet(`${why}; ${what === 'due' ? 'it is due' : what} ${whenOf(state, now)}.`);
}

/** A round that ends here may have had one before it, whose mail was accepted. */
function notSent(one: Case, why: string, answer = no): Verdict {
  if (one.state.sentAt === null || arrivalOf(one)) return answer(why);
  const earlier = last(one, 'bounced_for_good', 'bounced_for_now')
    ? 'an earlier mail bounced'
    : 'an earlier mail was accepted and is not known to have arrived';
  return answer(`${earlier}, and it was not sent again: ${why}`);
}

/** What is known of a delivery in doubt; a sentence without its stop. */
export function doubtOf({ moments, state }: Pick<Case, 'moments' | 'state'>): string {
  // A reconciler that dies makes no doubt; there was one before.
  const begun = moments.filter(({ event, detail }) => event !== 'lease_expired' || detail.from === 'sending');
  const cause = last({ moments: begun }, 'outcome_unknown', 'key_conflict', 'lease_expired', 'doubted');
  const name = nameOf(state.account);
  switch (cause?.event) {
    case 'key_conflict':
      return `${name} says that another mail was handed over under its key`;
    case 'lease_expired':
      return `the worker that was handing it to ${name} never came back`;
    case 'doubted':
      return 'it was said to be sent, and there is no evidence of it';
    default:
      return `it was handed to ${name}, and no clear answer came${inBrackets(cause?.detail.error)}`;
  }
}

export function whenOf({ dueAt }: DeliveryState, now: number): string {
  if (isHeldBack(dueAt)) return 'when its source lets it go';
  return dueAt === null || dueAt <= now ? 'now' : `in ${duration(dueAt - now)}`;
}

function inBrackets(error: DeliveryError | null | undefined): string {
  return error ? ` (${withoutStop(error.message || error.code)})` : '';
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);
