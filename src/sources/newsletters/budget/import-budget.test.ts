import { expect, test } from 'vitest';
import { createManualClock } from '../../../std/clock.ts';
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
      return 1;
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
