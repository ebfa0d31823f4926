import { describe, expect, it } from 'vitest';
import { emptyBelief, nextBelief, type Weighed, weighList } from './open-list.ts';

const second = 1000;
const index = (number: number) => String(number).padStart(5, '0');
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => index(from + at));
const without = (all: readonly string[], gone: readonly string[]) => all.filter((one) => !gone.includes(one));

/** Lists one after the other; answers what each was taken for. */
function watch(start: readonly string[]) {
  let belief = nextBelief(emptyBelief, weighList(emptyBelief, start, 0));
  return {
    hear(atSeconds: number, list: readonly string[]): Weighed {
      const weighed = weighList(belief, list, atSeconds * second);
      belief = nextBelief(belief, weighed);
      return weighed;
    },
    get open() {
      return [...belief.open.keys()].sort();
    },
    get held() {
      return belief.held;
    },
  };
}

const told = ({ verdict, opened, closed }: Weighed) => ({ verdict, opened, closed });
const quiet = { opened: [], closed: [] };

describe('edges', () => {
  it('the first list is a baseline, and no edge', () => {
    const first = weighList(emptyBelief, range(0, 3), 0);
    expect(told(first)).toEqual({ verdict: 'baseline', ...quiet });
    expect([...first.changes.keys()]).toEqual(range(0, 3));
  });

  it('004-34 a new index opens, once (004-63)', () => {
    const list = watch(range(0, 3));
    const opening = list.hear(15, range(0, 4));
    expect(told(opening)).toEqual({ verdict: 'taken', opened: [index(3)], closed: [] });
    expect([...opening.changes]).toEqual([[index(3), { isOpen: true, misses: 0, missedAt: null }]]);
    const again = list.hear(30, range(0, 4));
    expect(told(again)).toEqual({ verdict: 'taken', ...quiet });
    expect(again.changes.size).toBe(0);
  });

  it('004-36 an index that is missing twice closes, and one miss is none', () => {
    const list = watch(range(0, 3));
    expect(told(list.hear(15, range(1, 3)))).toEqual({ verdict: 'taken', ...quiet });
    expect(told(list.hear(30, range(1, 3)))).toEqual({ verdict: 'taken', opened: [], closed: [index(0)] });
    expect(list.open).toEqual(range(1, 3));
    expect(list.hear(45, range(1, 3)).changes.size).toBe(0);
  });

  it('004-35 004-56 one that comes back after that opens again', () => {
    const list = watch(range(0, 3));
    list.hear(15, range(1, 3));
    list.hear(30, range(1, 3));
    expect(list.hear(45, range(0, 3)).opened).toEqual([index(0)]);
  });

  it('004-58 one that comes and goes with every list never closes, and never opens', () => {
    const list = watch(range(0, 3));
    for (let turn = 1; turn < 40; turn++) {
      const weighed = list.hear(turn * 15, turn % 2 === 0 ? range(0, 3) : range(1, 3));
      expect(told(weighed)).toEqual({ verdict: 'taken', ...quiet });
    }
  });

  it('misses that follow each other faster than the feed is polled are one', () => {
    const list = watch(range(0, 3));
    list.hear(15, range(1, 3));
    for (const at of [16, 20, 25.499]) expect(list.hear(at, range(1, 3)).closed).toEqual([]);
    expect(list.hear(25.5, range(1, 3)).closed).toEqual([index(0)]);
  });

  it('a miss that lies ahead of a clock that was set back does not last for ever', () => {
    const list = watch(range(0, 3));
    list.hear(7200, range(1, 3));
    expect(list.hear(3600, range(1, 3)).closed).toEqual([index(0)]);
  });
});

