import { duration } from '../std/duration.ts';
import { isHeldBack } from './delivery.ts';
import type { EvidenceEvent } from './evidence.ts';
import { capital, nameOf, withoutStop } from './hindrances.ts';
import type { WorkEvent } from './lifecycle.ts';
import { type Meaning, meanings } from './meanings.ts';
import { type Status, statuses } from './status.ts';
import type { DeliveryError } from './transition.ts';

/**
 * A delivery's story for people: one sentence an event, the time between them, doubt told as doubt. Pure, so that the
 * command line and a page tell it in the same words. Reasons and error messages are other people's texts and come out
 * as they are: whoever shows a sentence escapes it for its place.
 */
export interface Told {
  at: number;
  /** Since the sentence before; gaps are part of the story. */
  waitedMs: number;
  sentence: string;
  meaning: Meaning;
  /** We did not know then whether a mail existed. */
  isDoubt: boolean;
  /** On whose word it stands: the provider's answer, a webhook, a look-up, an operator. Null where it is our own doing. */
  evidence: string | null;
}

/** A row of the story as the outbox keeps it. */
export interface StoryRow {
  at: number;
  event: string;
  status: Status;
  round: number;
  actor: string;
  /** JSON. */
  detail: string | null;
}

interface Detail {
  from?: Status;
  worker?: string;
  beganAt?: number;
  account?: string;
  attempts?: number;
  messageId?: string;
  dueAt?: number;
  error?: DeliveryError;
  ignored?: string;
  reason?: string;
  evidence?: string;
  via?: string;
}

export type Moment = Omit<StoryRow, 'detail'> & { detail: Detail };

export function momentOf(row: StoryRow): Moment {
  return { ...row, detail: JSON.parse(row.detail ?? '{}') as Detail };
}

export function tellStory(
  delivery: { source: string; lane: string; createdAt: number },
  rows: readonly StoryRow[],
): Told[] {
  let last = delivery.createdAt;
  const told = rows.map((row): Told => {
    const moment = momentOf(row);
    const waitedMs = Math.max(0, row.at - last);
    last = row.at;
    const isDoubt = statuses[row.status].mailExists === 'perhaps';
    const sentence = sentenceOf(moment);
    return {
      at: row.at,
      waitedMs,
      sentence,
      meaning: meanings[row.status],
      isDoubt,
      evidence: evidenceOf(moment),
    };
  });
  const sentence = `The source ${delivery.source} asked for it, in the ${delivery.lane} lane.`;
  const asked: Told = {
    ...{ at: delivery.createdAt, waitedMs: 0, sentence },
    ...{ meaning: 'in hand', isDoubt: false, evidence: null },
  };
  return [asked, ...told];
}

const byProvider: ReadonlySet<string> = new Set([
  'refused_for_now',
  'refused_for_good',
  'key_conflict',
  'accepted',
]);

function evidenceOf({ event, actor, detail }: Moment): string | null {
  if (actor.startsWith('operator ')) return "an operator's word";
  if (actor === 'import') return "an older system's word";
  if (detail.evidence === 'look-up') return 'look-up at the provider';
  if (actor === 'webhook') return 'webhook';
  const isAnswered =
    byProvider.has(event) || (detail.from === 'sending' && ['deferred', 'gave_up'].includes(event));
  // What we did not even begin to hand over got no answer.
  return isAnswered && detail.error?.code !== 'not_started' ? "the provider's answer" : null;
}

function sentenceOf(moment: Moment): string {
  if (moment.detail.ignored !== undefined) {
    const said = webhookIn(moment) ?? `that it was ${wordOf(moment.event)},`;
    return `Word came ${said} under another message id than the one we know; it is kept here and changed nothing.`;
  }
  // A row that a newer version wrote may hold an event that this one does not know.
  const tell = (sentences as Partial<Record<string, (moment: Moment) => string>>)[moment.event];
  return tell ? tell(moment) : `${capital(wordOf(moment.event))}, by ${moment.actor}.`;
}

const wordOf = (event: string) => event.replaceAll('_', ' ');

