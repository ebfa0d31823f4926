import type { DeliveryError } from './transition.ts';

/**
 * What came of handing one mail to a provider. Never thrown: whoever sends must branch on it. The kinds differ in
 * what is known, which is all that decides what may happen next.
 */
export type Outcome =
  /** The provider has it; its id is the evidence. */
  | { kind: 'accepted'; messageId: string }
  /** Known not accepted, and not this mail's fault. `trouble` says what ails the provider; without it, it is we. */
  | { kind: 'deferred'; error: DeliveryError; retryAfterMs?: number; trouble?: Trouble }
  /** Known not accepted; the same mail may be accepted later. */
  | { kind: 'refused_for_now'; error: DeliveryError; retryAfterMs?: number }
  /** Known not accepted, and never will be. */
  | { kind: 'refused_for_good'; error: DeliveryError }
  /** It may or may not have been accepted. */
  | { kind: 'unknown'; error: DeliveryError; isAttempt?: false }
  /** The key was used before with another body: something was accepted, or is being, under it. No attempt where we saw that ourselves. */
  | { kind: 'key_conflict'; error: DeliveryError; isAttempt?: false };

/** The code of a refusal which says that the mailbox does not exist: it suppresses the address, as a hard bounce does. */
export const mailboxUnknown = 'mailbox_unknown';

/** The code of a refusal which says that the provider does not mail this address: that suppresses it, too. */
export const recipientInactive = 'recipient_inactive';

/**
 * throttled: too fast; it says for how long. over_quota: until it says, or until somebody pays. unauthorised: our
 * credentials, or our sender. unreachable: refused connection, unknown host. None of them is cured by trying the next mail.
 */
type Trouble = 'throttled' | 'over_quota' | 'unauthorised' | 'unreachable';

/** What a provider says when asked whether it has a mail. Only a complete search may say `absent`. */
export type LookUp =
  | { kind: 'found'; messageId: string; at: number }
  | { kind: 'absent' }
  | { kind: 'unknown' };

/**
 * What is known after several tries with one mail under one key. A stronger outcome is never undone by a weaker one:
 * who refuses a mail now may have accepted it a moment ago, when nobody heard his answer. Of equals the last one counts,
 * which is the one that knows best how long to wait.
 */
export function strongest(outcomes: readonly [Outcome, ...Outcome[]]): Outcome {
  const best = outcomes.reduce((sofar, next) => (strength[next.kind] >= strength[sofar.kind] ? next : sofar));
  if (best.kind !== 'unknown' || outcomes.every(isNoAttempt)) return best;
  // Somewhere among them a call has ended in earnest, and that is counted.
  return { kind: 'unknown', error: best.error };
}

const strength = {
  deferred: 0,
  refused_for_now: 1,
  refused_for_good: 2,
  unknown: 3,
  // As doubtful as unknown, but only this one says that the key has been used.
  key_conflict: 4,
  accepted: 5,
} as const satisfies Record<Outcome['kind'], number>;

function isNoAttempt(outcome: Outcome): boolean {
  return outcome.kind === 'deferred' || ('isAttempt' in outcome && outcome.isAttempt === false);
}
