import type { DeliveryRow } from '../db/schema.ts';
import { idempotencyKey } from '../domain/message.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxQueries } from '../outbox/queries.ts';
import type { Report } from '../outbox/record.ts';
import type { Provider } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * Settles deliveries of which nobody knows whether they were accepted. It asks the account that may hold the mail; what
 * cannot be found out is put before an operator. It never guesses, and nothing is sent from here.
 */
export interface Reconcile {
  /** Answers how many deliveries it took up. */
  runOnce(signal: AbortSignal): Promise<number>;
}

export interface ReconcileParts {
  outbox: Outbox;
  queries: OutboxQueries;
  provider: Provider;
  clock: Clock;
  log: Log;
  worker: string;
  /** How long a worker may hold a delivery of this source. */
  leaseOf: (source: string) => number;
}

const batchMax = 50;
const leaseMs = 60_000;
const lookAgainMs = 30_000;

export function createReconcile({
  outbox,
  queries,
  provider,
  clock,
  log,
  worker,
  leaseOf,
}: ReconcileParts): Reconcile {
  async function settle(row: DeliveryRow, lease: number): Promise<Report> {
    const now = clock.now();
    const base = { seq: row.seq, lease, actor: worker };
    const inDoubtSince = row.first_possible_accept_at ?? now;
    if (row.account !== provider.account || !provider.lookUp) {
      const error = {
        code: 'undecidable',
        message: `Nobody can ask ${row.account ?? 'the provider'} whether it has this mail.`,
      };
      return { ...base, event: 'undecidable', error };
    }
    const round = Math.max(row.round, 1);
    const reference = {
      key: idempotencyKey(row.id, round),
      messageId: row.provider_message_id,
      sentAfter: inDoubtSince,
    };
    const answer = await provider.lookUp(reference);
    if (answer.kind === 'found') {
      const { messageId, at } = answer;
      return { ...base, event: 'accepted', round, at, messageId, detail: { evidence: 'look-up' } };
    }
    // The last instant at which the lost worker's bytes can have left is the end of its lease.
    const isIndexed = now >= inDoubtSince + leaseOf(row.source) + provider.guarantees.indexingDelayMs;
    if (answer.kind === 'absent' && isIndexed) return { ...base, event: 'not_at_provider', dueAt: now };
    return { ...base, event: 'still_unknown', isAttempt: false, dueAt: now + lookAgainMs };
  }

  return {
    async runOnce(signal) {
      const due = (await queries.overdue(['reconciling'], clock.now(), batchMax)).filter(
        (row) => row.locked_by === null,
      );
      const takenUp = await outbox.record(
        due.map(({ seq }) => ({
          seq,
          event: 'taken_up',
          actor: worker,
          worker,
          dueAt: clock.now() + leaseMs,
        })),
      );
      const mine = new Map(takenUp.filter(({ changed }) => changed).map(({ seq, lease }) => [seq, lease]));
      for (const row of due) {
        const lease = mine.get(row.seq);
        if (lease === undefined || signal.aborted) continue;
        const report = await settle(row, lease);
        await outbox.record([report]);
        if (report.event !== 'still_unknown')
          log.warn('delivery.reconciled', { deliveryId: row.id, as: report.event });
      }
      return mine.size;
    },
  };
}
