import { duration } from '../std/duration.ts';
import { momentName } from '../std/moment.ts';
import type { Verdict } from './answers.ts';
import { type Circumstances, hearsLater, hindrancesOf, nameOf, type Suppression } from './hindrances.ts';
import { type Meaning, meanings } from './meanings.ts';
import { idempotencyKey } from './message.ts';
import { realProviders } from './providers.ts';
import { momentOf, type StoryRow, type Told, tellStory } from './sentences.ts';
import { type Status, statuses } from './status.ts';
import { liftCommand } from './suppression.ts';
import type { DeliveryState } from './transition.ts';
import { undoUntil } from './undo.ts';
import { type Case, verdictOf, whenOf } from './verdict.ts';

/**
 * Why somebody did or did not get a mail, for whoever has them on the telephone: the verdict first, then why and on which
 * evidence, what stands in the way, what happens next, and what a person can do. Pure, so that the command line and a
 * page say the same. Reasons and error messages are other people's texts and come out as they are: whoever shows a
 * sentence escapes it for its place.
 */
export interface Explanation extends Verdict {
  meaning: Meaning;
  /** Nobody knows whether a mail exists. */
  isDoubt: boolean;
  /** The story, with repetitions folded. */
  why: Reason[];
  /** What keeps it waiting, besides its time. */
  hindrances: string[];
  next: string;
  remedies: Remedy[];
}

export interface Reason extends Told {
  /** How many events like this one came right after it and are left out. */
  repeated: number;
}

interface Remedy {
  sentence: string;
  command: string | null;
}

/** A delivery, as far as its explanation goes. */
export interface ExplainedDelivery {
  seq: number;
  id: string;
  source: string;
  lane: string;
  createdAt: number;
  expiresAt: number | null;
  /** As words of a command, quoted where a shell needs it; of an address that was forgotten there is none. */
  words: { recipient: string; address: string | null };
  /** Its mail is still kept. */
  hasMail: boolean;
  state: DeliveryState;
}

export function explain(
  delivery: ExplainedDelivery,
  story: readonly StoryRow[],
  circumstances: Circumstances,
): Explanation {
  const { source, expiresAt, state } = delivery;
  const hindrances = hindrancesOf(delivery, circumstances);
  const moments = story.map(momentOf);
  const isForgotten = meanings[state.status] !== 'good' && story.some(({ event }) => event === 'forgotten');
  const one: Case = { source, expiresAt, state, moments, hindrances, circumstances };
  return {
    ...verdictOf(one),
    meaning: meanings[state.status],
    isDoubt: statuses[state.status].mailExists === 'perhaps' || state.firstPossibleAcceptAt !== null,
    why: folded(tellStory(delivery, story), story),
    hindrances: hindrances.map(({ sentence }) => sentence),
    next: isForgotten
      ? 'Nothing.'
      : ((state.lockedBy === null ? hindrances[0]?.next : undefined) ??
        tellNext(delivery, circumstances.now, undoUntil(one))),
    remedies: [
      ...hindrances.flatMap(({ remedy }) => remedy ?? []),
      ...(isForgotten ? forgotten : remediesOf(delivery, circumstances)),
    ],
  };
}

/** Of three or more of a kind in a row, the first and the last: a bad hour at the provider is one thing, not sixty. */
function folded(told: readonly Told[], story: readonly StoryRow[]): Reason[] {
  // The first sentence is about the intent, and has no row.
  const eventOf = (index: number) => story[index - 1]?.event;
  const reasons: Reason[] = [];
  for (let index = 0; index < told.length; index++) {
    const one = told[index] as Told;
    const event = eventOf(index);
    const isInside = event !== undefined && event === eventOf(index - 1) && event === eventOf(index + 1);
    const before = reasons.at(-1);
    if (isInside && before) before.repeated += 1;
    else reasons.push({ ...one, repeated: 0 });
  }
  return reasons;
}

