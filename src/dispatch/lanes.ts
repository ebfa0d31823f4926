import { lanes } from '../domain/delivery.ts';
import type { DueWork } from '../outbox/due.ts';

/**
 * Whose turn it is: urgent before normal before bulk. Normal and bulk always keep a share: they are owed one place for every
 * few that others took, and are served first while something is owed. Suspects go last, one at a time: each may kill the
 * worker, and whatever else was waiting has then left. Sources of a lane take turns.
 */
export interface LaneOrder {
  order(due: readonly DueWork[], count: number): (DueWork & { limit: number })[];
  took(from: DueWork['from'], count: number): void;
}

/** Of what others take. Urgent needs no share: it is served first. */
const shares = { urgent: 0, normal: 0.2, bulk: 0.1, suspects: 0.05 } as const;
/** What is owed does not pile up while nothing waits: it would be a burst against urgent later. */
const owedMax = 20;

export function createLaneOrder(): LaneOrder {
  const owed = { urgent: 0, normal: 0, bulk: 0, suspects: 0 };
  let turn = 0;

  const of = (due: readonly DueWork[], from: DueWork['from'], limit: number) => {
    const found = due.filter((work) => work.from === from);
    const first = found.length === 0 ? 0 : turn % found.length;
    return [...found.slice(first), ...found.slice(0, first)].map((work) => ({ ...work, limit }));
  };

  return {
    order(due, count) {
      turn += 1;
      const ahead = (['suspects', 'bulk', 'normal'] as const).filter((from) => owed[from] >= 1);
      return [
        ...ahead.flatMap((from) =>
          of(due, from, from === 'suspects' ? 1 : Math.min(count, Math.floor(owed[from]))),
        ),
        ...lanes.flatMap((lane) => of(due, lane, count)),
        ...of(due, 'suspects', 1),
      ];
    },
    took(from, count) {
      for (const other of ['normal', 'bulk', 'suspects'] as const) {
        owed[other] =
          other === from
            ? Math.max(0, owed[other] - count)
            : Math.min(owedMax, owed[other] + count * shares[other]);
      }
    },
  };
}
