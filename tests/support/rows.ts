import type { Status } from '../../src/domain/status.ts';
import type { DeliveryState } from '../../src/domain/transition.ts';
import { countMoves } from '../../src/outbox/counts.ts';
import type { World } from './world.ts';
import { intentNumber } from './world.ts';

/** A row in a status of which the world's clock says: it is due, its lease is over. Round 1 unless it never began. */
export async function rowIn(world: World, status: Status, number: number, more: Partial<DeliveryState> = {}) {
  const [seq] = await rowsIn(world, [{ status, number, more }]);
  if (seq === undefined) throw new Error('not enqueued');
  return seq;
}

/** The same for many, at once: their numbers, in order. */
export async function rowsIn(
  world: World,
  rows: readonly { status: Status; number: number; more?: Partial<DeliveryState> }[],
): Promise<number[]> {
  const now = world.clock.now();
  const made = await world.outbox.enqueue(rows.map(({ number }) => intentNumber(number)));
  const alike = new Map<string, { columns: Record<string, unknown>; seqs: number[] }>();
  for (const [index, { status, more = {} }] of rows.entries()) {
    const columns = { status, ...columnsIn(status, now), ...underscored(more) };
    const key = JSON.stringify(columns);
    const same = alike.get(key) ?? { columns, seqs: [] as number[] };
    alike.set(key, same);
    same.seqs.push(made[index]?.seq ?? Number.NaN);
  }
  const moves = rows.map(({ status }) => ({ source: 'plain', before: 'pending', after: status }) as const);
  await world.db.transaction(async (tx) => {
    for (const { columns, seqs } of alike.values())
      await tx.updateTable('deliveries').set(columns).where('seq', 'in', seqs).execute();
    await countMoves(tx, world.db.dialect, moves);
  });
  return made.map(({ seq }) => seq);
}

function columnsIn(status: Status, now: number) {
  const begun = { round: 1, evidence: 4, account: 'capture' };
  const inDoubt = { ...begun, first_possible_accept_at: now - 1000, resubmit_until: now + 10_000_000 };
  const held = { lease: 7, locked_by: 'worker-1', locked_at: now - 1000, due_at: now };
  switch (status) {
    case 'pending':
    case 'failed_transient':
      return { lease: 7, due_at: now };
    case 'claimed':
      return held;
    case 'sending':
      return { ...held, ...inDoubt, last_attempt_at: now - 1000 };
    case 'reconciling':
      return { ...held, ...inDoubt };
    case 'needs_review':
      return { lease: 7, ...inDoubt, due_at: null };
    case 'sent':
      return { ...begun, lease: 7, evidence: 5, sent_at: now - 500, due_at: null };
    case 'delivered':
      return {
        ...begun,
        lease: 7,
        evidence: 1_000_000,
        sent_at: now - 500,
        delivered_at: now - 400,
        due_at: null,
      };
    case 'suppressed':
      return { ...begun, lease: 7, evidence: 1_000_001, due_at: null };
    default:
      return { lease: 7, due_at: null };
  }
}

function underscored(state: Partial<DeliveryState>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`),
      value,
    ]),
  );
}

/** An operator who asks by SQL that these be put back; the next sweep performs it. */
export async function askBySql({ db }: Pick<World, 'db'>, seqs: readonly number[], reason = 'by SQL') {
  const asked = { verb: 'requeued', reason, requested_by: 'ana', requested_at: 1 } as const;
  for (const delivery_seq of seqs) {
    const request = { ...asked, delivery_seq, performed_at: null, answer: null };
    await db.write.insertInto('operator_requests').values(request).execute();
  }
}