/** What the provider itself calls what it told. */
const webhookIn = ({ actor, detail }: Moment) =>
  actor === 'webhook' && detail.evidence !== undefined ? `(${detail.evidence})` : undefined;

/** Total over all events: one without a sentence does not compile. */
const sentences = {
  claimed: ({ actor }) => `Worker ${actor} took it in hand.`,
  begun: ({ actor, detail }) => `Worker ${actor} began to hand it to ${provider(detail)}.`,
  taken_up: ({ actor }) => `Worker ${actor} began to look into it.`,
  unsubscribed: (moment) => {
    const { actor, detail } = moment;
    if (actor.startsWith('operator '))
      return `Stopped while it waited: ${actor} ended it for them${because(moment)}.`;
    return detail.via === undefined
      ? 'Not sent: the recipient had unsubscribed.'
      : `Stopped while it waited: the recipient unsubscribed${viaWords[detail.via] ?? ''}.`;
  },
  address_suppressed: (moment) => `Not sent: the address must not be mailed${because(moment)}.`,
  no_address: () => 'Not sent: the recipient has no address.',
  ineligible: (moment) => `Not sent: the source said not to${because(moment)}.`,
  expired: (moment) => `Not sent: too late to be of use${because(moment)}.`,
  deferred: (moment) =>
    moment.detail.from === 'sending'
      ? `${capital(provider(moment.detail))} did not accept it, through no fault of this mail${because(moment)}; not counted as an attempt, ${again(moment)}.`
      : putOff(moment),
  unsendable: (moment) => `It cannot be sent as it is${because(moment)}. Nothing was sent.`,
  lapsed: ({ detail }) =>
    `${worker(detail)} took it in hand and never came back. Nothing had left; it waits again.`,
  gave_up: (moment) =>
    moment.detail.from === 'sending'
      ? `${capital(provider(moment.detail))} refused it on the last attempt (${attempt(moment)})${because(moment)}. Given up.`
      : `Given up${because(moment)}.`,
  refused_for_now: (moment) =>
    `${capital(provider(moment.detail))} refused it for now (${attempt(moment)})${because(moment)}; ${again(moment)}.`,
  refused_for_good: (moment) =>
    `${capital(provider(moment.detail))} refused it for good (${attempt(moment)})${because(moment)}.`,
  outcome_unknown: (moment) =>
    `It was handed to ${provider(moment.detail)} (${attempt(moment)}), and no clear answer came${because(moment)}. We don't know yet whether it was accepted.`,
  key_conflict: (moment) =>
    `${capital(provider(moment.detail))} says that this key was used with another mail (${attempt(moment)}). Something was accepted under it; we don't know yet what.`,
  lease_expired: ({ detail }) =>
    detail.from === 'sending'
      ? `${worker(detail)} had begun to hand it to ${provider(detail)} and never came back. We don't know yet whether it was accepted.`
      : `${worker(detail)} had begun to look into it and never came back; somebody else will.`,
  resubmitted: ({ detail }) => `The same mail went to ${provider(detail)} again, under the same key.`,
  still_unknown: (moment) =>
    `We still don't know whether it was accepted${because(moment)}; ${again(moment)}.`,
  not_at_provider: () => 'The provider was asked and does not have it: it was not sent, and is tried again.',
  undecidable: () => 'Nobody can find out whether it was accepted. A person must decide.',
  resolved_not_sent: (moment) =>
    `${capital(moment.actor)} decided that it was not sent${because(moment)}; it is tried again.`,
  resolved_closed: (moment) =>
    `${capital(moment.actor)} closed it without knowing${because(moment)}. It may have been sent.`,
  doubted: () => 'It was said to be sent, but there is no evidence of it; that is looked into.',
  resumed: () => 'The recipient took back the unsubscribe; it waits again, as before.',
  requeued: (moment) => `${capital(moment.actor)} put it back to be sent${because(moment)}.`,
  accepted: (moment) => {
    const { detail, actor } = moment;
    if (actor.startsWith('operator ')) return `${capital(actor)} decided that it was sent${because(moment)}.`;
    if (actor === 'import') return 'An older system had sent it; its word was taken over.';
    if (detail.evidence === 'same key')
      return `The same mail was handed over again under the same key, and is accepted${asMessage(detail)}: there is one of it, not two.`;
    if (detail.evidence === 'look-up')
      return `The provider was asked and has it${asMessage(detail)}: it was accepted after all.`;
    if (detail.from === 'sending' && detail.worker === actor)
      return `${capital(provider(detail))} accepted it${asMessage(detail)} (${attempt(moment)}).`;
    const said = webhookIn(moment);
    return said === undefined
      ? `Word came that the provider has accepted it${asMessage(detail)} (by ${actor}).`
      : `Word came ${said} that the provider has accepted it${asMessage(detail)}.`;
  },
  bounced_for_now: (moment) =>
    `It bounced for now${because(moment)}; ${moment.status === 'failed_permanent' ? 'that was the last round' : again(moment)}.`,
  over_quota: (moment) =>
    `The provider's quota of the day was full, and it was not sent on${because(moment)}; ${moment.status === 'failed_permanent' ? 'it is not tried again' : again(moment)}.`,
  provider_failed: (moment) => `The provider could not send it on${because(moment)}.`,
  confirmed: ({ detail }) =>
    provider(detail) === 'capture'
      ? 'The built-in inbox reported it as delivered; no mail left this machine.'
      : "It reached the recipient's mail server.",
  bounced_for_good: (moment) => `It bounced for good${because(moment)}; the address is not mailed again.`,
  complained: () => 'The recipient complained; the address is not mailed again.',
  provider_suppressed: (moment) =>
    `The provider does not mail this address${because(moment)}; nor do we from now on.`,
  forgotten: () => 'Its content and its address were deleted, as long after its end as retention says.',
} as const satisfies Record<WorkEvent | EvidenceEvent | 'forgotten', (moment: Moment) => string>;