describe('an empty list', () => {
  it('004-64 says nothing, however often it comes', () => {
    const list = watch(range(0, 3));
    for (const at of [15, 45, 75, 600]) {
      const weighed = list.hear(at, []);
      expect(told(weighed)).toEqual({ verdict: 'empty', ...quiet });
      expect(weighed.changes.size).toBe(0);
    }
    expect(told(list.hear(615, range(0, 3)))).toEqual({ verdict: 'taken', ...quiet });
  });

  it('is no baseline', () => {
    const empty = weighList(emptyBelief, [], 0);
    expect(told(empty)).toEqual({ verdict: 'empty', ...quiet });
    const belief = nextBelief(emptyBelief, empty);
    expect(weighList(belief, range(0, 3), 15 * second).verdict).toBe('baseline');
  });

  it('neither counts as a miss nor takes one back', () => {
    const list = watch(range(0, 3));
    list.hear(15, range(1, 3));
    list.hear(30, []);
    expect(list.hear(60, range(1, 3)).closed).toEqual([index(0)]);
  });
});

describe('a list that has lost too much at once', () => {
  const all = range(0, 11_423);
  const kept = all.slice(0, 8146); // Seen for real: 28.7 % missing, for 41 s.

  it('is held back, and when it is whole again nothing has happened', () => {
    const list = watch(all);
    for (const at of [15, 28, 41, 56])
      expect(told(list.hear(at, kept))).toEqual({ verdict: 'held', ...quiet });
    expect(list.held?.since).toBe(15 * second);
    expect(told(list.hear(70, all))).toEqual({ verdict: 'taken', ...quiet });
    expect(list.held).toBeNull();
    expect(list.open).toEqual(all);
  });

  it('is believed when lists have said the same for five minutes', () => {
    const list = watch(all);
    for (let at = 15; at < 315; at += 15) expect(list.hear(at, kept).verdict).toBe('held');
    const weighed = list.hear(315, kept);
    expect(weighed.verdict).toBe('taken');
    expect(weighed.closed).toEqual(all.slice(8146));
    expect(list.open).toEqual(kept);
    expect(list.held).toBeNull();
  });

  it('still shows what opens, while those that are missing wait', () => {
    const list = watch(all);
    const weighed = list.hear(15, [...kept, '20000']);
    expect(told(weighed)).toEqual({ verdict: 'held', opened: ['20000'], closed: [] });
    expect(list.hear(30, [...kept, '20000']).opened).toEqual([]);
  });

  it('closes only what none of those lists had, and counts the others from there', () => {
    const list = watch(all);
    const late = all[5] as string;
    const back = all[9000] as string;
    list.hear(15, kept);
    list.hear(120, [...kept, back].sort());
    list.hear(235, without(kept, [late]));
    const weighed = list.hear(315, without(kept, [late]));
    expect(weighed.verdict).toBe('taken');
    expect(weighed.closed).toEqual(without(all.slice(8146), [back]));
    expect(weighed.changes.get(late)).toEqual({ isOpen: true, misses: 1, missedAt: 315 * second });
    expect(list.hear(330, without(kept, [late])).closed).toEqual([late, back].sort());
  });

  it('is not confirmed over a gap of more than two minutes, nor by two lists', () => {
    const list = watch(all);
    list.hear(15, kept);
    list.hear(136, kept);
    for (const at of [250, 370, 435]) expect(list.hear(at, kept).verdict).toBe('held');
    expect(list.hear(436, kept).verdict).toBe('taken');
  });

  it('is not confirmed by lists that are cut differently each time', () => {
    const list = watch(all);
    for (let turn = 1; turn < 100; turn++) {
      const cut = all.filter((_, at) => (at + turn * 1000) % all.length < 8146);
      expect(told(list.hear(turn * 15, cut))).toEqual({ verdict: 'held', ...quiet });
    }
  });

  it('is confirmed by lists that differ by fewer than 5 %, and not by others', () => {
    const thousand = range(0, 1000);
    const confirmedWith = (lackingLater: number) => {
      const list = watch(thousand);
      for (const at of [15, 115]) list.hear(at, thousand.slice(200));
      for (const at of [215, 300]) list.hear(at, thousand.slice(200 + lackingLater));
      return list.hear(315, thousand.slice(200 + lackingLater)).verdict;
    };
    expect([0, 49, 50].map(confirmedWith)).toEqual(['taken', 'taken', 'held']);
  });

  it('begins at 10 % and ends below 5 %', () => {
    const thousand = range(0, 1000);
    expect(watch(thousand).hear(15, thousand.slice(99)).verdict).toBe('taken');
    const list = watch(thousand);
    expect(list.hear(15, thousand.slice(100)).verdict).toBe('held');
    expect(list.hear(30, thousand.slice(50)).verdict).toBe('held');
    expect(list.hear(45, thousand.slice(49)).verdict).toBe('taken');
    // Its misses count from there.
    expect(list.hear(60, thousand.slice(49)).closed).toEqual(thousand.slice(0, 49));
  });

  it('begins at 25 where a share is fewer, and ends below', () => {
    const hundred = range(0, 100);
    expect(watch(hundred).hear(15, hundred.slice(24)).verdict).toBe('taken');
    const list = watch(hundred);
    expect(list.hear(15, hundred.slice(25)).verdict).toBe('held');
    expect(list.hear(30, hundred.slice(24)).verdict).toBe('taken');
  });

  it('keeps the misses that were counted before, and counts none meanwhile', () => {
    const list = watch(all);
    list.hear(15, all.slice(1));
    list.hear(30, kept.slice(1));
    list.hear(45, kept.slice(1));
    expect(list.hear(60, all.slice(1)).closed).toEqual([all[0]]);
  });

  it('takes back the misses of what is in it', () => {
    const list = watch(all);
    list.hear(15, all.slice(1));
    list.hear(30, kept);
    expect(list.hear(45, all.slice(1)).closed).toEqual([]);
  });
});