/** What happens to it next and who does it, when nobody interferes. `backUntil` is of what an unsubscribe stopped; undefined where nobody has asked. */
export function tellNext(
  { state, expiresAt }: Pick<ExplainedDelivery, 'state' | 'expiresAt'>,
  now: number,
  backUntil?: number | null,
): string {
  const bound =
    expiresAt !== null && expiresAt > now
      ? ` What has not left by ${momentName(expiresAt)} ends as expired.`
      : '';
  if (state.status === 'skipped_unsubscribed') return unlessBack(backUntil);
  return nextSentences[state.status](state, now, bound);
}

const unlessPutBack = 'Nothing, unless an operator puts it back.';

function unlessBack(backUntil: number | null | undefined): string {
  if (backUntil === null) return unlessPutBack;
  return backUntil === undefined
    ? 'Nothing, unless the recipient takes back the unsubscribe within a day of it, or an operator puts it back.'
    : `It goes out if the recipient takes back the unsubscribe, until ${momentName(backUntil)}, or when an operator puts it back.`;
}

const nextSentences: Record<
  Exclude<Status, 'skipped_unsubscribed'>,
  (state: DeliveryState, now: number, bound: string) => string
> = {
  pending: (state, now, bound) => `A worker takes it ${atTime(state, now)}.${bound}`,
  failed_transient: (state, now, bound) =>
    `A worker tries again ${atTime(state, now)}; ${attemptsSoFar(state)}.${bound}`,
  claimed: (state, now) =>
    `Its worker goes on with it. If it does not come back, the sweep lets another one have it ${lease(state, now)}.`,
  sending: (state, now) => {
    const name = nameOf(state.account);
    const after = hearsLater(state.account)
      ? `, and ${name} is asked before anything is sent again`
      : `; ${name} cannot be asked what became of a mail, so a person will have to decide`;
    return `${holder(state)} writes down what ${name} answers. If it does not come back, the sweep takes over ${lease(state, now)}${after}.`;
  },
  sent: ({ account, dueAt }, now) => {
    if (nameOf(account) === 'capture' || !hearsLater(account)) return 'Nothing more is sent.';
    // It is never late: whoever asks what became of it does so when there is time.
    const asked =
      dueAt === null || dueAt <= now
        ? ''
        : `; if none has, ${nameOf(account)} is asked in ${duration(dueAt - now)}`;
    return `Nothing more is sent. Word may still come that it arrived, or bounced${asked}.`;
  },
  delivered: () => 'Nothing more is sent.',
  reconciling: (state, now) =>
    state.lockedBy === null
      ? `Reconciliation looks into it ${whenOf(state, now)}, in ways from which no second mail can come. When nobody can find out, a person is asked.`
      : 'Reconciliation is looking into it, in ways from which no second mail can come. When nobody can find out, a person is asked.',
  needs_review: () =>
    'Nothing is sent until a person has decided. If word comes from the provider after all, that settles it.',
  failed_permanent: ({ firstPossibleAcceptAt }) =>
    firstPossibleAcceptAt === null
      ? unlessPutBack
      : 'Nothing. If word comes from the provider after all, that settles whether it was sent.',
  suppressed: () => unlessPutBack,
  skipped_no_email: () => unlessPutBack,
  skipped_ineligible: () => unlessPutBack,
  expired: () => unlessPutBack,
};

function holder({ lockedBy, lockedAt }: DeliveryState): string {
  if (lockedBy === null) return 'Its worker';
  return lockedAt === null
    ? `Worker ${lockedBy}`
    : `Worker ${lockedBy}, which has had it since ${new Date(lockedAt).toISOString().slice(11, 19)}Z,`;
}

const attemptsSoFar = ({ attempts }: DeliveryState) =>
  `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} so far in this round`;

function atTime(state: DeliveryState, now: number): string {
  const { dueAt } = state;
  return dueAt !== null && dueAt < now
    ? `as soon as it can (due for ${duration(now - dueAt)})`
    : whenOf(state, now);
}

function lease({ dueAt }: DeliveryState, now: number): string {
  return dueAt !== null && dueAt < now ? 'at its next round' : `in ${duration((dueAt ?? now) - now)}`;
}

