import type { Clock } from '../../../std/clock.ts';
import type { BudgetEntry } from './budget-entry.ts';
import type { BudgetRecord } from './budget-file.ts';
import type { BudgetStore } from './budget-store.ts';

/** A file's records into the store, a batch at a time: whoever stops it has whole batches, and doing it again does nothing twice. */
export interface ImportOrder {
  store: BudgetStore;
  clock: Clock;
  records: AsyncIterable<BudgetRecord>;
  signal: AbortSignal;
  onBatch?(sofar: ImportCounts): void;
}

export interface ImportCounts {
  entities: number;
  amounts: number;
  /** New, or other than they were. */
  changed: number;
  bad: number;
}

export interface Imported extends ImportCounts {
  /** The first of the bad ones. */
  problems: { line: number; problem: string }[];
  isStopped: boolean;
}

const batchSize = 500;
const problemsMax = 100;

export async function importBudget(order: ImportOrder): Promise<Imported> {
  const { store, clock, records, signal, onBatch } = order;
  const counts: ImportCounts = { entities: 0, amounts: 0, changed: 0, bad: 0 };
  const problems: Imported['problems'] = [];
  let batch: BudgetEntry[] = [];

  async function flush(): Promise<void> {
    if (batch.length > 0) counts.changed += await store.put(batch);
    for (const { kind } of batch) counts[kind === 'entity' ? 'entities' : 'amounts'] += 1;
    batch = [];
    onBatch?.(counts);
    // A synchronous driver would leave no moment at which a signal is heard.
    await clock.nextTurn();
  }

  for await (const record of records) {
    if (signal.aborted) break;
    if ('entry' in record) batch.push(record.entry);
    else {
      counts.bad += 1;
      if (problems.length < problemsMax) problems.push({ line: record.line, problem: record.problem });
    }
    if (batch.length >= batchSize) await flush();
  }
  if (!signal.aborted) await flush();
  return { ...counts, problems, isStopped: signal.aborted };
}
