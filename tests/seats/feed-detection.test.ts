import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyBelief,
  type ListBelief,
  nextBelief,
  weighList,
} from '../../src/sources/course-seats/feed/open-list.ts';
import { patience, runs } from '../fuzz/runs.ts';

/**
 * Detection against a model that keeps every list that ever came and answers each question by looking through all of them: it
 * counts nothing, and keeps nothing else.
 */
interface Heard {
  at: number;
  list: string[];
  verdict: string;
  /** Believed open before it came. */
  before: string[];
  opened: string[];
  closed: string[];
}

function model(history: readonly Heard[], list: string[], at: number): Heard {
  const before = believedAfter(history);
  const heard = { at, list, before, opened: [], closed: [] };
  if (list.length === 0) return { ...heard, verdict: 'empty' };
  const useful = history.filter(({ verdict }) => verdict !== 'empty');
  if (useful.length === 0) return { ...heard, verdict: 'baseline' };
  const opened = list.filter((index) => !before.includes(index));
  const begunAt = useful.findLast(({ verdict }) => verdict === 'baseline')?.at ?? 0;
  if (at - begunAt < 300_000 && opened.length >= Math.max(before.length * 0.1, 25))
    return { ...heard, verdict: 'baseline' };
  const missing = before.filter((index) => !list.includes(index));
  const isHolding = useful.findLast(({ verdict }) => verdict !== 'baseline')?.verdict === 'held';
  if (missing.length < Math.max(before.length * (isHolding ? 0.05 : 0.1), 25)) {
    const closed = missing.filter((index) => isMissedTwice(history, index, at));
    return { ...heard, opened, closed, verdict: 'taken' };
  }
  const run = runOf(useful, { ...heard, verdict: 'held' });
  const [first] = run;
  if (run.length < 3 || first === undefined || at - first.at < 300_000)
    return { ...heard, opened, verdict: 'held' };
  const inNone = missing.filter((index) => run.every((one) => !one.list.includes(index)));
  const closed = missing.filter((index) => inNone.includes(index) || isMissedTwice(history, index, at));
  return { ...heard, opened, closed, verdict: 'taken' };
}

function believedAfter(history: readonly Heard[]): string[] {
  const last = history.at(-1);
  if (last === undefined) return [];
  if (last.verdict === 'baseline') return [...new Set([...last.before, ...last.list])];
  return [...last.before.filter((index) => !last.closed.includes(index)), ...last.opened];
}

/** Since it was last in a list, another that was believed was without it, an interval ago. */
function isMissedTwice(history: readonly Heard[], index: string, at: number): boolean {
  const lastSeen = history.findLastIndex(({ list }) => list.includes(index));
  return history.slice(lastSeen + 1).some((one) => one.verdict === 'taken' && at - one.at >= 10_500);
}

/** The lists that agree, up to this one: those held in a row, as far back as each agrees with all before it. */
function runOf(useful: readonly Heard[], now: Heard): Heard[] {
  const weighed = useful.filter(({ verdict }) => verdict !== 'baseline');
  const heldFrom = weighed.findLastIndex(({ verdict }) => verdict !== 'held') + 1;
  let run: Heard[] = [];
  for (const next of [...weighed.slice(heldFrom), now]) {
    const lacking = (one: Heard) =>
      next.before.filter((index) => one.before.includes(index) && !one.list.includes(index));
    const inAll = run
      .map(lacking)
      .reduce((all, some) => all.filter((index) => some.includes(index)), lacking(run[0] ?? next));
    const now = lacking(next);
    const differences = [...inAll, ...now].filter((index) => inAll.includes(index) !== now.includes(index));
    const isInTime = next.at - (run.at(-1)?.at ?? next.at) <= 120_000;
    const agrees = differences.length < Math.max(next.before.length * 0.05, 25);
    run = isInTime && agrees ? [...run, next] : [next];
  }
  return run;
}