function remediesOf(
  delivery: ExplainedDelivery,
  { now, suppression, unsubscribedAt }: Circumstances,
): Remedy[] {
  const { seq, id, source, expiresAt, state, hasMail, words } = delivery;
  const requeue = (sentence: string): Remedy => ({
    sentence,
    command: `npx tidings deliveries requeue ${seq} --reason "…"`,
  });
  const mail: Remedy[] = hasMail
    ? [{ sentence: 'Read what it says:', command: `npx tidings deliveries show ${seq} --mail` }]
    : [];
  switch (state.status) {
    case 'sent':
    case 'delivered':
      return nameOf(state.account) === 'capture'
        ? [...realProvider, ...mail]
        : [...lookForIt(state), ...mail];
    case 'needs_review':
      return [
        {
          sentence: `Look for the key ${idempotencyKey(id, Math.max(state.round, 1))} in the log of ${nameOf(state.account)}, or ask the recipient; then decide, as sent, not-sent or closed:`,
          command: `npx tidings deliveries resolve ${seq} --as sent --because "…"`,
        },
      ];
    case 'failed_permanent':
      return state.firstPossibleAcceptAt === null
        ? suppression
          ? [offTheList(suppression, words.address), requeue('Then, when the cause is mended, put it back:')]
          : [requeue('When the cause is mended, put it back:')]
        : [{ sentence: 'Ask the recipient. It is not put back: they could be told twice.', command: null }];
    case 'suppressed':
      return suppression
        ? [offTheList(suppression, words.address)]
        : [requeue('If it should be tried nevertheless, put it back:')];
    case 'skipped_unsubscribed':
      return [
        ...(unsubscribedAt === null ? [] : [theyAreGone(source, words.recipient)]),
        ...(suppression?.reason === 'unsubscribed' ? [theyStopped(suppression, words.address)] : []),
        requeue('If they have subscribed again since, put it back:'),
      ];
    case 'skipped_no_email':
      return [requeue('When the source knows their address, put it back:')];
    case 'skipped_ineligible':
      return [requeue('If the source would say otherwise now, put it back; it is asked again:')];
    case 'expired':
      return expiresAt !== null && expiresAt <= now
        ? [
            {
              sentence:
                'Ask for it anew, as an occasion of its own: put back, it would end as expired again.',
              command: null,
            },
          ]
        : [requeue('If it is of use nevertheless, put it back:')];
    default:
      return [];
  }
}

const offTheList = (line: Suppression, address: string | null): Remedy => ({
  sentence:
    'Ask them for another address, or take this one off the list if it should not be there. To put the delivery back does not help before that.',
  command: liftCommand(line, address),
});

const theyStopped = (line: Suppression, address: string | null): Remedy => ({
  sentence: 'They have stopped all mails. Only if they ask to be back:',
  command: liftCommand(line, address),
});

const theyAreGone = (source: string, recipient: string): Remedy => ({
  sentence: 'They have left these mails. Only if they ask to be back:',
  command: `npx tidings suppressions remove ${recipient} --unsubscribed-from ${source} --because "…"`,
});

/** Of what retention has emptied there is nothing left to send. */
const forgotten: Remedy[] = [
  {
    sentence:
      'Its content was deleted, as MAIL_RETENTION_DAYS says, so it cannot be put back. If it is of use nevertheless, ask for it anew, as an occasion of its own.',
    command: null,
  },
];

const realProvider: Remedy[] = [
  {
    sentence: `To reach people, configure a provider (${realProviders}). What is in the inbox is not sent again.`,
    command: null,
  },
];

function lookForIt({ providerMessageId, account }: DeliveryState): Remedy[] {
  const sentence = 'Ask them to look among the unwanted mail.';
  return [
    {
      sentence:
        providerMessageId === null
          ? sentence
          : `${sentence} In the log of ${nameOf(account)} it is ${providerMessageId}.`,
      command: null,
    },
  ];
}
