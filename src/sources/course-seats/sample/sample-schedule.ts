import { createSeededRandom, integerBelow } from '../../../std/random.ts';

/**
 * How seats come and go at the sample campus: one popular section after the other opens, stays open for a minute or two, and
 * is taken again. It follows from seed and time alone, so that whoever looks at the same moment sees the same, in any process.
 */
export interface SampleSchedule {
  /** Which of the popular ones are open, by their number. */
  openAt(at: number): ReadonlySet<number>;
  /** All that begin in [from, to). */
  openings(from: number, to: number): Opening[];
}

export interface Opening {
  number: number;
  openedAt: number;
  closedAt: number;
}

/** So many take turns: each is closed for longer than two polls and the three minutes in which an opening is told once. */
export const turnsCount = 12;
const openMinMs = 70_000; // Four polls: nobody needs luck to see it.
const openSpreadMs = 50_000;

export function createSampleSchedule(order: {
  seed: number;
  /** How many popular sections there are, at most `turnsCount`. */
  popular: number;
  /** Between two openings, on average; null where nothing moves. */
  everyMs: number | null;
}): SampleSchedule {
  const { seed, popular, everyMs } = order;

  function opening(slot: number, slotMs: number): Opening | undefined {
    const number = ((slot % turnsCount) + turnsCount) % turnsCount;
    if (number >= popular) return undefined;
    const random = createSeededRandom(Math.imul(seed, 0x9e3779b1) ^ slot);
    // A third of a slot: gaps are from two thirds to four thirds of it.
    const openedAt = slot * slotMs + integerBelow(random, Math.ceil(slotMs / 3));
    const lastsMs = Math.min(openMinMs + integerBelow(random, openSpreadMs), slotMs * (turnsCount / 2));
    return { number, openedAt, closedAt: openedAt + lastsMs };
  }

  function between(from: number, to: number): Opening[] {
    if (everyMs === null) return [];
    const slots = Math.max(0, Math.floor(to / everyMs) - Math.floor(from / everyMs) + 1);
    return Array.from({ length: slots }, (_, position) => Math.floor(from / everyMs) + position).flatMap(
      (slot) => opening(slot, everyMs) ?? [],
    );
  }

  return {
    openAt: (at) =>
      new Set(
        between(at - openMinMs - openSpreadMs - (everyMs ?? 0), at)
          .filter(({ openedAt, closedAt }) => openedAt <= at && at < closedAt)
          .map(({ number }) => number),
      ),
    openings: (from, to) => between(from, to).filter(({ openedAt }) => from <= openedAt && openedAt < to),
  };
}
