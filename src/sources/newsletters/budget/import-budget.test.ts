import { expect, test } from 'vitest';
import { createManualClock } from '../../../std/clock.ts';
import { decimalOf } from '../../../std/decimal.ts';
import type { BudgetEntry } from './budget-entry.ts';
import type { BudgetRecord } from './budget-file.ts';
import { type ImportOrder, importBudget } from './import-budget.ts';

const entry: BudgetEntry = {
  ...{ kind: 'entity', cui: '11', name: 'X', entityType: null, countyName: null, population: null },
};

async function* recordsOf(count: number, problems = 0): AsyncGenerator<BudgetRecord> {
  for (let line = 1; line <= count; line++) yield { line, entry };
  for (let line = 1; line <= problems; line++) yield { line, problem: 'No.' };
}

function run(records: AsyncIterable<BudgetRecord>, more: Partial<ImportOrder> = {}) {
  const batches: number[] = [];
  const store = {
    async put(entries: readonly BudgetEntry[]) {
      batches.push(entries.length);
      return { changed: 1, refused: new Map<number, string>() };
    },
  };
  const { signal } = new AbortController();
  return { batches, done: importBudget({ store, clock: createManualClock(), records, signal, ...more }) };
}

test('in batches, each told', async () => {
  const told: number[] = [];
  const { batches, done } = run(recordsOf(1_201), { onBatch: ({ entities }) => told.push(entities) });
  expect(await done).toMatchObject({ entities: 1_201, amounts: 0, changed: 3, isStopped: false });
  expect(batches).toEqual([500, 500, 201]);
  expect(told).toEqual([500, 1_000, 1_201]);
});

test('who stops it has whole batches', async () => {
  const stopping = new AbortController();
  const { batches, done } = run(recordsOf(5_000), {
    signal: stopping.signal,
    onBatch: () => stopping.abort(),
  });
  expect(await done).toMatchObject({ entities: 500, isStopped: true });
  expect(batches).toEqual([500]);
});

test('all that is bad is counted, and the first of it told', async () => {
  const result = await run(recordsOf(0, 250)).done;
  expect([result.bad, result.problems.length, result.problems[99]]).toEqual([
    250,
    100,
    { line: 100, problem: 'No.' },
  ]);
});

const amountOf = (cui: number): BudgetEntry => ({
  ...{
    kind: 'amount',
    cui: String(cui),
    periodKey: '2023',
    side: 'income',
    chapter: '65',
    chapterName: null,
  },
  ...{ amount: decimalOf(1), currency: 'RON' },
});

test('an amount that is in the file already is a bad line, however long ago it was, and the first holds', async () => {
  async function* records(): AsyncGenerator<BudgetRecord> {
    for (let line = 2; line < 3_000; line++) yield { line, entry: amountOf(1000 + line) };
    yield { line: 3_000, entry: amountOf(1003) };
    yield { line: 3_001, number: 7, entry: amountOf(1004) };
  }
  const { batches, done } = run(records());
  expect(await done).toMatchObject({
    ...{ amounts: 2_998, bad: 2 },
    problems: [
      { line: 3_000, problem: expect.stringMatching(/^It repeats line 3, which holds: the same CUI/) },
      { line: 3_001, number: 7, problem: expect.stringMatching(/^It repeats entry 4,/) },
    ],
  });
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(2_998);
});
