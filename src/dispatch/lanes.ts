import { type Lane, lanes } from '../domain/delivery.ts';
import type { DueWork } from '../outbox/due.ts';

/**
 * Whose turn it is: suspects one at a time, then urgent before normal before bulk. Bulk always keeps a tenth: it is owed one
 * place for every ten that others took, and is served first while something is owed. Sources of a lane take turns.
 */
export interface LaneOrder {
  order(due: readonly DueWork[], count: number): (DueWork & { limit: number })[];
  took(from: DueWork['from'], count: number): void;
}

const bulkShare = 0.1;

export function createLaneOrder(): LaneOrder {
  let owedToBulk = 0;
  let turn = 0;

  const of = (due: readonly DueWork[], from: Lane | 'suspects') => {
    const found = due.filter((work) => work.from === from);
    const first = found.length === 0 ? 0 : turn % found.length;
    return [...found.slice(first), ...found.slice(0, first)];
  };

  return {
    order(due, count) {
      turn += 1;
      const owed = Math.min(count, Math.floor(owedToBulk));
      return [
        ...of(due, 'suspects').map((work) => ({ ...work, limit: 1 })),
        ...(owed > 0 ? of(due, 'bulk').map((work) => ({ ...work, limit: owed })) : []),
        ...lanes.flatMap((lane) => of(due, lane).map((work) => ({ ...work, limit: count }))),
      ];
    },
    took(from, count) {
      // What is owed does not pile up while there is no bulk: it would be a burst against urgent later.
      owedToBulk =
        from === 'bulk' ? Math.max(0, owedToBulk - count) : Math.min(20, owedToBulk + count * bulkShare);
    },
  };
}
