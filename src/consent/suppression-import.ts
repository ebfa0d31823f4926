import type { Database } from '../db/database.ts';
import { addressKey } from '../domain/address.ts';
import type { JsonPlace } from '../std/json-records.ts';
import { readEntry } from './suppression-entry.ts';
import { readSuppressionFile } from './suppression-file.ts';
import type { SuppressionEntry, Suppressions } from './suppressions.ts';

/**
 * Somebody else's list into ours, for the command line and the console alike: batch by batch, each a transaction. A line that cannot be
 * read is named and does not stop the others; to import the same again adds nothing. A dry run does the same and takes every batch back.
 */
interface ImportOrder {
  /** The file's text, as it comes. */
  chunks: AsyncIterable<string>;
  /** What a scope may name. */
  sources: readonly string[];
  by: string;
  isDryRun: boolean;
  /** After each batch: how many lines have been read. */
  onProgress?: ((read: number) => void) | undefined;
}

export interface ImportedList {
  read: number;
  added: number;
  alreadyListed: number;
  stopped: number;
  /** Lines of an export that hold no more. */
  lifted: number;
  bad: number;
  /** The first of the bad ones. */
  problems: (JsonPlace & { problem: string })[];
  ignoredColumns: string[];
}

const batchSize = 500;
const problemsShownMax = 100;

export async function importSuppressions(
  { db, suppressions }: { db: Database; suppressions: Pick<Suppressions, 'add'> },
  { chunks, sources, by, isDryRun, onProgress }: ImportOrder,
): Promise<ImportedList> {
  const ignored = new Set<string>();
  const result = { read: 0, added: 0, stopped: 0, lifted: 0, bad: 0 };
  const problems: ImportedList['problems'] = [];
  const add = isDryRun ? pretend(db, suppressions) : suppressions.add;
  let good = 0;
  let batch: SuppressionEntry[] = [];
  const flush = async () => {
    const { added, stopped } = await add(batch, by);
    result.added += added;
    result.stopped += stopped;
    good += batch.length;
    batch = [];
  };
  for await (const record of readSuppressionFile(chunks, ignored)) {
    const { line, number } = record;
    result.read += 1;
    const read = 'problem' in record ? record : readEntry(record.found, sources);
    if ('entry' in read) batch.push(read.entry);
    else if ('isLifted' in read) result.lifted += 1;
    else {
      result.bad += 1;
      if (problems.length < problemsShownMax)
        problems.push({ line, ...(number !== undefined && { number }), problem: read.problem });
    }
    if (batch.length === batchSize) await flush();
    if (result.read % batchSize === 0) onProgress?.(result.read);
  }
  await flush();
  return { ...result, alreadyListed: good - result.added, problems, ignoredColumns: [...ignored] };
}

class TakenBack extends Error {}

/** Does it, and takes it back: what a dry run says is what would have come of it. */
function pretend(db: Database, suppressions: Pick<Suppressions, 'add'>) {
  const seen = new Set<string>();
  return async (entries: readonly SuppressionEntry[], by: string) => {
    const unseen = entries.filter(({ address, scope, reason }) => {
      const key = JSON.stringify([addressKey(address), scope, reason === 'unsubscribed']);
      return !seen.has(key) && seen.add(key);
    });
    let result = { added: 0, stopped: 0 };
    try {
      await db.transaction(async (tx) => {
        result = await suppressions.add(unseen, by, tx);
        throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    return result;
  };
}
