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
  /** The key was used before with another body: something was accepted, or is being, under it. */
  | { kind: 'key_conflict'; error: DeliveryError };

/**
 * throttled: too fast; it says for how long. over_quota: until it says, or until somebody pays. unauthorised: our
 * credentials. unreachable: refused connection, unknown host. None of them is cured by trying the next mail.
 */
export type Trouble = 'throttled' | 'over_quota' | 'unauthorised' | 'unreachable';

/** What a provider says when asked whether it has a mail. Only a complete search may say `absent`. */
export type LookUp =
  | { kind: 'found'; messageId: string; at: number }
  | { kind: 'absent' }
  | { kind: 'unknown' };
