import type { Consent } from '../consent/consent.ts';
import { batchRoomMs, type Permits, slotSpacingMs } from '../domain/pace.ts';
import { leaseMs } from '../domain/policy.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Begun, Composed, LastCheck } from '../outbox/begin.ts';
import type { Claimed, ClaimOrder } from '../outbox/claim.ts';
import type { DueWork } from '../outbox/due.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Source } from '../sources/source.ts';
import { type Company, createCompany } from '../std/company.ts';
import type { Log } from '../std/log.ts';
import { thrownText } from '../std/without-addresses.ts';
import { type ComposeParts, compose } from './compose.ts';
import { gateOf } from './gate.ts';
import { createLaneOrder } from './lanes.ts';
import { createLead } from './lead.ts';
import type { Pace } from './pace.ts';
import { createRecorder } from './recorder.ts';
import { type SendParts, type Shipment, sendAll } from './send.ts';
import { createWidth, type Width } from './width.ts';

/**
 * From row to provider: permits → claim → compose → begin → send → record, over batches. It holds nothing that matters:
 * kill it at any line, and what the database says is enough to go on.
 */
export interface Dispatch {
  /**
   * One turn. Answers how many deliveries it had in hand, and when it is worth looking again. `onFull` is called when it has as many in hand as it
   * can: there may be more, for others.
   */
  runOnce(signal: AbortSignal, onFull?: () => void): Promise<Turn>;
  /**
   * Deliveries that a queue has named, of one source and lane, for about a second. What somebody else has, or is not due any more, is
   * passed over. Answers what is left, and how long the provider wants to be left alone before it.
   */
  runThese(named: Named, signal: AbortSignal): Promise<Turn & { left: readonly number[] }>;
}

export interface Named extends DueWork {
  seqs: readonly number[];
}

interface Turn {
  handled: number;
  /** Not before this, if the provider asks for patience. */
  waitMs: number;
}

export interface DispatchParts extends SendParts, Omit<ComposeParts, 'log' | 'linksFor'> {
  outbox: Outbox;
  sources: readonly Source[];
  consent: Consent;
  pace: Pace;
  log: Log;
  /** Its share of the provider's connections, where several of these send at once in this process: they learn together. */
  width?: Width;
  /** Those others, who give way to what must be alone. */
  company?: Company;
}

