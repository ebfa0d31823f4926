import { setMaxListeners } from 'node:events';
import { idempotencyKey } from '../domain/message.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Observation } from '../domain/pace.ts';
import { type Policy, retryDelayMs } from '../domain/policy.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Composed } from '../outbox/begin.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { Report } from '../outbox/record.ts';
import type { Trail } from '../outbox/trail.ts';
import type { Provider, Sent } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import type { Random } from '../std/random.ts';
import { thrownText } from '../std/without-addresses.ts';
import type { Pace } from './pace.ts';
import type { Recorder } from './recorder.ts';
import { createSlots } from './slots.ts';
import type { Width } from './width.ts';

export interface SendParts {
  provider: Provider;
  pace: Pick<Pace, 'take'>;
  clock: Clock;
  random: Random;
  worker: string;
  /** Where somebody follows. */
  trail?: Trail | undefined;
}

export interface Shipment {
  batch: readonly Composed[];
  width: Width;
  policy: Policy;
  /** The first may leave then, the others one after the other. */
  firstAt: number;
  spacingMs: number;
  /** By the monotonic clock. */
  leaseEndsAt: number;
  signal: AbortSignal;
}

/**
 * Hands begun mails to the provider, a few at a time and each at its slot, and gives each outcome to the recorder as it
 * comes. Once the signal is aborted, or the provider says that it is of no use to go on, nothing more leaves: what has not
 * started is known not to be accepted, and goes back to wait.
 */
export async function sendAll(
  { batch, width, policy, firstAt, spacingMs, leaseEndsAt, signal }: Shipment,
  recorder: Recorder,
  parts: SendParts,
): Promise<Observation> {
  const { provider, pace, clock, trail } = parts;
  const { longestCallMs } = provider.guarantees;
  // A call must end within the lease, by the clock that cannot jump: after it, somebody else decides.
  const startBefore = leaseEndsAt - longestCallMs;
  const seen = nothingSeen();
  const spent = { calls: 0, ms: 0 };
  const slots = createSlots({ count: batch.length, firstAt, spacingMs }, pace, clock);
  let next = 0;
  // Whoever waits for a slot hears of it at once: what a provider said is for all processes, and they are told when this batch is over.
  const halt = new AbortController();
  const stop = () => halt.abort();
  // Every mail that waits for its moment listens; Node takes more than ten of them for a leak, and says so to the user.
  setMaxListeners(0, halt.signal);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  async function sendOneByOne(): Promise<void> {
    for (let index = next++; index < batch.length; index = next++) {
      const one = batch[index] as Composed;
      const hasSlot = await slots.next(halt.signal);
      // By the wall clock too: a machine that was asleep does not know it by the other.
      const isInTime =
        clock.monotonic() <= startBefore && clock.now() + longestCallMs <= one.claimed.leaseEndsAt;
      const mayStart = hasSlot && !halt.signal.aborted && isInTime;
      const since = trail?.start();
      const beganAt = clock.monotonic();
      const outcome = mayStart ? await handOver(provider, one, startBefore) : notStarted(seen.pauseMs);
      if (mayStart) {
        spent.calls += 1;
        spent.ms += clock.monotonic() - beganAt;
        trail?.sent(one.claimed, provider.name, outcome, since);
      }
      note(seen, outcome);
      if (seen.pauseMs !== null || seen.down !== null) stop();
      recorder.add(reportOf(one.claimed, outcome, policy, parts));
    }
  }

  const atOnce = spacingMs > 0 ? width.most : width.current;
  await Promise.all(Array.from({ length: Math.min(atOnce, batch.length) }, sendOneByOne));
  signal.removeEventListener('abort', stop);
  if (spent.calls > 0) width.learn({ calls: spent.calls, meanMs: spent.ms / spent.calls });
  return { ...seen, ratePerSecond: provider.seenRatePerSecond?.() ?? null };
}

