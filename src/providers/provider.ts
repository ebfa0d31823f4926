import type { Mail } from '../domain/message.ts';
import type { LookUp, Outcome } from '../domain/outcome.ts';

/**
 * Somebody who accepts mail. What a provider promises is declared in `guarantees`, and the engine relies on nothing
 * else: a provider without keys is never asked twice, one without look-up is never believed to be silent.
 */
export interface Provider {
  readonly name: string;
  /** Name and a fingerprint of the credentials: a mail in doubt is settled with the account that holds it. */
  readonly account: string;
  readonly guarantees: Guarantees;
  /** Never throws and never answers later than `longestCallMs`. */
  send(parcel: Parcel): Promise<Outcome>;
  lookUp?(reference: MailReference): Promise<LookUp>;
  /** Whether mail would be accepted now; sends none. */
  probe(): Promise<{ isUp: true } | { isUp: false; reason: string }>;
}

export interface Guarantees {
  /** How long a key is recognised; null where there are no keys. */
  idempotencyWindowMs: number | null;
  /** How long after accepting a mail a look-up may still not find it. */
  indexingDelayMs: number;
  longestCallMs: number;
  /** Mails in flight at once. */
  concurrency: number;
}

export interface Parcel {
  key: string;
  mail: Mail;
}

interface MailReference {
  key: string;
  messageId: string | null;
  /** The earliest moment at which the mail can have been accepted. */
  sentAfter: number;
}
