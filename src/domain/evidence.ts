import type { Status } from './status.ts';

/**
 * What the provider says about a delivery: an answer, a webhook, a look-up, a late worker. Each event has a rank within its
 * round; the higher rank wins from every status, and equal or lower ranks change only facts. That is `max`: any order and
 * any duplication of the same evidence end the same, which no table over statuses alone can promise.
 */
interface EvidenceFacts {
  /** Added to 4 × round; `'top'` ranks stand above every round. */
  rank: 1 | 2 | 3 | { top: number };
  next: Status;
  /** The provider had the mail: the delivery counts as told, whatever became of it later. */
  impliesAccepted: boolean;
  comesFrom: string;
}

export const evidenceEvents = {
  accepted: {
    rank: 1,
    next: 'sent',
    impliesAccepted: true,
    comesFrom: "the provider's answer, late or not; sent and delivery_delayed webhooks; look-up; operator",
  },
  bounced_for_now: {
    rank: 2,
    next: 'failed_transient',
    impliesAccepted: true,
    comesFrom: 'a bounce that is not permanent',
  },
  over_quota: {
    rank: 2,
    next: 'failed_transient',
    impliesAccepted: false,
    comesFrom: "a failed webhook whose reason is the day's quota",
  },
  provider_failed: {
    rank: 3,
    next: 'failed_permanent',
    impliesAccepted: false,
    comesFrom: 'a failed webhook with any other reason',
  },
  confirmed: {
    rank: { top: 1_000_000 },
    next: 'delivered',
    impliesAccepted: true,
    comesFrom: 'delivered, opened and clicked webhooks',
  },
  bounced_for_good: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: true,
    comesFrom: 'a permanent bounce',
  },
  complained: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: true,
    comesFrom: 'a complaint',
  },
  provider_suppressed: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: false,
    comesFrom: 'a suppressed webhook',
  },
} as const satisfies Record<string, EvidenceFacts>;

export type EvidenceEvent = keyof typeof evidenceEvents;

export const evidenceEventNames = Object.keys(evidenceEvents) as EvidenceEvent[];

/** Rounds whose ranks stay below the top ones; far more than any policy allows. */
const roundsLimit = 10_000;

export function rankOf(event: EvidenceEvent, round: number): number {
  if (!Number.isInteger(round) || round < 1 || round > roundsLimit) {
    throw new RangeError(`rankOf: round must be an integer from 1 to ${roundsLimit}, not ${round}`);
  }
  const { rank }: EvidenceFacts = evidenceEvents[event];
  return typeof rank === 'number' ? 4 * round + rank : rank.top;
}
