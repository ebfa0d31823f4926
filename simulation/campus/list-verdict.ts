import type { SnapshotRow } from './seat-tables.ts';

/** What may be believed of a list, by our own account. */
export interface Account {
  /** When the last list came that only told where counting begins. */
  begunAt: number | null;
  /** Of each that is believed open: when lists that counted did not have it, since it was last in one. */
  open: Map<string, number[]>;
  /** Lists in a row that had lost too much. */
  held: { at: number; lost: ReadonlySet<string> }[];
  lastAt: number;
}

const confirmation = { samples: 3, spanMs: 300_000, gapMs: 120_000 }; // 8.8
const youngMs = 300_000; // So long a first list may turn out to have been half of one.

/** What a list is to be taken for; where two are named, lists that agree may have confirmed each other or not. */
export function verdictOf(
  { begunAt, open, held }: Account,
  indexes: readonly string[],
  { lost, gained, at }: { lost: ReadonlySet<string>; gained: number; at: number },
): readonly SnapshotRow['verdict'][] {
  if (indexes.length === 0) return ['empty'];
  if (begunAt === null) return ['baseline'];
  if (Math.abs(at - begunAt) < youngMs && gained >= Math.max(25, open.size * 0.1)) return ['baseline'];
  const share = held.length > 0 ? 0.05 : 0.1;
  if (lost.size < Math.max(25, open.size * share)) return ['taken'];
  return isConfirmedBy(heldWith(held, { at, lost }), at) ? ['held', 'taken'] : ['held'];
}

type HeldList = Account['held'][number];

/** Those that can confirm each other: a gap that is too long begins a new row of them. */
export function heldWith(held: readonly HeldList[], next: HeldList): HeldList[] {
  const last = held.at(-1);
  return last && next.at - last.at <= confirmation.gapMs ? [...held, next] : [next];
}

export function isConfirmedBy(held: readonly HeldList[], at: number): boolean {
  const first = held[0];
  const count = held.length + (held.at(-1)?.at === at ? 0 : 1);
  return first !== undefined && count >= confirmation.samples && at - first.at >= confirmation.spanMs;
}
