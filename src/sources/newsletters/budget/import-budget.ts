import { openFirstSeen } from '../../../db/first-seen.ts';
import type { Clock } from '../../../std/clock.ts';
import { amountKey, type BudgetEntry } from './budget-entry.ts';
import type { BudgetRecord } from './budget-file.ts';
import type { BudgetStore } from './budget-store.ts';

/**
 * A file's records into the store, a batch at a time: whoever stops it has whole batches, and doing it again does nothing twice. An
 * amount that stands in the file a second time is a bad line: nobody knows whether it corrects the first or is to be added to it.
 */
export interface ImportOrder {
  store: Pick<BudgetStore, 'put'>;
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
  problems: Problem[];
  isStopped: boolean;
}

type Place = Pick<BudgetRecord, 'line' | 'number'>;
type Problem = Place & { problem: string };

const batchSize = 500;
const problemsMax = 100;

export async function importBudget(order: ImportOrder): Promise<Imported> {
  const { store, clock, records, signal, onBatch } = order;
  const counts: ImportCounts = { entities: 0, amounts: 0, changed: 0, bad: 0 };
  const problems: Imported['problems'] = [];
  let batch: (Place & { entry: BudgetEntry })[] = [];

  function complain({ line, number }: Place, problem: string): void {
    counts.bad += 1;
    if (problems.length < problemsMax)
      problems.push({ line, ...(number !== undefined && { number }), problem });
  }

  async function flush(): Promise<void> {
    const { changed, refused } = await store.put(batch.map(({ entry }) => entry));
    counts.changed += changed;
    for (const [place, one] of batch.entries()) {
      const problem = refused.get(place);
      if (problem !== undefined) complain(one, problem);
      else counts[one.entry.kind === 'entity' ? 'entities' : 'amounts'] += 1;
    }
    batch = [];
    onBatch?.(counts);
    // A synchronous driver would leave no moment at which a signal is heard.
    await clock.nextTurn();
  }

  const seen = await openFirstSeen();
  try {
    for await (const record of records) {
      if (signal.aborted) break;
      if ('problem' in record) complain(record, record.problem);
      else {
        const { line, number = line, entry } = record;
        const first = entry.kind === 'amount' ? seen.note(amountKey(entry), number) : undefined;
        if (first === undefined) batch.push(record);
        else complain(record, repeats(record, first));
      }
      if (batch.length >= batchSize) await flush();
    }
  } finally {
    seen.close();
  }
  if (!signal.aborted) await flush();
  problems.sort((a, b) => a.line - b.line || (a.number ?? 0) - (b.number ?? 0));
  return { ...counts, problems, isStopped: signal.aborted };
}

function repeats({ number }: Place, first: number): string {
  const which = `${number === undefined ? 'line' : 'entry'} ${first}`;
  return `It repeats ${which}, which holds: the same CUI, period, side and chapter. Where they are parts of one amount, add them up.`;
}