describe('a first list that was half a list', () => {
  const hundred = range(0, 100);

  it('is seen by what the next one has more: that was open all along, and opens nothing', () => {
    const list = watch(hundred.slice(0, 60));
    expect(told(list.hear(15, hundred.slice(0, 60)))).toEqual({ verdict: 'taken', ...quiet });
    const whole = list.hear(56, hundred);
    expect(told(whole)).toEqual({ verdict: 'baseline', ...quiet });
    expect([...whole.changes.keys()]).toEqual(hundred.slice(60));
    expect(list.open).toEqual(hundred);
    expect(list.hear(71, range(0, 101)).opened).toEqual([index(100)]);
  });

  it('is not seen by single openings, which are told from the second list on', () => {
    const list = watch(hundred.slice(0, 60));
    expect(told(list.hear(15, range(0, 84)))).toEqual({
      ...{ verdict: 'taken', opened: range(60, 84), closed: [] },
    });
    const thousand = watch(range(0, 1000));
    expect(thousand.hear(15, range(0, 1099)).opened).toHaveLength(99);
  });

  it('is not looked for any more after five minutes without another baseline', () => {
    const openedAt = (...atSeconds: number[]) => {
      const list = watch(hundred.slice(0, 20));
      return atSeconds.map((at, turn) => list.hear(at, range(0, 20 + (turn + 1) * 30)).opened.length);
    };
    expect(openedAt(299.999)).toEqual([0]);
    expect(openedAt(300)).toEqual([30]);
    expect(openedAt(200, 499.999, 800)).toEqual([0, 0, 30]);
  });

  it('closes nothing: what the larger list lacks is left to those that follow', () => {
    const list = watch(hundred.slice(0, 50));
    expect(told(list.hear(15, hundred.slice(40)))).toEqual({ verdict: 'baseline', ...quiet });
    expect(list.open).toEqual(hundred);
    expect(told(list.hear(30, hundred.slice(40)))).toEqual({ verdict: 'held', ...quiet });
    expect(told(list.hear(45, hundred))).toEqual({ verdict: 'taken', ...quiet });
  });
});
