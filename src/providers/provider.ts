import type { Address } from '../domain/address.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import type { Mail } from '../domain/message.ts';
import type { LookUp, Outcome } from '../domain/outcome.ts';
import type { DeliveryError } from '../domain/transition.ts';

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
  send(parcel: Parcel): Promise<Sent>;
  lookUp?(reference: MailReference): Promise<LookUp>;
  /**
   * What became of mails that it accepted, as far as it can tell in a minute. Never throws. `mayAsk` is waited for before
   * each question, and its first no ends them.
   */
  progress?(mails: readonly AcceptedMail[], mayAsk: MayAsk): Promise<ProgressReport>;
  /** Mails a second that it takes by the word of its last answers; null while none has said so. */
  seenRatePerSecond?(): number | null;
  /** Whether mail would be accepted now; sends none. */
  probe(): Promise<{ isUp: true } | { isUp: false; reason: string }>;
  /** Retention: deletes what it keeps itself from before that moment. */
  forget?(before: number): Promise<void>;
  /** Ends what it keeps open. */
  close?(): Promise<void>;
}

/** What came of a call, and of each attempt within it where it made several. */
export type Sent = Outcome & { readonly attempts?: readonly { readonly outcome: Outcome }[] };

export interface Guarantees {
  /** How long a key is recognised; null where there are no keys. */
  idempotencyWindowMs: number | null;
  /** How long after accepting a mail a look-up may still not find it. */
  indexingDelayMs: number;
  /** From handing a mail over to its outcome, connecting, waiting and inner retries included. */
  longestCallMs: number;
  /** Mails in flight at once: never more than connections, so that no mail waits inside the provider. */
  concurrency: number;
  /** Mails a second that the provider takes; null where it has no limit. */
  ratePerSecond: number | null;
}

export interface Parcel {
  key: string;
  mail: Mail;
  /** Nothing may begin to leave after this, by the monotonic clock: afterwards somebody else decides about the mail. */
  startBefore: number;
  /** The same by the wall clock, for a machine that was asleep: nothing begins to leave so late that it could end after this. */
  leaseEndsAt: number;
}

export type MayAsk = () => Promise<boolean>;

export interface AcceptedMail {
  messageId: string;
  /** By our clock, and nearly so: those that left together are asked about together. */
  leftAt: number;
}

export interface ProgressReport {
  /** By message id. Null: nothing that was not known when it was accepted. A mail that is missing was not asked about. */
  answers: ReadonlyMap<string, Progress | null>;
  /** It does not let us ask. */
  isRefused: boolean;
}

export interface Progress {
  event: Exclude<EvidenceEvent, 'accepted'>;
  /** When it had happened at the latest: of several times for one fact the earliest counts. */
  at: number;
  error?: DeliveryError;
  /** To whom it went, where the provider says so: retention may have forgotten it here. */
  to?: Address;
}

export interface MailReference {
  key: string;
  messageId: string | null;
  /** The earliest moment at which the mail can have been accepted. */
  sentAfter: number;
}
