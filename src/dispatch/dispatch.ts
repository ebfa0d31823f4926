import type { Suppressions } from '../consent/suppressions.ts';
import { addressKey } from '../domain/address.ts';
import { type Lane, lanes } from '../domain/lifecycle.ts';
import { leaseMs } from '../domain/policy.ts';
import type { Composed, LastCheck, Verdict } from '../outbox/begin.ts';
import { type Claimed, lapsesUntilSuspect } from '../outbox/claim.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Source } from '../sources/source.ts';
import type { Log } from '../std/log.ts';
import { type ComposeParts, compose } from './compose.ts';
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

export interface DispatchParts extends SendParts, ComposeParts {
  outbox: Outbox;
  sources: readonly Source[];
  suppressions: Suppressions;
  log: Log;
}

/** Bodies included, a batch must not hold SQLite's write lock for long. */
const batchMax = 200;
/** The provider's window is trusted only up to here: clocks differ, and a request takes its time. */
const keyWindowMarginMs = 60 * 60 * 1000;
/** Every tenth turn begins with bulk, so that it always keeps a share. */
const bulkTurn = 10;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { outbox, sources, suppressions, provider, clock, log, worker } = parts;
  const recorder = createRecorder({ outbox, clock, log });
  const { idempotencyWindowMs, concurrency } = provider.guarantees;
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
    if (claimed.length === 0) return 0;
    if (from === 'suspects')
      log.warn('delivery.suspect', { seq: claimed[0]?.seq, lapses: `≥ ${lapsesUntilSuspect}` });
    const { composed, reports } = await compose(source, claimed, worker, parts);
    for (const report of reports) recorder.add(report);
    // Without keys a crash in mid-batch would leave every begun row in doubt: begin only what leaves at once.
    const chunk = idempotencyWindowMs === null ? concurrency : composed.length;
    for (let start = 0; start < composed.length; start += chunk) {
      const rest = composed.slice(start, start + chunk);
      if (signal.aborted) release(rest.map((one) => one.claimed));
      else await beginAndSend(source, rest, leaseEndsAt, signal);
      // Written down before the next are begun, for the same reason.
      await recorder.drain();
    }
    await recorder.drain();
    return claimed.length;
  }

  async function beginAndSend(
    source: Source,
    batch: readonly Composed[],
    leaseEndsAt: number,
    signal: AbortSignal,
  ) {
    const keyWindowMs = idempotencyWindowMs === null ? null : idempotencyWindowMs - keyWindowMarginMs;
    const order = { worker, account: provider.account, keyWindowMs, lastCheck: lastCheckOf(source) };
    const { sending, stopped } = await outbox.begin(batch, order);
    for (const { seq, status, why } of stopped) log.info('delivery.stopped', { seq, status, why });
    await sendAll(sending, source.policy, leaseEndsAt, recorder, signal, parts);
  }

  function lastCheckOf(source: Source): LastCheck {
    return async (batch, tx) => {
      const now = clock.now();
      const verdicts = new Map<number, Verdict>(
        await source.recheck?.(
          batch.map(({ claimed }) => claimed),
          tx,
        ),
      );
      const suppressed = await suppressions.among(
        batch.map(({ mail }) => mail.to),
        tx,
      );
      for (const { claimed, mail } of batch) {
        if (claimed.expiresAt !== null && claimed.expiresAt <= now)
          verdicts.set(claimed.seq, { event: 'expired' });
        if (suppressed.has(addressKey(mail.to))) verdicts.set(claimed.seq, { event: 'address_suppressed' });
      }
      return verdicts;
    };
  }

  function release(batch: readonly Claimed[]): void {
    for (const { seq, lease } of batch) {
      recorder.add({
        seq,
        lease,
        actor: worker,
        event: 'deferred',
        dueAt: clock.now(),
        detail: { reason: 'shutdown' },
      });
    }
  }

  return { runOnce };
}
