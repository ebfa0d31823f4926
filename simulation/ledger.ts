import type { Address } from '../src/domain/address.ts';
import type { EvidenceEvent } from '../src/domain/evidence.ts';
import type { Mail } from '../src/domain/message.ts';
import type { Clock } from '../src/std/clock.ts';
import { type Chance, minuteMs } from './chance.ts';
import type { Story } from './story.ts';

/** The truth: every mail that any account has accepted, and what became of it. */
export interface Ledger {
  readonly entries: readonly Entry[];
  /** Those of one delivery. */
  of(deliveryId: string): readonly Entry[];
  accept(account: string, key: string, mail: Mail, isDenied: boolean): Entry;
  isLive(entry: Entry): boolean;
  /** Deliveries that somebody said were sent, and nobody ever had: what is said of them is not the engine's doing. */
  readonly invented: Set<string>;
  /** Deliveries that another system had, with no proof of what became of them. */
  readonly imported: Set<string>;
}

export interface Entry {
  account: string;
  key: string;
  deliveryId: string;
  round: number;
  messageId: string;
  to: Address;
  acceptedAt: number;
  end: End;
  endAt: number;
  /** The engine has heard of it in the answer to a request. */
  isAnswered: boolean;
  /** The engine has committed that it bounced: when it said so. */
  bounceToldAt: number | null;
  /**
   * Somebody whom the engine must believe (a look-up, an operator, a database that went back in time) says that there is no
   * such mail. While the key is known it must not go out twice even so; beyond that nobody can help it.
   */
  isDenied: boolean;
  /** It was asked for again under its key since, and somebody has heard the answer. */
  isFoundAgain: boolean;
  /** Somebody was told that it bounced, and it did not: nothing comes of it where it is known that the mail arrived. */
  isSlandered: boolean;
}

const ends = {
  confirmed: 50,
  complained: 8,
  bounced_for_now: 15,
  over_quota: 3,
  bounced_for_good: 6,
  provider_failed: 4,
  provider_suppressed: 3,
  silence: 14,
};
type End = keyof typeof ends;

/** From then on the recipient does not have it. */
export const isBounce: ReadonlySet<string> = new Set<EvidenceEvent>([
  'bounced_for_now',
  'over_quota',
  'bounced_for_good',
  'provider_failed',
  'provider_suppressed',
]);

export interface LedgerParts {
  chance: Chance;
  clock: Clock;
  story: Story;
  isTroubled: () => boolean;
  onAccepted: (entry: Entry, mail: Mail) => void;
  /** Whatever is accepted fails afterwards, and may come again. */
  isOverQuota: () => boolean;
  /** Whatever comes there comes back, and may come again. */
  isFull: (address: string) => boolean;
  /** The delivery's number, as the database has it now. */
  numberOf: (id: string) => number | undefined;
}

const none: readonly Entry[] = [];

export function createLedger(parts: LedgerParts): Ledger {
  const { chance, clock, story, isTroubled, onAccepted, isOverQuota, isFull, numberOf } = parts;
  const entries: Entry[] = [];
  const byDelivery = new Map<string, Entry[]>();
  return {
    entries,
    of: (deliveryId) => byDelivery.get(deliveryId) ?? none,
    invented: new Set(),
    imported: new Set(),
    isLive: ({ end, endAt }) => !isBounce.has(end) || clock.now() < endAt,
    accept(account, key, mail, isDenied) {
      const acceptedAt = clock.now();
      const usual = isTroubled() ? chance.weighted(ends) : 'confirmed';
      const rolled = isOverQuota() ? 'over_quota' : usual;
      const end = isFull(mail.to) ? 'bounced_for_now' : rolled;
      const endAt = acceptedAt + chance.between(1, chance.isTrue(0.7) ? 2_000 : 90 * minuteMs);
      const messageId = `m${entries.length + 1}`;
      const { delivery_id: deliveryId = '', round } = mail.tags;
      const entry: Entry = {
        ...{ account, key, deliveryId, round: Number(round), messageId, to: mail.to, acceptedAt, end, endAt },
        ...{ isAnswered: false, isFoundAgain: false, bounceToldAt: null, isDenied, isSlandered: false },
      };
      entries.push(entry);
      byDelivery.set(deliveryId, [...(byDelivery.get(deliveryId) ?? none), entry]);
      const number = numberOf(deliveryId) ?? ' that is not there';
      story.tell(`${account} accepts ${messageId}, round ${round} of #${number} (its end: ${end})`);
      onAccepted(entry, mail);
      return entry;
    },
  };
}

export function deny(entry: Entry): void {
  entry.isDenied = true;
  entry.isFoundAgain = false;
}

export const isBounced = ({ end }: Entry) => isBounce.has(end);

export const bounceTold = ({ bounceToldAt }: Entry) => bounceToldAt !== null;
