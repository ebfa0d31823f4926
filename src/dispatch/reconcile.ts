import type { Consent } from '../consent/consent.ts';
import { idempotencyKey } from '../domain/message.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Status } from '../domain/status.ts';
import type { Composed } from '../outbox/begin.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxQueries } from '../outbox/queries.ts';
import type { Report } from '../outbox/record.ts';
import type { Doubted, TakeUpOrder } from '../outbox/take-up.ts';
import type { Trail } from '../outbox/trail.ts';
import type { Provider } from '../providers/provider.ts';
import type { Source } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { thrownText } from '../std/without-addresses.ts';
import { gateOf } from './gate.ts';
import type { Pace } from './pace.ts';
import { note, nothingSeen, storable } from './send.ts';
import { createSlots } from './slots.ts';

/**
 * Settles deliveries of which nobody knows whether they were accepted, rung by rung: the same bytes under the same key while
 * the provider still knows it; then a look-up, which is believed only when it is complete and late enough; then patience, for
 * a webhook; then an operator. It never guesses: a refusal of the second submission says nothing about the first.
 */
export interface Reconcile {
  /** Answers how many deliveries it took up. */
  runOnce(signal: AbortSignal): Promise<number>;
  /** For an operator: the next batch of those that are due, or of all that nobody holds, each once, by number. */
  walk(order: { above: number; isEarly: boolean }, signal: AbortSignal): Promise<Walked>;
}

interface Walked {
  settled: Settled[];
  /** Where to go on; null when there is no more. */
  next: number | null;
  /** The provider is left alone for so long, for reasons that circuit and pauses tell; null where it is not. */
  waitMs: number | null;
}

/** What came of one look: a delivery may be as much in doubt as before. */
export interface Settled {
  seq: number;
  event: Report['event'];
  status: Status | null;
  /** Another account, which may have the mail and was not asked. */
  heldBy: string | null;
}

export interface ReconcileParts {
  outbox: Outbox;
  queries: OutboxQueries;
  sources: readonly Source[];
  consent: Pick<Consent, 'against'>;
  provider: Provider;
  pace: Pace;
  clock: Clock;
  log: Log;
  worker: string;
  /** How long a worker may hold a delivery of this source. */
  leaseOf: (source: string) => number;
  /** Where somebody follows. */
  trail?: Trail | undefined;
}

const batchMax = 50;
/** Beyond the longest call: for the transactions around it, and the slots in between. */
const leaseMarginMs = 30_000;
/** The provider's clock and ours may differ by so much. */
const skewMs = 60_000;
const againFirstMs = 5_000;
const againLongestMs = 30 * 60_000;
/** What is said to be sent and was never in our hands is looked up so often, over an hour and a half, before a person is asked. */
const unprovenLooksMax = 10;

