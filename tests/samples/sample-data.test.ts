import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../src/domain/address.ts';
import { sampleBudget, sampleMonths, towns } from '../../src/samples/sample-budget.ts';
import { citizens, neighbours, reviewers, students } from '../../src/samples/sample-people.ts';
import { sampleReview } from '../../src/samples/sample-review.ts';
import { createSeatsByHand } from '../../src/samples/seats-by-hand.ts';
import type { WorkerMessage } from '../../src/samples/worker-process.ts';
import { readSubmission } from '../../src/sources/code-reviews/jobs/submission.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { compare, decimalOf, sum } from '../../src/std/decimal.ts';

const now = Date.UTC(2026, 10, 17);

describe('sample people', () => {
  test('each has an address of their own that leads nowhere', () => {
    const all = [...students, ...citizens, ...reviewers, ...neighbours];
    expect(new Set(all.map(({ email }) => email)).size).toBe(all.length);
    for (const { email } of all)
      expect([parseAddress(email).ok, email.endsWith('@example.org')]).toEqual([true, true]);
  });
});

describe('sample budgets', () => {
  test('go two years back from the last month that is over, and what was spent is the sum of its chapters', () => {
    const months = sampleMonths(now);
    expect([months[0]?.key, months.at(-1)?.key, months.length]).toEqual(['2026-10', '2024-11', 24]);
    const entries = sampleBudget(months);
    expect(entries).toEqual(sampleBudget(months));
    for (const { cui } of towns) {
      const spent = entries.flatMap((entry) =>
        entry.kind === 'amount' &&
        entry.cui === cui &&
        entry.periodKey === '2026-10' &&
        entry.side === 'expenses'
          ? [entry]
          : [],
      );
      const chapters = sum(spent.filter(({ chapter }) => chapter !== '').map(({ amount }) => amount));
      expect(spent.find(({ chapter }) => chapter === '')?.amount).toBe(chapters);
      expect(compare(chapters, decimalOf(0))).toBe(1);
    }
  });
});

describe('sample reviews', () => {
  test.each([0, 1, 2, 3, 40])('number %i is one that can be submitted', (number) => {
    expect(readSubmission(sampleReview(number)).problems).toEqual([]);
    expect(sampleReview(number)).toEqual(sampleReview(number));
    expect(sampleReview(number).idempotency_key).not.toBe(sampleReview(number + 1).idempotency_key);
  });
});

describe('seats by hand', () => {
  const stopping = new AbortController().signal;

  test('one after the other opens for a while, and none again before it can be told again', async () => {
    const clock = createManualClock(now);
    const told: WorkerMessage[] = [];
    const hand = createSeatsByHand({
      termId: '12027',
      clock,
      stopping,
      tell: (message) => told.push(message),
    });
    expect(hand.sections).toHaveLength(12);
    const opened = hand.sections.map(() => hand.open().indexNumber);
    expect(new Set(opened).size).toBe(12);
    expect(() => hand.open()).toThrow('an opening is told once');
    expect(told).toEqual(opened.map((index) => ({ open: index })));
    told.length = 0;
    hand.tellAgain();
    expect(told).toHaveLength(12);
    await clock.advance(75_000);
    expect(told.slice(12)).toEqual(opened.map((index) => ({ release: index })));
    told.length = 0;
    hand.tellAgain();
    expect(told).toEqual([]);
    await clock.advance(225_001);
    expect(hand.open().indexNumber).toBe(opened[0]);
  });
});
