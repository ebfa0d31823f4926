import type { EvidenceEvent } from '../src/domain/evidence.ts';
import type { Mail } from '../src/domain/message.ts';
import type { Clock } from '../src/std/clock.ts';
import { type Chance, hourMs, minuteMs } from './chance.ts';
import type { Story } from './story.ts';

/** The truth: every mail that any account has accepted, and what became of it. */
export interface Ledger {
  readonly entries: readonly Entry[];
  /** On their way to us, early and late, doubled and out of order; the lost ones are not here. */
  readonly webhooks: Webhook[];
  accept(account: string, key: string, mail: Mail): Entry;
  isLive(entry: Entry): boolean;
}

export interface Entry {
  account: string;
  key: string;
  deliveryId: string;
  round: number;
  messageId: string;
  acceptedAt: number;
  /** From then on the recipient does not have it; null if it stays with her. */
  bouncedAt: number | null;
  /** The engine has committed that it bounced. */
  isBounceTold: boolean;
}

export interface Webhook {
  entry: Entry;
  event: EvidenceEvent;
  at: number;
  arrivesAt: number;
}

const ends = {
  confirmed: 50,
  complained: 8,
  bounced_for_now: 15,
  over_quota: 3,
  bounced_for_good: 6,
  provider_failed: 4,
  silence: 14,
};
const isBounce: ReadonlySet<string> = new Set([
  'bounced_for_now',
  'over_quota',
  'bounced_for_good',
  'provider_failed',
]);

export interface LedgerParts {
  chance: Chance;
  clock: Clock;
  story: Story;
  isTroubled: () => boolean;
}

export function createLedger({ chance, clock, story, isTroubled }: LedgerParts): Ledger {
  const entries: Entry[] = [];
  const webhooks: Webhook[] = [];

  function announce(entry: Entry, event: EvidenceEvent, at: number): void {
    if (isTroubled() && chance.isTrue(0.2)) return;
    for (let copies = chance.isTrue(0.2) ? 2 : 1; copies > 0; copies--) {
      const delayMs = chance.isTrue(0.6) ? chance.between(0, 500) : chance.between(0, 3 * hourMs);
      webhooks.push({ entry, event, at, arrivesAt: at + delayMs });
    }
  }

  return {
    entries,
    webhooks,
    isLive: ({ bouncedAt }) => bouncedAt === null || clock.now() < bouncedAt,
    accept(account, key, mail) {
      const acceptedAt = clock.now();
      const end = isTroubled() ? chance.weighted(ends) : 'confirmed';
      const endAt = acceptedAt + chance.between(1, chance.isTrue(0.7) ? 2_000 : 90 * minuteMs);
      const messageId = `m${entries.length + 1}`;
      const { delivery_id: deliveryId = '', round } = mail.tags;
      const bouncedAt = isBounce.has(end) ? endAt : null;
      const entry = {
        ...{ account, key, deliveryId, round: Number(round), messageId, acceptedAt, bouncedAt },
        isBounceTold: false,
      };
      entries.push(entry);
      story.tell(`${account} accepts ${messageId}, round ${round} for ${mail.to} (its end: ${end})`);
      announce(entry, 'accepted', acceptedAt);
      if (end === 'complained') announce(entry, 'confirmed', endAt);
      if (end !== 'silence') announce(entry, end, endAt);
      return entry;
    },
  };
}
