import type { Suppressions } from '../consent/suppressions.ts';
import { type Lane, lanes } from '../domain/delivery.ts';
import { leaseMs } from '../domain/policy.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Source } from '../sources/source.ts';
import type { Log } from '../std/log.ts';
import { type ComposeParts, compose } from './compose.ts';
import { gateOf } from './gate.ts';
import { createRecorder } from './recorder.ts';
import { type SendParts, sendAll } from './send.ts';

/**
 * From row to provider: claim → compose → begin → send → record, over batches. It holds nothing that matters: kill it
 * at any line, and what the database says is enough to go on.
 */
export interface Dispatch {
  /** One turn: the most urgent batch that is due, if any. Answers how many deliveries it had in hand. */
  runOnce(signal: AbortSignal): Promise<number>;
}

export interface DispatchParts extends SendParts, Omit<ComposeParts, 'log'> {
  outbox: Outbox;
  sources: readonly Source[];
  suppressions: Suppressions;
  log: Log;
}

/** Bodies included, a batch must not hold SQLite's write lock for long. */
const batchMax = 200;
/** The provider's window is trusted only up to here: clocks differ, and a request takes its time. */
const keyWindowMarginMs = 60 * 60 * 1000;
/** After a fault of ours, a source's or the database's: long enough not to spin, short enough not to be noticed. */
const retryMs = 5_000;
/** Every tenth turn begins with bulk, so that it always keeps a share. */
const bulkTurn = 10;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { outbox, sources, suppressions, provider, clock, log, worker } = parts;
  const recorder = createRecorder({ outbox, clock, log });
  const { idempotencyWindowMs, concurrency } = provider.guarantees;
  const keyWindowMs = idempotencyWindowMs === null ? null : idempotencyWindowMs - keyWindowMarginMs;
  const beginning = { worker, account: provider.account, keyWindowMs };
  const gates = (source: Source) => gateOf(source, suppressions, clock);
  let turn = 0;

  async function runOnce(signal: AbortSignal): Promise<number> {
    turn += 1;
    const order = turn % bulkTurn === 0 ? [...lanes].reverse() : lanes;
    for (const source of sources) {
      const suspect = await runBatch(source, 'suspects', 1, signal);
      if (suspect > 0) return suspect;
    }
    for (const lane of order) {
      for (const source of sources) {
        const handled = await runBatch(source, lane, batchMax, signal);
        if (handled > 0) return handled;
      }
    }
    return 0;
  }

  async function runBatch(
    source: Source,
    from: Lane | 'suspects',
    limit: number,
    signal: AbortSignal,
  ): Promise<number> {
    if (signal.aborted) return 0;
    const heldMs = leaseMs(source.policy, provider.guarantees);
    const leaseEndsAt = clock.monotonic() + heldMs;
    const claimed = await outbox.claim({ source: source.name, worker, limit, leaseMs: heldMs, from });
    // What is still here at the end has not left: it goes back to wait.
    const unsent = new Map(claimed.map((each) => [each.seq, each]));
    let problem: DeliveryError | undefined;
    try {
      await sendBatch(source, claimed, unsent, leaseEndsAt, signal);
    } catch (error) {
      problem = { code: 'dispatch_failed', message: String(error) };
      throw error;
    } finally {
      giveBack([...unsent.values()], problem);
      await recorder.drain();
    }
    return claimed.length;
  }

  async function sendBatch(
    source: Source,
    claimed: readonly Claimed[],
    unsent: Map<number, Claimed>,
    leaseEndsAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { composed, reports } = await compose(source, claimed, { ...parts, clock });
    for (const report of reports) {
      unsent.delete(report.seq);
      recorder.add(report);
    }
    // Without keys a crash in mid-batch would leave every begun row in doubt: begin only what leaves at once, and write
    // it down before the next are begun.
    const chunk = idempotencyWindowMs === null ? concurrency : batchMax;
    for (let start = 0; start < composed.length && !signal.aborted; start += chunk) {
      const batch = composed.slice(start, start + chunk);
      const { sending, stopped } = await outbox.begin(batch, { ...beginning, lastCheck: gates(source) });
      for (const { claimed } of batch) unsent.delete(claimed.seq);
      for (const { seq, status, why } of stopped) log.info('delivery.stopped', { seq, status, why });
      await sendAll(sending, source.policy, leaseEndsAt, recorder, signal, parts);
      await recorder.drain();
    }
  }

  /** Nothing of these has left, so that they are known not to be accepted, whether they were begun or not. */
  function giveBack(batch: readonly Claimed[], problem: DeliveryError | undefined): void {
    const dueAt = clock.now() + (problem ? retryMs : 0);
    const error = problem ? { error: problem } : {};
    for (const { seq, lease } of batch) {
      recorder.add({ seq, lease, actor: worker, event: 'deferred', dueAt, ...error });
    }
  }

  return { runOnce };
}
