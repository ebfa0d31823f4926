import type { Command } from 'commander';
import type { SuppressionEntry } from '../../consent/suppressions.ts';
import { addressKey } from '../../domain/address.ts';
import type { Engine } from '../../engine.ts';
import { type JsonPlace, placeInFile } from '../../std/json-records.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { operatorName } from '../operator.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, type TextFile } from '../text-file.ts';

interface ImportOptions {
  dryRun?: true;
  json?: true;
}

export function addImport(suppressions: Command, context: Context): void {
  const { terminal } = context;
  suppressions
    .command('import')
    .argument('<file>', 'CSV, one address a line, or JSON; - for standard input')
    .description('Add the addresses of a list; those that are on ours already stay as they are')
    .option('--dry-run', 'only say what would come of it')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'Columns are address (or email), scope, reason and note; all but the first may be left out. Other columns of',
        'a file with a header are passed over. A line that cannot be read is named, and does not stop the others.',
        example('suppressions import list.csv --dry-run', 'suppressions import - < list.csv'),
      ].join('\n'),
    )
    .action(async (file: string, options: ImportOptions) => {
      const source = await openSource(file, terminal);
      try {
        await withEngine(async (engine) => {
          const result = await importAll(engine, source.chunks, options, terminal);
          if (result.bad > 0) context.exitCode = 1;
          if (options.json) return terminal.json({ isDryRun: options.dryRun === true, ...result });
          terminal.print(...tell(result, options.dryRun === true));
          terminal.complain(...tellProblems(result));
        });
      } finally {
        await source.close();
      }
    });
}

function openSource(file: string, terminal: Terminal): Promise<Pick<TextFile, 'chunks' | 'close'>> {
  if (file !== '-') return openTextFile(file);
  if (process.stdin.isTTY) terminal.complain('One address a line; Ctrl-D ends the list.');
  return Promise.resolve({ chunks: process.stdin.setEncoding('utf8'), close: async () => {} });
}

interface ImportResult {
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

class TakenBack extends Error {}

async function importAll(
  engine: Engine,
  chunks: AsyncIterable<string>,
  { dryRun, json }: ImportOptions,
  terminal: Terminal,
): Promise<ImportResult> {
  const [{ readSuppressionFile }, { readEntry }] = await Promise.all([
    import('../../consent/suppression-file.ts'),
    import('../../consent/suppression-entry.ts'),
  ]);
  const sources = engine.sources.map(({ name }) => name);
  const ignored = new Set<string>();
  const result = { read: 0, added: 0, stopped: 0, lifted: 0, bad: 0 };
  const problems: ImportResult['problems'] = [];
  const add = dryRun ? pretend(engine) : engine.consent.suppressions.add;
  let good = 0;
  let batch: SuppressionEntry[] = [];
  const flush = async () => {
    const { added, stopped } = await add(batch, operatorName());
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
    if (!json && result.read % batchSize === 0) terminal.progress(`${result.read} lines …`);
  }
  await flush();
  const { added } = result;
  return { ...result, alreadyListed: good - added, problems, ignoredColumns: [...ignored] };
}

/** Does it, and takes it back: what a dry run says is what would have come of it. */
function pretend({ db, consent }: Engine) {
  const seen = new Set<string>();
  return async (entries: readonly SuppressionEntry[], by: string) => {
    const unseen = entries.filter(({ address, scope, reason }) => {
      const key = JSON.stringify([addressKey(address), scope, reason === 'unsubscribed']);
      return !seen.has(key) && seen.add(key);
    });
    let result = { added: 0, stopped: 0 };
    try {
      await db.transaction(async (tx) => {
        result = await consent.suppressions.add(unseen, by, tx);
        throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    return result;
  };
}

function tell(result: ImportResult, isDryRun: boolean): string[] {
  const { read, added, alreadyListed, stopped, lifted, bad, ignoredColumns } = result;
  if (read === 0) return ['There is no line in it: nothing was added.'];
  const be = isDryRun ? 'would be' : added === 1 ? 'is' : 'are';
  return [
    ...(isDryRun ? ['Dry run: nothing has been changed.'] : []),
    `${read} ${read === 1 ? 'line' : 'lines'} read: ${added} ${be} new on the list, ${alreadyListed} already on it or named twice${bad > 0 ? `, ${bad} bad` : ''}.`,
    ...(lifted > 0 ? [`${lifted} passed over: they were taken off the list where they come from.`] : []),
    ...(stopped > 0 ? [tellStopped(stopped, isDryRun)] : []),
    ...(ignoredColumns.length > 0
      ? [`Columns that were not read: ${printable(ignoredColumns.join(', '))}.`]
      : []),
  ];
}

function tellStopped(count: number, isDryRun: boolean): string {
  const be = isDryRun ? 'would be' : count === 1 ? 'is' : 'are';
  return `${count} ${count === 1 ? 'delivery that waits' : 'deliveries that wait'} for them ${be} stopped.`;
}

function tellProblems({ bad, problems }: ImportResult): string[] {
  return [
    ...problems.map(({ problem, ...place }) => `${placeInFile(place)}: ${problem}`),
    ...(bad > problems.length
      ? [
          `And ${bad - problems.length} more. Mend these and import the file again: what is in already is passed over.`,
        ]
      : []),
  ];
}
