import type { DeliveryRow } from '../db/schema.ts';
import { meanings } from '../domain/meanings.ts';
import { statuses } from '../domain/status.ts';
import type { Engine } from '../engine.ts';

const lookEveryMs = 100;

export interface FollowOptions {
  /** How long to look; 0 looks once. */
  forMs: number;
  onSettled?: (row: DeliveryRow) => void;
  /** Before each look but the first. */
  onWait?: () => void;
}

/** Looks at deliveries until all are settled or the time is up, and answers how they stand then, in the order asked. */
export async function follow(
  { queries, clock }: Pick<Engine, 'queries' | 'clock'>,
  deliveries: readonly { seq: number }[],
  { forMs, onSettled, onWait }: FollowOptions,
): Promise<DeliveryRow[]> {
  const seqs = deliveries.map(({ seq }) => seq);
  const rows = new Map<number, DeliveryRow>();
  const giveUpAt = clock.monotonic() + forMs;
  for (;;) {
    for (const seq of seqs.filter((each) => !isSettled(rows.get(each)))) {
      const row = await queries.find(String(seq));
      if (!row) throw new Error(`delivery ${seq} was there and is gone`);
      rows.set(seq, row);
      if (isSettled(row)) onSettled?.(row);
    }
    if (clock.monotonic() >= giveUpAt || seqs.every((seq) => isSettled(rows.get(seq)))) {
      return seqs.flatMap((seq) => rows.get(seq) ?? []);
    }
    onWait?.();
    await clock.sleep(lookEveryMs);
  }
}

/** No worker will move it on: it is over, or a person must decide. */
export function isSettled(row: DeliveryRow | undefined): boolean {
  return row !== undefined && (statuses[row.status].isFinal || isFailed(row));
}

/** It was not stopped on purpose, and nobody but a person helps it any further. */
export function isFailed({ status }: DeliveryRow): boolean {
  return meanings[status] === 'needs a person';
}