const viaWords: Readonly<Record<string, string>> = {
  'one-click': ' with the button of their mail program',
  page: ' on our page',
  link: ' by the link in a mail',
  'manage page': ' on the page of their watch',
  account: ' in their account',
};

const provider = ({ account, error }: Detail) => nameOf(account ?? error?.provider ?? null);

const worker = (detail: Detail) => (detail.worker === undefined ? 'A worker' : `Worker ${detail.worker}`);

const asMessage = ({ messageId }: Detail) => (messageId === undefined ? '' : ` as ${messageId}`);

function because({ detail: { error, reason } }: Moment): string {
  if (reason !== undefined) return `: ${withoutStop(reason)}`;
  if (!error) return '';
  return error.message ? `: ${reasonIn(error.code, error.message)} (${error.code})` : ` (${error.code})`;
}

/** Webhooks put the code before the reason (002-P7-12, 002-P7-16); said once is enough. */
function reasonIn(code: string, message: string): string {
  const before = [`${code}: `, `email.${code}: `].find((words) => message.startsWith(words)) ?? '';
  return withoutStop(message.slice(before.length));
}

/** Who handed it over, and how long that took: an attempt is told once, when it ends. */
function attempt({ at, round, detail }: Moment): string {
  const number = detail.attempts === undefined ? 'not counted as an attempt' : `attempt ${detail.attempts}`;
  return [
    round > 1 ? `${number} of round ${round}` : number,
    ...(detail.worker === undefined ? [] : [`by worker ${detail.worker}`]),
    ...(detail.beganAt === undefined ? [] : [`after ${duration(at - detail.beganAt)}`]),
  ].join(', ');
}

/** What was held back by its source, and is let go, has not been put off. */
function putOff(moment: Moment): string {
  const { at, detail } = moment;
  const isLetGo = detail.from !== 'claimed' && detail.dueAt !== undefined && detail.dueAt <= at;
  if (isLetGo && detail.reason === 'composed') return 'Its words are written; it may leave.';
  return isLetGo ? `It may leave${because(moment)}.` : `Put off${because(moment)}; ${again(moment)}.`;
}

function again({ at, detail: { dueAt } }: Moment): string {
  if (dueAt === undefined) return 'no further attempt is due';
  if (isHeldBack(dueAt)) return 'it is held back';
  return dueAt <= at ? 'next at once' : `next in ${duration(dueAt - at)}`;
}
