import type { Extent } from '../consent/tell-source.ts';
import type { Tx } from '../db/database.ts';
import type { Address } from '../domain/address.ts';
import type { Policy } from '../domain/policy.ts';
import type { Status } from '../domain/status.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Verdict } from '../outbox/begin.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { FactListener } from '../outbox/facts.ts';

/**
 * Somebody who knows who should be told what. A source puts intents into the outbox and answers the engine's questions
 * about them; it never sends and never touches a status. All questions come for a batch.
 */
export interface Source {
  readonly name: string;
  readonly policy: Policy;
  /** Our status in the words of the source's own specification. Total: a new status must be named before it compiles. */
  words(delivery: { status: Status; wasAccepted: boolean; errorCode: string | null }): string;
  /** What to write to whom. Every delivery of the batch gets an answer. */
  draft(deliveries: readonly Claimed[]): Promise<ReadonlyMap<number, Draft>>;
  /** Last look before bytes leave, in that transaction: whoever is not in the answer goes out. */
  recheck?(deliveries: readonly Claimed[], tx: Tx): Promise<ReadonlyMap<number, Verdict>>;
  /** Bookkeeping on facts, in the transaction that makes them true. */
  changed?: FactListener;
  /** Which recipients have, or had, this address: until a mail is written, the outbox knows them by no other name. Newest first. */
  recipientsAt?(address: Address, limit: number): Promise<string[]>;
  /** Why a mail to this recipient would have to wait now: a sentence, or null where it would not. */
  whyWait?(recipient: string): Promise<string | null>;
  /** These have used the link in a mail, or have taken that back: in consent's own transaction. */
  left?(recipients: readonly string[], tx: Tx, extent?: Extent): Promise<void>;
  returned?(recipients: readonly string[], tx: Tx): Promise<void>;
}

/** What a source does by itself, again and again: the runner says when, and catches what it throws. */
export interface Chore {
  readonly name: string;
  readonly pauseMs: number;
  /** Answers whether more waits, or for how long nothing does. */
  once(signal: AbortSignal): Promise<'again' | 'pause' | number>;
  /** For one that can be told that something waits: called once, with what cuts its pause short. */
  wokenBy?(wake: () => void): void;
  /** The same work in parts that several processes can do at once, each named by a queue. */
  readonly stages?: readonly Stage[];
}

/** One kind of such parts. The database says what waits; a queue may name it twice, or lose it, and nothing comes of it. */
export interface Stage {
  readonly name: 'collect' | 'compose';
  /** What waits now, the oldest first; not all of it at once. */
  waiting(): Promise<readonly StageJob[]>;
  /** For some seconds at most; what is left of it waits again. */
  perform(job: StageJob['data'], signal: AbortSignal): Promise<void>;
}

export interface StageJob {
  /** Twice the same is one. */
  readonly id: string;
  readonly data: Readonly<Record<string, string | number>>;
}

export type Draft =
  | {
      kind: 'draft';
      to: Address;
      template: string;
      /** Of the template; without it, the one that there is. */
      version?: string;
      /** Null where the recipient has chosen none: the deployment's own. */
      locale: string | null;
      props: Readonly<Record<string, unknown>>;
      /** For whoever filters or traces mails at the provider; those that the engine finds its mails by stay its own. */
      tags?: Readonly<Record<string, string>>;
    }
  /** As it was composed ahead: the words that the delivery brings (`written`), to this address. */
  | { kind: 'written'; to: Address; tags?: Readonly<Record<string, string>> }
  | { kind: 'no_address'; error?: DeliveryError }
  /** It cannot be said now; no attempt is counted. */
  | { kind: 'later'; error: DeliveryError; dueAt?: number }
  /** There is nothing to be told after all. */
  | { kind: 'ineligible'; error: DeliveryError }
  | { kind: 'unsendable'; error: DeliveryError };