/** What a feed may do next: mostly the truth, of which a little changes; now and then half of it, or nothing. */
const numbers = fc.array(fc.nat(119), { maxLength: 4 });
const step = fc.record({
  afterMs: fc.constantFrom(1000, 10_499, 10_500, 15_000, 19_500, 60_000, 120_000, 120_001, 300_000),
  flips: numbers,
  hides: numbers,
  cut: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    {
      weight: 6,
      arbitrary: fc.record({
        from: fc.constantFrom(0, 40),
        count: fc.constantFrom(4, 24, 25, 30, 50),
      }),
    },
    { weight: 1, arbitrary: fc.constant('empty' as const) },
  ),
  repeats: fc.constantFrom(1, 1, 1, 2, 6, 24),
});
const feed = fc.record({
  size: fc.constantFrom(3, 60, 120),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
});

const name = (number: number) => String(number).padStart(5, '0');

function listsOf({ size, steps }: typeof feed extends fc.Arbitrary<infer T> ? T : never) {
  const truth = new Set(Array.from({ length: size }, (_, number) => number));
  const lists: { at: number; list: string[] }[] = [];
  let at = 0;
  for (const { afterMs, flips, hides, cut, repeats } of steps) {
    for (const number of flips) if (!truth.delete(number)) truth.add(number);
    for (let time = 0; time < repeats; time++) {
      at += afterMs;
      const shown = [...truth]
        .sort((a, b) => a - b)
        .filter((number) => time % 2 === 1 || !hides.includes(number));
      const left = cut === null ? shown : cut === 'empty' ? [] : shown.toSpliced(cut.from, cut.count);
      lists.push({ at, list: left.map(name) });
    }
  }
  return lists;
}

describe('detection', () => {
  it('says what somebody says who looks through all the lists that ever came', patience, () => {
    const verdicts = new Map<string, number>();
    let confirmed = 0;
    let edges = 0;
    fc.assert(
      fc.property(feed, (whole) => {
        let belief: ListBelief = emptyBelief;
        const history: Heard[] = [];
        for (const { at, list } of listsOf(whole)) {
          const expected = model(history, list, at);
          const weighed = weighList(belief, list, at);
          const { verdict, opened, closed } = weighed;
          expect({ verdict, opened, closed: [...closed] }).toEqual({
            ...{ verdict: expected.verdict, opened: expected.opened, closed: [...expected.closed].sort() },
          });
          belief = nextBelief(belief, weighed);
          history.push(expected);
          expect([...belief.open.keys()].sort()).toEqual(believedAfter(history).sort());
          verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
          edges += opened.length + closed.length;
          if (verdict === 'taken' && closed.length >= 25) confirmed += 1;
        }
      }),
      runs(250),
    );
    // It has been everywhere.
    for (const verdict of ['baseline', 'taken', 'held', 'empty'])
      expect(verdicts.get(verdict)).toBeGreaterThan(20);
    expect(confirmed).toBeGreaterThan(5);
    expect(edges).toBeGreaterThan(1000);
  });

  it(
    'closes nothing that the last list had, opens nothing that it had not, and changes only what it says',
    patience,
    () => {
      fc.assert(
        fc.property(feed, (whole) => {
          let belief: ListBelief = emptyBelief;
          for (const { at, list } of listsOf(whole)) {
            const weighed = weighList(belief, list, at);
            const next = nextBelief(belief, weighed);
            expect(weighed.closed.filter((index) => list.includes(index))).toEqual([]);
            expect(weighed.opened.filter((index) => !list.includes(index))).toEqual([]);
            const touched = [...new Set([...belief.open.keys(), ...next.open.keys()])].filter(
              (index) => JSON.stringify(belief.open.get(index)) !== JSON.stringify(next.open.get(index)),
            );
            expect([...weighed.changes.keys()].sort()).toEqual(touched.sort());
            belief = next;
          }
        }),
        runs(100),
      );
    },
  );
});
