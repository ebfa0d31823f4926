import type { DeliveryState } from '../../src/domain/transition.ts';
import type { EventWords } from './signed.ts';

/**
 * What we have done with a delivery before the webhooks come, and all that may be said about it then. The promise is for a
 * fixed history: whether a further round begins in between is up to us, not to the webhooks.
 */
export interface History {
  name: string;
  state: Partial<DeliveryState> & Pick<DeliveryState, 'status' | 'round' | 'evidence'>;
  /** Message ids of earlier rounds that are known. */
  earlierIds: ReadonlyMap<number, string>;
  events: readonly Said[];
}

/** A word about a mail; `of` and `tags` are filled in with the delivery's own. */
export interface Said extends Pick<EventWords, 'type' | 'data' | 'form'> {
  name: string;
  round: number;
  at: number;
  /** Which tags come with it. */
  tagged: 'all' | 'without round' | 'none';
  /** Another id than the mail's own. */
  isForged?: true;
}

export const startAt = Date.UTC(2026, 0, 1);
export const idOfRound = (prefix: string, round: number) => `${prefix}-m${round}`;

export function wordsOf(
  { type, data, form, round, at, tagged, isForged }: Said,
  deliveryId: string,
  prefix: string,
): EventWords {
  const tags = { delivery_id: deliveryId, round: String(round), env: 'test' };
  return {
    ...{ type, at, messageId: isForged ? `${prefix}-forged` : idOfRound(prefix, round) },
    ...(data && { data }),
    ...(form && { form }),
    tags: tagged === 'none' ? null : tagged === 'all' ? tags : { delivery_id: deliveryId, env: 'test' },
  };
}

const said = (type: string, round: number, minute: number, more: Partial<Said> = {}): Said => ({
  ...{ name: `${type} ${round}`, type, round, at: startAt + minute * 60_000, tagged: 'all', ...more },
});
const bounce = (type: string) => ({ data: { bounce: { type, subType: 'General' } } });

const ofOneRound: readonly Said[] = [
  said('email.sent', 1, 1),
  said('email.delivery_delayed', 1, 2, { tagged: 'without round' }),
  said('email.bounced', 1, 3, bounce('Transient')),
  said('email.failed', 1, 4, { data: { failed: { reason: 'invalid' } }, form: 'list' }),
  said('email.delivered', 1, 5),
  said('email.opened', 1, 6, { tagged: 'none' }),
  said('email.bounced', 1, 7, { ...bounce('Permanent'), name: 'email.bounced for good 1' }),
  said('email.complained', 1, 8, { form: 'list' }),
];

const ofTwoRounds: readonly Said[] = [
  said('email.sent', 1, 1, { tagged: 'none' }),
  said('email.bounced', 1, 2, bounce('Undetermined')),
  said('email.clicked', 1, 9, { tagged: 'without round' }),
  said('email.sent', 2, 5),
  said('email.bounced', 2, 6, { ...bounce('Transient'), form: 'list' }),
  said('email.failed', 2, 7, { data: { failed: { reason: 'reached_daily_quota' } } }),
  said('email.delivered', 2, 8, { tagged: 'none' }),
  said('email.suppressed', 2, 4, { data: { suppressed: { message: 'on the list' } } }),
];

/** All that Resend may say about the mail of a round, with tags as we put them. */
const allOf = (round: number): readonly Said[] =>
  (
    [
      ['email.sent'],
      ['email.delivery_delayed'],
      ['email.bounced', bounce('Transient')],
      ['email.failed', { data: { failed: { reason: 'reached_daily_quota' } }, name: `over quota ${round}` }],
      ['email.failed', { data: { failed: { reason: 'invalid' } } }],
      ['email.delivered'],
      ['email.opened'],
      ['email.bounced', { ...bounce('Permanent'), name: `email.bounced for good ${round}` }],
      ['email.complained'],
      ['email.suppressed', { data: { suppressed: { message: 'on the list' } } }],
    ] as const
  ).map(([type, more = {}], index) => said(type, round, 10 * round + index, more));

