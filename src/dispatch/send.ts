import { idempotencyKey } from '../domain/message.ts';
import type { Outcome } from '../domain/outcome.ts';
import { type Policy, retryDelayMs } from '../domain/policy.ts';
import type { Composed } from '../outbox/begin.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { Report } from '../outbox/record.ts';
import type { Provider } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import type { Random } from '../std/random.ts';
import type { Recorder } from './recorder.ts';

export interface SendParts {
  provider: Provider;
  clock: Clock;
  random: Random;
  worker: string;
}

/**
 * Hands begun mails to the provider, a few at a time, and gives each outcome to the recorder as it comes. Once `signal`
 * is aborted nothing more leaves: what has not started is known not to be accepted, and goes back to wait.
 */
export async function sendAll(
  batch: readonly Composed[],
  policy: Policy,
  leaseEndsAt: number,
  recorder: Recorder,
  signal: AbortSignal,
  parts: SendParts,
): Promise<void> {
  const { provider, clock } = parts;
  const waiting = [...batch];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // Measured with the clock that cannot jump. A call must end within the lease: after it, somebody else decides.
      const startBefore = leaseEndsAt - provider.guarantees.longestCallMs;
      const mayStart = !signal.aborted && clock.monotonic() <= startBefore;
      const outcome = mayStart ? await handOver(provider, next, startBefore) : notStarted;
      recorder.add(reportOf(next.claimed, outcome, policy, parts));
    }
  };
  await Promise.all(Array.from({ length: Math.min(provider.guarantees.concurrency, batch.length) }, worker));
}

const notStarted: Outcome = {
  kind: 'deferred',
  error: { code: 'not_started', message: 'shutting down, or out of time' },
};

async function handOver(
  provider: Provider,
  { claimed, mail }: Composed,
  startBefore: number,
): Promise<Outcome> {
  try {
    return await provider.send({ key: idempotencyKey(claimed.id, claimed.round), mail, startBefore });
  } catch (error) {
    // A provider must not throw; if one does, nobody knows how far it got.
    return {
      kind: 'unknown',
      error: { code: 'provider_threw', provider: provider.name, message: String(error) },
    };
  }
}

/** What a throttled or unreachable provider is left alone for when it does not say. */
const deferralMs = 1_000;
/** How soon a doubtful outcome is looked into. */
const doubtMs = 5_000;

function reportOf(
  claimed: Claimed,
  outcome: Outcome,
  policy: Policy,
  { clock, random, worker }: SendParts,
): Report {
  const now = clock.now();
  const base = { seq: claimed.seq, lease: claimed.lease, actor: worker };
  switch (outcome.kind) {
    case 'accepted':
      return { ...base, event: 'accepted', round: claimed.round, at: now, messageId: outcome.messageId };
    case 'deferred':
      return {
        ...base,
        event: 'deferred',
        dueAt: now + (outcome.retryAfterMs ?? deferralMs),
        error: outcome.error,
      };
    case 'refused_for_now': {
      const attemptsAfter = claimed.attempts + 1;
      if (attemptsAfter >= policy.attemptsMax) return { ...base, event: 'gave_up', error: outcome.error };
      const { retryAfterMs } = outcome;
      const waitMs = retryDelayMs(policy, attemptsAfter, {
        random: random.next(),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return { ...base, event: 'refused_for_now', dueAt: now + waitMs, error: outcome.error };
    }
    case 'refused_for_good':
      return { ...base, event: 'refused_for_good', error: outcome.error };
    case 'unknown': {
      const counted = outcome.isAttempt === false ? { isAttempt: false } : {};
      return { ...base, event: 'outcome_unknown', dueAt: now + doubtMs, error: outcome.error, ...counted };
    }
    case 'key_conflict':
      return { ...base, event: 'key_conflict', dueAt: now + doubtMs, error: outcome.error };
  }
}