/** Bodies included, a batch must not hold SQLite's write lock for long. */
const batchMax = 200;
/** The provider's window is trusted only up to here: clocks differ, and a request takes its time. */
const keyWindowMarginMs = 60 * 60 * 1000;
/** After a fault of ours, a source's or the database's: long enough not to spin, short enough not to be noticed. */
const retryMs = 5_000;
/** After so long whatever is more urgent has its turn. */
const turnMs = 1_000;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { outbox, sources, consent, pace, provider, clock, log, worker } = parts;
  const recorder = createRecorder({ outbox, clock, log });
  const { idempotencyWindowMs, ratePerSecond, concurrency } = provider.guarantees;
  const width = parts.width ?? createWidth(concurrency);
  const company = parts.company ?? createCompany(clock);
  const inCompany = (from: DueWork['from']) => (from === 'suspects' ? company.alone : company.beside);
  const keyWindowMs = idempotencyWindowMs === null ? null : idempotencyWindowMs - keyWindowMarginMs;
  const beginning = { worker, account: provider.account, keyWindowMs };
  const names = sources.map(({ name }) => name);
  const turns = createLaneOrder();
  const lead = createLead();
  /**
   * About a second of work, and as many at a time as fill the connections evenly: a rest of a few takes as long as a full one. Where slots are further apart
   * than answers, as many as there are slots, which are given away no further ahead.
   */
  const inHandMax = () => {
    const inStep = ratePerSecond === null ? 0 : width.inStep(slotSpacingMs(ratePerSecond));
    const { current } = width;
    const even = current < batchMax ? batchMax - (batchMax % current) : batchMax;
    return Math.min(even, Math.max(width.inASecond, inStep));
  };
  const takePermits = async (wanted: number) => {
    const takenAt = clock.monotonic();
    return { ...(await pace.take(wanted, { roomMs: batchRoomMs, leadMs: lead.ms })), takenAt };
  };

  async function runOnce(signal: AbortSignal, onFull?: () => void): Promise<Turn> {
    const lanesInTurn = turns.order(await outbox.due(names), batchMax);
    const suspects = lanesInTurn.filter(({ from }) => from === 'suspects');
    const others = lanesInTurn.filter(({ from }) => from !== 'suspects');
    for (const pass of lanesInTurn[0] === suspects[0] ? [suspects, others] : [others, suspects]) {
      const [first] = pass;
      if (!first) continue;
      const turn = await inCompany(first.from)(() => takeFirst(pass, signal, onFull));
      // Look again before the next batch: something more urgent may have come.
      if (turn.handled > 0 || turn.waitMs > 0) return turn;
    }
    return { handled: 0, waitMs: 0 };
  }

  /** A batch of the first that has anything for us: what was due a moment ago may be in another's hands. */
  async function takeFirst(
    lanesInTurn: ReturnType<typeof turns.order>,
    signal: AbortSignal,
    onFull?: () => void,
  ): Promise<Turn> {
    const wanted = inHandMax();
    const { pausedSources, ...permits } = await takePermits(wanted);
    if (permits.count === 0) {
      await pace.probeIfDue();
      return { handled: 0, waitMs: permits.waitMs };
    }
    const open = lanesInTurn.filter(({ source }) => !pausedSources.has(source));
    const batch = await claimNext(open, permits.count, signal);
    if (batch && batch.claimed.length >= wanted) onFull?.();
    return { handled: await handle(batch, permits, signal), waitMs: 0 };
  }

  async function runThese({ from, source: name, seqs }: Named, signal: AbortSignal) {
    const source = sources.find((each) => each.name === name);
    let left = source ? seqs : [];
    let handled = 0;
    const until = clock.monotonic() + turnMs;
    while (source && left.length > 0 && !signal.aborted && clock.monotonic() < until) {
      const order = { from, seqs: left };
      const taken = await inCompany(from)(() => takeNamed(source, order, signal));
      handled += taken.handled;
      left = taken.left;
      if (taken.isRefused) return { handled, left, waitMs: taken.waitMs };
    }
    return { handled, left, waitMs: 0 };
  }

  async function takeNamed(
    source: Source,
    { from, seqs }: Pick<Named, 'from' | 'seqs'>,
    signal: AbortSignal,
  ): Promise<Turn & { left: readonly number[]; isRefused: boolean }> {
    const { pausedSources, ...permits } = await takePermits(Math.min(seqs.length, inHandMax()));
    if (permits.count === 0) {
      await pace.probeIfDue();
      return { handled: 0, left: seqs, waitMs: permits.waitMs, isRefused: true };
    }
    const isPaused = pausedSources.has(source.name);
    const named = signal.aborted ? [] : seqs.slice(0, permits.count);
    const order = { from, limit: named.length, seqs: named };
    const batch = isPaused || named.length === 0 ? undefined : await claimFrom(source, order);
    if (!isPaused && !batch && !signal.aborted)
      log.info('delivery.already_claimed', { source: source.name, deliveries: named.length });
    const handled = await handle(batch, permits, signal);
    // Whoever lets the source go on puts them into the queue again.
    return { handled, left: isPaused ? [] : seqs.slice(named.length), waitMs: 0, isRefused: false };
  }

  async function claimFrom(
    source: Source,
    order: Pick<ClaimOrder, 'from' | 'limit' | 'seqs'>,
  ): Promise<Batch | undefined> {
    const heldMs = leaseMs(source.policy, provider.guarantees);
    const leaseEndsAt = clock.monotonic() + heldMs;
    const claimed = await outbox.claim({ source: source.name, worker, leaseMs: heldMs, ...order });
    return claimed.length > 0 ? { source, claimed, leaseEndsAt } : undefined;
  }

  /** The first that has anything for us: what was due a moment ago may be in another's hands. */
  async function claimNext(
    lanesInTurn: ReturnType<typeof turns.order>,
    most: number,
    signal: AbortSignal,
  ): Promise<Batch | undefined> {
    for (const { source: name, from, limit } of lanesInTurn) {
      const source = sources.find((each) => each.name === name);
      if (!source || signal.aborted) continue;
      const batch = await claimFrom(source, { from, limit: Math.min(limit, most) });
      // Also of a batch that comes to nothing: otherwise the lanes behind it would wait for its next try, too.
      turns.took(from, batch?.claimed.length ?? 0);
      if (batch) return batch;
    }
    return undefined;
  }

  async function handle(batch: Batch | undefined, permits: Taken, signal: AbortSignal): Promise<number> {
    const claimed = batch?.claimed ?? [];
    // What is still here at the end has not left: it goes back to wait.
    const unsent = new Map(claimed.map((each) => [each.seq, each]));
    let problem: DeliveryError | undefined;
    try {
      // Now and not at the end: whoever misses a slot of theirs asks for another, and would get it behind those that nobody uses.
      await pace.giveBack(permits, claimed.length);
      // The one that tries first cannot be one too many: were it late for its slot, it could have no other, and nobody would ever try.
      const { firstAt, spacingMs, isTrial, takenAt } = permits;
      const slots = { firstAt, spacingMs: isTrial ? 0 : spacingMs, takenAt };
      if (batch) await sendBatch(batch, unsent, { ...slots, signal });
      return claimed.length;
    } catch (error) {
      problem = { code: 'dispatch_failed', message: thrownText(error) };
      throw error;
    } finally {
      giveBack([...unsent.values()], problem);
      await recorder.drain();
    }
  }

  async function sendBatch(
    { source, claimed, leaseEndsAt }: Batch,
    unsent: Map<number, Claimed>,
    { takenAt, ...slots }: Pick<Shipment, 'firstAt' | 'spacingMs' | 'signal'> & Pick<Taken, 'takenAt'>,
  ): Promise<void> {
    const shipment = { ...slots, leaseEndsAt, policy: source.policy };
    const { composed, reports } = await compose(source, claimed, {
      ...parts,
      linksFor: consent.unsubscribe.linksFor,
    });
    for (const report of reports) {
      unsent.delete(report.seq);
      recorder.add(report);
    }
    // Without keys a crash in mid-batch would leave every begun row in doubt: begin only what leaves at once, and write
    // it down before the next are begun.
    for (let start = 0; start < composed.length && !shipment.signal.aborted; ) {
      const lastCheck = gateOf(source, consent, clock);
      const chosen = composed.slice(start, start + (idempotencyWindowMs === null ? width.current : batchMax));
      const { sending: batch, stopped } = await beginSafely(chosen, lastCheck);
      for (const { claimed } of chosen) unsent.delete(claimed.seq);
      for (const { seq, status, why } of stopped) log.info('delivery.stopped', { seq, status, why });
      const firstAt = shipment.firstAt + start * shipment.spacingMs;
      if (start === 0) lead.learn(clock.monotonic() - takenAt);
      start += chosen.length;
      const seen = await sendAll({ ...shipment, batch, width, firstAt }, recorder, parts);
      // First, for all processes: what it says of the provider holds for the mails that they are about to send.
      await pace.observe(seen);
      await recorder.drain();
      if (seen.pauseMs !== null || seen.down !== null) break;
    }
  }

  /**
   * A batch that cannot be begun is begun one by one: what one delivery's last check throws holds back that one alone. If it
   * was begun after all, and only the answer to its commit was lost, it goes back to wait: we know that nothing has left.
   */
  async function beginSafely(batch: readonly Composed[], lastCheck: LastCheck): Promise<Begun> {
    try {
      return await outbox.begin(batch, { ...beginning, lastCheck });
    } catch (error) {
      if (batch.length === 1) throw error;
      log.error('begin.failed', { deliveries: batch.length, error });
    }
    const begun: Begun = { sending: [], stopped: [] };
    const unanswered = { code: 'begin_unanswered', message: 'the answer to the commit was lost' };
    const failures: unknown[] = [];
    for (const one of batch) {
      const { sending, stopped } = await beginSafely([one], lastCheck).catch((error: unknown) => {
        failures.push(error);
        giveBack([one.claimed], { code: 'begin_failed', message: thrownText(error) });
        return { sending: [], stopped: [] };
      });
      const isBegunBefore = stopped.some(
        ({ status, lease }) => status === 'sending' && lease === one.claimed.lease,
      );
      if (isBegunBefore) giveBack([one.claimed], unanswered);
      begun.sending.push(...sending);
      begun.stopped.push(...stopped);
    }
    // All of them: then it is not one delivery's fault, and the loop should know.
    if (failures.length === batch.length) throw failures[0];
    return begun;
  }

  /** Nothing of these has left, so that they are known not to be accepted, whether they were begun or not. */
  function giveBack(batch: readonly Claimed[], problem: DeliveryError | undefined): void {
    const dueAt = clock.now() + (problem ? retryMs : 0);
    const error = problem ? { error: problem } : {};
    for (const { seq, id, traceId, lease } of batch) {
      recorder.add({ seq, id, traceId, lease, actor: worker, event: 'deferred', dueAt, ...error });
    }
  }

  return { runOnce, runThese };
}

/** By the monotonic clock. */
type Taken = Permits & { takenAt: number };

/** What was claimed together: of one source, and of one lane. */
interface Batch {
  source: Source;
  claimed: readonly Claimed[];
  /** By the monotonic clock. */
  leaseEndsAt: number;
}