function notStarted(retryAfterMs: number | null): Outcome {
  const error = {
    code: 'not_started',
    message: 'shutting down, out of time, or the provider is not to be asked',
  };
  return { kind: 'deferred', error, ...(retryAfterMs !== null && { retryAfterMs }) };
}

async function handOver(provider: Provider, { claimed, mail }: Composed, startBefore: number): Promise<Sent> {
  try {
    return await provider.send({
      key: idempotencyKey(claimed.id, claimed.round),
      mail,
      startBefore,
      leaseEndsAt: claimed.leaseEndsAt,
    });
  } catch (error) {
    // A provider must not throw; if one does, nobody knows how far it got.
    return {
      kind: 'unknown',
      error: { code: 'provider_threw', provider: provider.name, message: thrownText(error) },
    };
  }
}

export function nothingSeen(): Observation {
  return { accepted: 0, doubtful: 0, pauseMs: null, down: null, ratePerSecond: null };
}

const throttleMs = 1_000;

/** What an outcome tells about the provider, beside what it tells about the mail. */
export function note(seen: Observation, outcome: Sent): void {
  // What an inner attempt met is known, though a stronger outcome stands for the whole call.
  for (const attempt of outcome.attempts ?? [{ outcome }]) noteOne(seen, attempt.outcome);
}

function noteOne(seen: Observation, outcome: Outcome): void {
  if (outcome.kind === 'accepted') seen.accepted += 1;
  if (outcome.kind === 'unknown' && outcome.isAttempt !== false) seen.doubtful += 1;
  if (outcome.kind !== 'deferred' || outcome.trouble === undefined) return;
  const { trouble, retryAfterMs } = outcome;
  const isPause = trouble === 'throttled' || (trouble === 'over_quota' && retryAfterMs !== undefined);
  if (isPause) seen.pauseMs = Math.max(seen.pauseMs ?? 0, retryAfterMs ?? throttleMs);
  else seen.down = trouble;
}

/** An id is a stranger's text: PostgreSQL stores no NUL, and an index no novel. */
export function storable(messageId: string): string {
  return messageId.replaceAll('\0', '').slice(0, 500);
}

const dayMs = 86_400_000;

function wholeMs(ms: number): number {
  return Number.isFinite(ms) ? Math.min(dayMs, Math.max(0, Math.round(ms))) : deferralMs;
}

/** What is left alone for when nobody says how long. */
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
  const { seq, id, traceId, lease, known } = claimed;
  const base = { seq, id, traceId, lease, actor: worker, known };
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...base,
        event: 'accepted',
        round: claimed.round,
        at: now,
        messageId: storable(outcome.messageId),
      };
    case 'deferred':
      return {
        ...base,
        event: 'deferred',
        dueAt: now + wholeMs(outcome.retryAfterMs ?? deferralMs),
        error: withWait(outcome),
      };
    case 'refused_for_now': {
      const attemptsAfter = claimed.attempts + 1;
      const error = withWait(outcome);
      if (attemptsAfter >= policy.attemptsMax) return { ...base, event: 'gave_up', error };
      const { retryAfterMs } = outcome;
      const waitMs = retryDelayMs(policy, attemptsAfter, {
        random: random.next(),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return { ...base, event: 'refused_for_now', dueAt: now + waitMs, error };
    }
    case 'refused_for_good':
      return { ...base, event: 'refused_for_good', error: outcome.error };
    case 'unknown': {
      const counted = outcome.isAttempt === false ? { isAttempt: false } : {};
      return { ...base, event: 'outcome_unknown', dueAt: now + doubtMs, error: outcome.error, ...counted };
    }
    case 'key_conflict': {
      const { kind: event, error, isAttempt = true } = outcome;
      return { ...base, event, dueAt: now + doubtMs, error, isAttempt };
    }
  }
}

/** 000-54: how long the provider asked for, beside why; in its own words where it has said it there. */
function withWait({ error, retryAfterMs }: { error: DeliveryError; retryAfterMs?: number }): DeliveryError {
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs)) return error;
  return { retryAfterSeconds: Math.ceil(Math.max(0, retryAfterMs) / 1000), ...error };
}