export function createReconcile(parts: ReconcileParts): Reconcile {
  const { outbox, queries, sources, consent, provider, pace, clock, log, worker, leaseOf, trail } = parts;
  const { longestCallMs, indexingDelayMs, concurrency, idempotencyWindowMs } = provider.guarantees;
  const leaseMs = longestCallMs + leaseMarginMs;

  async function runOnce(signal: AbortSignal): Promise<number> {
    const waiting = await queries.overdue(['reconciling'], false, clock.now(), batchMax);
    if (waiting.length === 0) return 0;
    const { settled } = await settleBatch(waiting.length, undefined, signal);
    return settled.length;
  }

  async function settleBatch(
    wanted: number,
    walk: TakeUpOrder['walk'],
    signal: AbortSignal,
  ): Promise<{ settled: Settled[]; waitMs: number | null }> {
    const { pausedSources, ...permits } = await pace.take(wanted);
    if (permits.count === 0) {
      // Nothing else may be waiting, and then nobody else asks whether the provider is up again.
      await pace.probeIfDue();
      return { settled: [], waitMs: permits.waitMs };
    }
    const startBefore = clock.monotonic() + leaseMs - longestCallMs;
    const limit = Math.min(permits.count, concurrency);
    const doubted = await outbox.takeUp({ worker, limit, leaseMs, ...(walk && { walk }) });
    await pace.giveBack(permits, doubted.length);
    // A paused source's mails do not leave again either; they may still be looked up.
    const going = doubted.filter(({ source }) => !pausedSources.has(source));
    const leaving = new Set((await resubmittable(going)).map(({ claimed }) => claimed.seq));
    const slots = createSlots({ ...permits, count: doubted.length }, pace, clock);
    const seen = nothingSeen();
    // Side by side: one look-up may take as long as a lease, and none may wait behind another's.
    const settled = await Promise.all(
      doubted.map(async (one): Promise<Settled> => {
        const hasSlot = await slots.next(signal);
        // By the wall clock too: a machine that was asleep does not know it by the other, and the key may be forgotten.
        const isInTime = clock.now() + longestCallMs <= one.leaseEndsAt;
        const mayLeave = leaving.has(one.seq) && hasSlot && isInTime && !signal.aborted;
        const isElsewhere = one.account !== null && one.account !== provider.account;
        const since = trail?.start();
        const report = await settle(one, {
          startBefore: mayLeave ? startBefore : null,
          // An operator's shell may have other settings than the server, which can ask.
          mayGiveUp: !walk || !isElsewhere,
          tell: (outcome) => note(seen, outcome),
        });
        const [answer] = await outbox.record([report]);
        trail?.reconciled(one, report.event, answer?.status ?? null, since);
        if (answer?.changed) tellEnd(one, report.event, answer.status);
        return {
          seq: one.seq,
          event: report.event,
          status: answer?.status ?? null,
          heldBy: isElsewhere ? one.account : null,
        };
      }),
    );
    await pace.observe({ ...seen, ratePerSecond: provider.seenRatePerSecond?.() ?? null });
    return { settled, waitMs: null };
  }

  /** What was thought to be sent and was not, and what a person must decide, is an alert (003-8.2-9). */
  function tellEnd({ id, traceId }: Doubted, event: Report['event'], status: Status | null): void {
    const fields = { deliveryId: id, ...(traceId !== null && { traceId }), status };
    if (event === 'not_at_provider') log.error('delivery.not_at_provider', fields);
    else if (event === 'undecidable') log.error('delivery.undecidable', fields);
    else if (event === 'accepted') log.info('delivery.reconciled', { ...fields, as: event });
    else if (status !== 'reconciling') log.warn('delivery.reconciled', { ...fields, as: event });
  }

  async function resubmittable(doubted: readonly Doubted[]): Promise<Composed[]> {
    const allowed: Composed[] = [];
    for (const source of sources) {
      const batch = doubted.flatMap((claimed) =>
        claimed.source === source.name && claimed.account === provider.account && claimed.frozen
          ? [{ claimed, mail: claimed.frozen }]
          : [],
      );
      const lastCheck = gateOf(source, consent, clock);
      try {
        allowed.push(...(await outbox.resubmit(batch, { worker, account: provider.account, lastCheck })));
      } catch (error) {
        // Nothing of these leaves again for now; they can still be looked up, and the other sources' go on.
        log.error('resubmit.failed', { source: source.name, deliveries: batch.length, error });
      }
    }
    return allowed;
  }

  /** `startBefore` is null where the same bytes may not leave again; `mayGiveUp`, to a person. */
  async function settle(
    one: Doubted,
    {
      startBefore,
      mayGiveUp,
      tell,
    }: { startBefore: number | null; mayGiveUp: boolean; tell: (outcome: Outcome) => void },
  ): Promise<Report> {
    const base = { seq: one.seq, id: one.id, traceId: one.traceId, lease: one.lease, actor: worker };
    const round = Math.max(one.round, 1);
    const key = idempotencyKey(one.id, round);
    const isOurs = one.account === provider.account;
    // Of an imported row nobody may know who had it: whoever finds it has it, but who does not may never have been asked.
    const mayHaveIt = isOurs || one.account === null;
    let isUnheard = false;
    let outcome: Outcome | null = null;
    if (startBefore !== null && one.frozen) {
      const since = trail?.start();
      outcome = await provider
        .send({ key, mail: one.frozen, startBefore, leaseEndsAt: one.leaseEndsAt })
        .catch(unknownOf);
      trail?.sent({ ...one, round }, provider.name, outcome, since);
      tell(outcome);
      if (outcome.kind === 'accepted') {
        return {
          ...base,
          event: 'accepted',
          round,
          at: clock.now(),
          messageId: storable(outcome.messageId),
          detail: { evidence: 'same key' },
        };
      }
    }
    // Something else was accepted under this key: these bytes never leave again, and it is looked for further back.
    if (outcome?.kind === 'key_conflict') {
      const { kind: event, error, isAttempt = true } = outcome;
      return { ...base, event, dueAt: clock.now() + againFirstMs, error, isAttempt };
    }
    if (mayHaveIt && provider.lookUp) {
      const usedMs = keyUsedWithinMs(one);
      const reference = {
        key,
        messageId: one.providerMessageId,
        sentAfter: one.mayExistSince - usedMs - skewMs,
      };
      // Before the question: an answer that was long on its way says nothing about what was accepted meanwhile.
      const askedAt = clock.now();
      const since = trail?.start();
      const heard = await provider.lookUp(reference).catch(unknownOf);
      trail?.lookedUp(one, provider.name, heard.kind, since);
      const answer = heard.kind === 'absent' && usedMs > 0 ? ({ kind: 'unknown' } as const) : heard;
      if (answer.kind === 'found') {
        const { at } = answer;
        const messageId = storable(answer.messageId);
        const { account } = provider;
        return { ...base, event: 'accepted', round, at, messageId, account, detail: { evidence: 'look-up' } };
      }
      // What was submitted a moment ago may be under way; it is looked for the next time.
      if (answer.kind === 'absent' && isOurs && startBefore === null && askedAt >= absentFrom(one)) {
        return { ...base, event: 'not_at_provider', dueAt: clock.now(), detail: { evidence: 'look-up' } };
      }
      isUnheard = answer.kind === 'unknown';
    }
    // It was taken up for the first time long after its deadline: one bad minute of the provider is no reason to ask a person.
    if (one.isUnproven && isUnheard && one.lease < unprovenLooksMax) {
      const waitMs = Math.min(againLongestMs, againFirstMs * 2 ** one.lease);
      return { ...base, event: 'still_unknown', isAttempt: false, dueAt: clock.now() + waitMs };
    }
    if (mayGiveUp && startBefore === null && clock.now() >= deadlineOf(one)) {
      const message = `Nobody can find out whether ${one.account ?? 'the provider'} has this mail.`;
      return { ...base, event: 'undecidable', error: { code: 'undecidable', message } };
    }
    const isAttempt = outcome !== null && outcome.kind !== 'deferred' && !('isAttempt' in outcome);
    // As long again as it has been: who can only wait for a webhook counts no attempts, and the key's window is a day.
    const sinceMs = clock.now() - one.lastAttemptAt;
    const backOffMs = againFirstMs * 2 ** Math.min(one.attempts, 10);
    // And no longer than until an operator may be asked, where there is nothing else to wait for.
    const lastMs = Math.max(againFirstMs, deadlineOf(one) - clock.now());
    const waitMs = Math.min(againLongestMs, lastMs, Math.max(backOffMs, sinceMs));
    const error = outcome && 'error' in outcome ? { error: outcome.error } : {};
    return { ...base, event: 'still_unknown', isAttempt, dueAt: clock.now() + waitMs, ...error };
  }

  /** A provider must not throw; if one does, nobody knows anything, and the other deliveries go on. */
  function unknownOf(error: unknown): Extract<Outcome, { kind: 'unknown' }> {
    log.error('provider.threw', { provider: provider.name, error });
    return {
      kind: 'unknown',
      error: { code: 'provider_threw', provider: provider.name, message: thrownText(error) },
    };
  }

  /**
   * Barred from leaving again, because the key was used before with other bytes: then a database went back in time, and the
   * mail may be older than all that is written here, by as long as a key is known. Who says that there is none is wrong.
   */
  function keyUsedWithinMs({ account, resubmitUntil, isUnproven }: Doubted): number {
    const isBarred = account === provider.account && resubmitUntil === null && !isUnproven;
    return isBarred ? (idempotencyWindowMs ?? 0) : 0;
  }

  /** The last instant at which a lost worker's bytes can have left is the end of its lease; then the provider indexes. */
  function absentFrom({ source, lastAttemptAt }: Doubted): number {
    return lastAttemptAt + Math.max(leaseOf(source), leaseMs) + indexingDelayMs;
  }

  /**
   * While the key is known there is something to try. And a mail whose connection was lost may still be accepted for as long as
   * a call may take: an operator who is asked sooner looks, finds nothing, and is wrong.
   */
  function deadlineOf(one: Doubted): number {
    return Math.max(one.resubmitUntil ?? 0, absentFrom(one));
  }

  return {
    runOnce,
    async walk(order, signal) {
      const { settled, waitMs } = await settleBatch(batchMax, order, signal);
      const next = settled.length === 0 ? null : Math.max(...settled.map(({ seq }) => seq));
      return { settled, next: waitMs === null ? next : order.above, waitMs };
    },
  };
}
