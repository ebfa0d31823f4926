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
