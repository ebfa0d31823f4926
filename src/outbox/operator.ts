import type { Database, Tx } from '../db/database.ts';
import { Refusal } from '../std/refusal.ts';
import { forgottenAmong } from './forget.ts';
import { applyReports, type Recorded, type RecordParts, type Report } from './record.ts';
import { type LockedDelivery, lockDeliveries } from './rows.ts';

/**
 * What an operator can say about a delivery. The life-cycle table decides whether it applies: a row in flight, or one
 * whose mail may exist, is left alone, and the answer says so.
 */
export type OperatorVerb = 'requeued' | 'resolved_sent' | 'resolved_not_sent' | 'resolved_closed';

export interface OperatorOrder {
  verb: OperatorVerb;
  /** Why: it goes into the story. */
  reason: string;
  operator: string;
}

const reasonLengthMax = 500;

/** Each number gets an answer, in the same order: what has been settled meanwhile, or forgotten, is left as it is and says so. */
export async function performOrder(
  tx: Tx,
  seqs: readonly number[],
  order: OperatorOrder,
  now: number,
  parts: RecordParts,
): Promise<Recorded[]> {
  const reason = order.reason.trim();
  if (reason === '' || reason.length > reasonLengthMax) {
    throw new Refusal(
      'reason_required',
      `Say why, in 1 to ${reasonLengthMax} characters: it is kept in the delivery's story.`,
    );
  }
  const rows = await lockDeliveries(tx, parts.dialect, seqs);
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  const lost = order.verb === 'requeued' ? await forgottenAmong(tx, parts.dialect, seqs) : new Set<number>();
  const reports = seqs
    .filter((seq) => !lost.has(seq))
    .map((seq) => reportOf(seq, bySeq.get(seq), { ...order, reason }, now));
  const answers = await applyReports(tx, rows, reports, now, parts);
  const answersBySeq = new Map(answers.map((answer) => [answer.seq, answer]));
  return seqs.map((seq): Recorded => {
    const { status = null, lease = 0 } = bySeq.get(seq)?.state ?? {};
    return answersBySeq.get(seq) ?? { seq, changed: false, status, lease, why: 'forgotten' };
  });
}

function reportOf(seq: number, row: LockedDelivery | undefined, order: OperatorOrder, now: number): Report {
  const base = { seq, actor: `operator ${order.operator}`, detail: { reason: order.reason } };
  if (order.verb !== 'resolved_sent') return { ...base, event: order.verb };
  // The operator's word is evidence, but only where nobody else could decide: of two who decide at once, one is told
  // that it is settled. Outside `needs_review` this report has no arrow.
  if (row?.state.status !== 'needs_review') return { ...base, event: 'resolved_not_sent' };
  return { ...base, event: 'accepted', round: Math.max(row.state.round, 1), at: now };
}

/** Performs what was asked for by SQL (`operator_requests`), in order, and writes the answer beside it. */
export async function performRequests(db: Database, now: number, parts: RecordParts): Promise<number> {
  return db.transaction(async (tx) => {
    let open = tx
      .selectFrom('operator_requests')
      .selectAll()
      .where('performed_at', 'is', null)
      .orderBy('request_seq')
      .limit(100);
    if (db.dialect === 'postgres') open = open.forUpdate().skipLocked();
    const requests = await open.execute();
    if (requests.length === 0) return 0;
    // All at once, by number: one after the other in the order of the requests, this and a batch that goes by number
    // could each hold what the other waits for.
    await lockDeliveries(
      tx,
      parts.dialect,
      requests.map(({ delivery_seq }) => delivery_seq),
    );
    for (const { request_seq, delivery_seq, verb, reason, requested_by } of requests) {
      const order = {
        verb,
        reason: reason.trim().slice(0, reasonLengthMax) || 'no reason given',
        operator: requested_by,
      };
      const [answer] = await performOrder(tx, [delivery_seq], order, now, parts);
      await tx
        .updateTable('operator_requests')
        .set({ performed_at: now, answer: answer?.changed ? 'done' : (answer?.why ?? 'no answer') })
        .where('request_seq', '=', request_seq)
        .execute();
    }
    return requests.length;
  });
}
