import type { EvidenceEvent } from '../domain/evidence.ts';
import { afterBounce, type Policy, quotaRetryAt, quotaRoundsMax } from '../domain/policy.ts';
import type { EvidenceReport } from '../domain/transition.ts';
import type { Report } from '../outbox/record.ts';
import type { FoundMail } from './find-mail.ts';
import type { ProviderEvent } from './provider-event.ts';
import type { KnownDelivery } from './webhook-log.ts';

/** And who says it. */
export interface HeardEvent extends ProviderEvent {
  provider: string;
}

/** An event about a mail that we know, in the outbox's words. */
export function reportOf(
  event: HeardEvent,
  evidence: EvidenceEvent,
  { delivery, round }: FoundMail,
  policy: Policy,
  { receivedAt, now }: { receivedAt: number; now: number },
): Report {
  const at = happenedAt(event, delivery, receivedAt);
  return {
    ...{ seq: delivery.seq, actor: 'webhook', event: evidence, round, at },
    ...(event.messageId !== null && { messageId: event.messageId }),
    ...(event.error && { error: event.error }),
    ...(event.to !== null && { address: event.to }),
    ...nextRound(),
    // What the built-in inbox says has reached nobody: the story is told accordingly.
    detail: { evidence: event.type, ...(event.provider === 'capture' && { account: event.provider }) },
  };

  function nextRound(): Pick<EvidenceReport, 'dueAt' | 'roundsMax'> {
    if (evidence === 'bounced_for_now') return afterBounce(policy, round, now);
    // From when it was full: what is told late need not wait for a second midnight.
    return evidence === 'over_quota'
      ? { dueAt: quotaRetryAt(at, delivery.seq), roundsMax: quotaRoundsMax(policy) }
      : {};
  }
}

/** Two clocks never quite agree; what is further off than this is no time at all. */
const clocksApartMs = 5 * 60_000;

/** By the provider's clock where that can be: after the delivery was asked for, and before it was told. Else when it came. */
function happenedAt({ at }: ProviderEvent, { createdAt }: KnownDelivery, receivedAt: number): number {
  const canBe = at !== null && at >= createdAt - clocksApartMs && at <= receivedAt + clocksApartMs;
  return canBe ? at : receivedAt;
}
