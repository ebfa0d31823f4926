/**
 * How long a fault was felt: from its moment until mails are accepted again at half of the limit or more, for three seconds on end. Null
 * where that did not come before `until`, and 0 where it was not felt at all.
 */
export interface Timeline {
  /** Mails accepted in each tenth of a second since then. */
  startedAt: number;
  tenths: readonly number[];
  limit: number;
}

/** A fault is felt within this: jobs that were in hand before it go on for a second or two, and a leader's absence is seen later still. */
const feltWithinMs = 15_000;
const tenth = 100;

export function recoveryMs(
  { startedAt, tenths, limit }: Timeline,
  faultAt: number,
  { nextAt, until }: { nextAt: number; until: number },
): number | null {
  const tenthOf = (at: number) => Math.max(0, Math.floor((at - startedAt) / tenth));
  const isSlow = (first: number) => {
    let accepted = 0;
    for (let each = first; each < first + 10; each++) accepted += tenths[each] ?? 0;
    return accepted < limit / 2;
  };
  const last = tenthOf(until) - 10;
  // What comes after the next fault, or much later, is not this one's doing.
  const feltUntil = Math.min(tenthOf(nextAt), tenthOf(faultAt + feltWithinMs), last);
  let felt = tenthOf(faultAt);
  while (felt <= feltUntil && !isSlow(felt)) felt += 1;
  if (felt > feltUntil) return 0;
  let over = felt;
  while (over <= last && (isSlow(over) || isSlow(over + 10) || isSlow(over + 20))) over += 1;
  return over > last ? null : Math.max(0, startedAt + over * tenth - faultAt);
}
