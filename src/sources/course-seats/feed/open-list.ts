import { intervalMinMs } from './feed-pace.ts';
import { type Held, holdBack, isHeldBack, isTooMany } from './held-list.ts';

/**
 * Detection: what a new list of open sections says, given what is believed. Pure. A section opens when it is in a list and was not
 * believed open; it closes when two lists at least an interval apart were without it. An empty list says nothing (004-64), the
 * first one is where counting begins (8.12), and one that lost too much at once is held back (8.8, `held-list.ts`).
 */
export interface ListBelief {
  /** When counting began; null before the first list. */
  baselineAt: number | null;
  /** The indexes that are believed open, and how often each was missed of late. */
  open: ReadonlyMap<string, Missed>;
  held: Held | null;
}

export interface Missed {
  misses: number;
  /** The last that counted. */
  missedAt: number | null;
}

export interface Weighed {
  at: number;
  verdict: 'baseline' | 'taken' | 'held' | 'empty';
  /** Edges, sorted. A baseline has none. */
  opened: readonly string[];
  closed: readonly string[];
  /** What is now believed of those of which something else was. */
  changes: ReadonlyMap<string, Missed & { isOpen: boolean }>;
  held: Held | null;
}

export const emptyBelief: ListBelief = { baselineAt: null, open: new Map(), held: null };

const missesToClose = 2; // 004-36
/** As long as half a list is doubted: so long after a baseline it may turn out that it was half a list itself. */
const baselineYoungMs = 300_000;

/** `indexes` distinct and sorted. */
export function weighList(belief: ListBelief, indexes: readonly string[], at: number): Weighed {
  const { open, held } = belief;
  if (indexes.length === 0) return { at, verdict: 'empty', opened: [], closed: [], changes: new Map(), held };
  const listed = new Set(indexes);
  const opened = indexes.filter((index) => !open.has(index));
  const changes: Changes = new Map(opened.map((index) => [index, present]));
  for (const index of indexes) {
    // Back before it was closed: that is no edge.
    if ((open.get(index)?.misses ?? 0) > 0) changes.set(index, present);
  }
  if (isBaseline(belief, opened.length, at))
    return { at, verdict: 'baseline', opened: [], closed: [], changes, held };
  const missing = [...open.keys()].filter((index) => !listed.has(index)).sort();
  if (!isHeldBack(held, missing.length, open.size)) {
    const closed = countMisses(missing, open, at, changes);
    return { at, verdict: 'taken', opened, closed, changes, held: null };
  }
  const { confirmed, held: stillHeld } = holdBack(held, missing, open.size, at);
  if (stillHeld) return { at, verdict: 'held', opened, closed: [], changes, held: stillHeld };
  for (const index of confirmed) changes.set(index, shut);
  // Those that went missing only lately are an ordinary loss.
  const lately = missing.filter((index) => !confirmed.has(index));
  const closed = [...confirmed, ...countMisses(lately, open, at, changes)].sort();
  return { at, verdict: 'taken', opened, closed, changes, held: null };
}

/** What is believed afterwards. */
export function nextBelief(belief: ListBelief, { at, verdict, changes, held }: Weighed): ListBelief {
  const baselineAt = verdict === 'baseline' ? at : belief.baselineAt;
  if (changes.size === 0) return { baselineAt, open: belief.open, held };
  const open = new Map(belief.open);
  for (const [index, { isOpen, misses, missedAt }] of changes) {
    if (isOpen) open.set(index, { misses, missedAt });
    else open.delete(index);
  }
  return { baselineAt, open, held };
}

/**
 * The first list; and one that has so much more than a first list of a moment ago that the other was half a list. Then what is new
 * in it was open all along, and what it lacks is left to the next.
 */
function isBaseline({ baselineAt, open }: ListBelief, gained: number, at: number): boolean {
  if (baselineAt === null) return true;
  return Math.abs(at - baselineAt) < baselineYoungMs && isTooMany(gained, open.size);
}

type Changes = Map<string, Missed & { isOpen: boolean }>;

const present = { isOpen: true, misses: 0, missedAt: null };
const shut = { isOpen: false, misses: 0, missedAt: null };

/** Writes into `changes`, and answers which are closed by it. */
function countMisses(
  missing: readonly string[],
  open: ReadonlyMap<string, Missed>,
  at: number,
  changes: Changes,
): string[] {
  return missing.filter((index) => {
    const { misses, missedAt } = open.get(index) ?? present;
    // Polls that follow each other faster, by hand or after a restart, are one look at the same cached list. Either way round:
    // after a clock was set back, the last miss would lie ahead for hours.
    if (missedAt !== null && Math.abs(at - missedAt) < intervalMinMs) return false;
    const isClosed = misses + 1 >= missesToClose;
    changes.set(index, isClosed ? shut : { isOpen: true, misses: misses + 1, missedAt: at });
    return isClosed;
  });
}