const contradiction = said('email.delivered', 1, 0, { name: 'another id', isForged: true });
const contradiction2 = said('email.complained', 2, 0, { name: 'another id', isForged: true });
const first = new Map([[1, idOfRound('x', 1)]]);
const sentAt = startAt + 90_000;

export const histories: readonly History[] = [
  {
    name: 'one round, on the wire',
    state: { status: 'sending', round: 1, evidence: 4 },
    earlierIds: new Map(),
    events: ofOneRound,
  },
  {
    name: 'one round, answered',
    state: { status: 'sent', round: 1, evidence: 5, sentAt, providerMessageId: idOfRound('x', 1) },
    earlierIds: new Map(),
    events: [...ofOneRound.slice(1), contradiction],
  },
  {
    name: 'two rounds, the second on the wire',
    state: { status: 'sending', round: 2, evidence: 8, sentAt },
    earlierIds: first,
    events: ofTwoRounds,
  },
  {
    name: 'two rounds, of which no id is known',
    state: { status: 'reconciling', round: 2, evidence: 8, sentAt },
    earlierIds: new Map(),
    events: ofTwoRounds,
  },
  {
    name: 'two rounds, answered',
    state: { status: 'sent', round: 2, evidence: 9, sentAt, providerMessageId: idOfRound('x', 2) },
    earlierIds: first,
    events: [...ofTwoRounds.slice(0, 7), contradiction2],
  },
];

const once = allOf(1);
const twice = [...once, ...allOf(2)];
const thrice = [...twice, ...allOf(3)];
const ids = (...rounds: number[]) => new Map(rounds.map((round) => [round, idOfRound('x', round)]));
const id1 = { providerMessageId: idOfRound('x', 1) };

/** Wherever a delivery may be when word comes, and everything that may be said then. */
export const whereabouts: readonly (History & { told: number })[] = [
  {
    ...{ name: 'never begun, as after a back-up was restored', told: 3, earlierIds: ids(), events: once },
    state: { status: 'pending', round: 0, evidence: 0 },
  },
  {
    ...{ name: 'never begun, and two mails exist', told: 2, earlierIds: ids(), events: twice },
    state: { status: 'pending', round: 0, evidence: 0 },
  },
  {
    ...{ name: 'refused for now', told: 3, earlierIds: ids(), events: once },
    state: { status: 'failed_transient', round: 1, evidence: 4 },
  },
  {
    ...{ name: 'after a soft bounce', told: 3, earlierIds: ids(), events: once },
    state: { status: 'failed_transient', round: 1, evidence: 6, sentAt, ...id1 },
  },
  {
    ...{ name: 'after a full quota', told: 3, earlierIds: ids(), events: once },
    state: { status: 'failed_transient', round: 1, evidence: 6, ...id1 },
  },
  {
    ...{ name: 'requeued', told: 3, earlierIds: ids(), events: once },
    state: { status: 'pending', round: 1, evidence: 7, sentAt, ...id1 },
  },
  {
    ...{ name: 'delivered', told: 3, earlierIds: ids(), events: once },
    state: { status: 'delivered', round: 1, evidence: 1_000_000, sentAt, deliveredAt: sentAt + 1, ...id1 },
  },
  {
    ...{ name: 'suppressed by the gate', told: 3, earlierIds: ids(), events: once },
    state: { status: 'suppressed', round: 1, evidence: 4 },
  },
  {
    ...{ name: 'suppressed by evidence', told: 3, earlierIds: ids(), events: once },
    state: { status: 'suppressed', round: 1, evidence: 1_000_001, sentAt, ...id1 },
  },
  {
    ...{ name: 'in doubt, in the second round', told: 3, earlierIds: ids(1), events: twice },
    state: { status: 'needs_review', round: 2, evidence: 8, sentAt },
  },
  {
    ...{ name: 'in the third and last round', told: 2, earlierIds: ids(1, 2), events: thrice },
    state: { status: 'sending', round: 3, evidence: 12, sentAt },
  },
  {
    ...{ name: 'in the third and last round, alone', told: 3, earlierIds: ids(1, 2), events: allOf(3) },
    state: { status: 'sending', round: 3, evidence: 12 },
  },
];
