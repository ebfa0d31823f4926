import { bodyHash, type Mail } from '../domain/message.ts';
import { type Outcome, strongest } from '../domain/outcome.ts';
import { slotGraceMs } from '../domain/pace.ts';
import { type Policy, plainPolicy, retryDelayMs } from '../domain/policy.ts';
import type { Clock } from '../std/clock.ts';
import type { Random } from '../std/random.ts';
import type { Parcel, Provider } from './provider.ts';
import { createTokenBucket } from './token-bucket.ts';
import { isTooLate } from './too-late.ts';

/**
 * Any provider, made patient: spec 000's ReliableMailSender. It tries again within one call what a moment's wait cures,
 * keeps to a rate, and answers whatever happens, with every attempt it made. It never tries again what could become a
 * second mail, and never says less than the strongest thing that it has heard.
 */
export interface ReliableProvider extends Provider {
  send(parcel: Parcel): Promise<ReliableOutcome>;
}

type ReliableOutcome = Outcome & { readonly attempts: readonly InnerAttempt[] };

interface InnerAttempt {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
}

export interface ReliableOptions {
  clock: Clock;
  random: Random;
  /** Inner attempts of one call, the first included. */
  attemptsMax?: number;
  backOff?: Policy['scheduleMs'];
  /** No inner attempt begins later than this after the call; what needs longer is the outbox's business. */
  startWithinMs?: number;
  /** Instead of the provider's own; null for none. */
  ratePerSecond?: number | null;
  /** Codes of refusals for now that a moment's wait cures: losses on the way, not a server's considered no. */
  passingCodes?: readonly string[];
}

const defaults = {
  attemptsMax: 3,
  // A blip is over in a second; equal jitter, because mails that were refused together must not come back together.
  backOff: { kind: 'exponential', baseMs: 250, factor: 4, capMs: 4_000, jitter: 'equal' },
  startWithinMs: 10_000,
  passingCodes: ['connection_lost'],
} as const;

/** A provider that gives up at its last moment knows more about the mail than we do. */
const graceMs = 1_000;

export function createReliable(provider: Provider, options: ReliableOptions): ReliableProvider {
  const { clock, random } = options;
  const attemptsMax = options.attemptsMax ?? defaults.attemptsMax;
  const startWithinMs = options.startWithinMs ?? defaults.startWithinMs;
  const passingCodes = options.passingCodes ?? defaults.passingCodes;
  const policy: Policy = { ...plainPolicy, scheduleMs: options.backOff ?? defaults.backOff };
  const { guarantees } = provider;
  const ratePerSecond =
    options.ratePerSecond === undefined ? guarantees.ratePerSecond : options.ratePerSecond;
  const bucket =
    ratePerSecond === null ? undefined : createTokenBucket({ ratePerSecond, graceMs: slotGraceMs }, clock);
  const inFlight = new Map<string, { mail: Mail; outcome: Promise<ReliableOutcome> }>();

  async function sendPatiently(parcel: Parcel): Promise<ReliableOutcome> {
    const startBefore = Math.min(parcel.startBefore, clock.monotonic() + startWithinMs);
    const attempts: InnerAttempt[] = [];
    for (let waitMs = 0; attempts.length < attemptsMax; ) {
      if (clock.monotonic() + waitMs > startBefore) break;
      if (waitMs > 0) await clock.sleep(waitMs);
      if (!(await waitForTurn(startBefore))) break;
      if (isTooLate({ ...parcel, startBefore }, clock, guarantees.longestCallMs)) break;
      const startedAt = clock.now();
      const outcome = await tryOnce({ ...parcel, startBefore });
      attempts.push({ startedAt, endedAt: clock.now(), outcome });
      if (!mayTryAgain(outcome)) break;
      const retryAfterMs = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
      waitMs = retryDelayMs(policy, attempts.length, {
        random: random.next(),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
    }
    const [first, ...more] = attempts.map(({ outcome }) => outcome);
    return { ...(first ? strongest([first, ...more]) : notStarted), attempts };
  }

  /** False, if its turn would come too late. */
  async function waitForTurn(startBefore: number): Promise<boolean> {
    if (!bucket) return true;
    const tokenMs = bucket.take(startBefore);
    if (tokenMs === undefined) return false;
    if (tokenMs > 0) await clock.sleep(tokenMs);
    // All who waited while the process stood still go on at the same instant: what they have missed is not made up for (0011).
    for (let earlyMs = bucket.use(); earlyMs > 0; earlyMs = bucket.use()) {
      if (clock.monotonic() + earlyMs > startBefore) return false;
      await clock.sleep(earlyMs);
    }
    return true;
  }

  /** Answers always, and in time. */
  async function tryOnce(parcel: Parcel): Promise<Outcome> {
    const over = new AbortController();
    const tooLate = clock
      .sleep(guarantees.longestCallMs + graceMs, over.signal)
      .then(() => doubt('provider_silent', 'no outcome within the time that it promises'));
    // Inside an async function, so that one that throws before its first await is caught, too.
    const answer = (async () => provider.send(parcel))().catch((error: unknown) =>
      doubt('provider_threw', error instanceof Error ? error.name : typeof error),
    );
    const outcome = await Promise.race([answer, tooLate]);
    over.abort();
    return outcome;
  }

  const doubt = (code: string, message: string): Outcome => ({
    kind: 'unknown',
    error: { code, provider: provider.name, message },
  });

  /** A refusal for good and a conflict stay what they are; trouble is for whoever keeps the pace of all mails. */
  function mayTryAgain(outcome: Outcome): boolean {
    if (outcome.kind === 'unknown') return guarantees.idempotencyWindowMs !== null;
    return outcome.kind === 'refused_for_now' && passingCodes.includes(outcome.error.code);
  }

  const { lookUp, progress, seenRatePerSecond, forget, close } = provider;
  return {
    name: provider.name,
    account: provider.account,
    guarantees: {
      ...guarantees,
      ratePerSecond,
      longestCallMs: startWithinMs + guarantees.longestCallMs + graceMs,
    },
    send(parcel) {
      const before = inFlight.get(parcel.key);
      if (before) {
        const isSame = bodyHash(before.mail) === bodyHash(parcel.mail);
        return isSame ? before.outcome : Promise.resolve(conflict(provider.name));
      }
      const outcome = sendPatiently(parcel).finally(() => inFlight.delete(parcel.key));
      inFlight.set(parcel.key, { mail: parcel.mail, outcome });
      return outcome;
    },
    ...(lookUp && { lookUp: (reference) => lookUp.call(provider, reference) }),
    ...(progress && { progress: (mails, mayAsk) => progress.call(provider, mails, mayAsk) }),
    ...(seenRatePerSecond && { seenRatePerSecond: () => seenRatePerSecond.call(provider) }),
    async probe() {
      try {
        return await provider.probe();
      } catch (error) {
        return { isUp: false, reason: error instanceof Error ? error.name : typeof error };
      }
    },
    ...(forget && { forget: (before) => forget.call(provider, before) }),
    ...(close && { close: () => close.call(provider) }),
  };
}

const notStarted: Outcome = {
  kind: 'deferred',
  error: { code: 'not_started', message: 'out of time, or too many mails before it' },
};

/** One key, one body: the first one is on its way, and nobody was asked about the other. */
function conflict(provider: string): ReliableOutcome {
  const error = { code: 'key_in_flight', provider, message: 'another mail is on its way under this key' };
  return { kind: 'key_conflict', error, isAttempt: false, attempts: [] };
}
