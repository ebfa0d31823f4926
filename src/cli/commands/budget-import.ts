import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import type { ImportCounts, Imported } from '../../sources/newsletters/budget/import-budget.ts';
import type { FileWords } from '../../sources/newsletters/budget/platform-answer.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { counted } from '../counted.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, shareRead, type TextFile } from '../text-file.ts';

interface ImportOptions {
  period?: string;
  side?: string;
  json?: true;
}

interface FileResult extends Imported {
  file: string;
  ignoredColumns: string[];
}

export function addBudgetImport(budget: Command, context: Context): void {
  const { terminal } = context;
  budget
    .command('import')
    .argument('<file...>', 'CSV or JSON')
    .description('Put budgets into the database; what is in it already stays, what differs takes its place')
    .option(
      '--period <period>',
      'of an answer of the platform that does not say it: 2023, 2023-Q1 or 2023-01',
    )
    .option('--side <side>', 'of an answer of the platform that does not say it: income or expenses')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'CSV of amounts: cui, period, side (income or expenses), chapter, chapter_name, amount, currency. A line without a',
        'chapter is the total; without such a line the chapters add up to it. A quarter or a year that is not in it is the sum',
        'of its months or quarters. CSV of entities: cui, name, entity_type, county_name, population. JSON: { "entities":',
        '[ … ], "amounts": [ … ] } with the same names, or an answer of the platform with entity, heatmapUATData or uats.',
        'A line that cannot be read is named, and does not stop the others; so is one that repeats another, and one in a',
        'second currency of the same entity and period.',
        example('budget import entities.csv amounts.csv', 'budget import entity.json --period 2023'),
      ].join('\n'),
    )
    .action(async (files: string[], options: ImportOptions) => {
      const words = await wordsOf(options);
      const opened: { file: string; text: TextFile }[] = [];
      const interrupted = untilInterrupted();
      try {
        for (const file of files) opened.push({ file, text: await openTextFile(file) });
        await withChange(context, async (engine, { budgetApiUrl }) => {
          const results: FileResult[] = [];
          for (const { file, text } of opened) {
            if (interrupted.is) break;
            const result = await importOne(engine, file, text, words, {
              ...{ terminal: options.json ? undefined : terminal, signal: interrupted.signal },
            });
            results.push(result);
            if (!options.json) tell(result, terminal);
          }
          if (options.json) terminal.json({ files: results });
          else if (budgetApiUrl !== '')
            terminal.print(
              'BUDGET_API_URL is set: newsletters and alerts ask there, and not for what was imported.',
            );
          if (interrupted.is || results.some(({ bad }) => bad > 0)) context.exitCode = 1;
        });
      } finally {
        interrupted.forget();
        for (const { text } of opened) await text.close();
      }
    });
}

async function wordsOf({ period, side }: ImportOptions): Promise<FileWords> {
  const [{ requirePeriod }, { sideOf }] = await Promise.all([
    import('../period-argument.ts'),
    import('../../sources/newsletters/budget/budget-entry.ts'),
  ]);
  const known = side === undefined ? undefined : sideOf(side);
  if (side !== undefined && known === undefined)
    throw new Refusal('unknown_side', `There is no side ${JSON.stringify(side)}. Give income or expenses.`);
  return {
    ...(period !== undefined && { period: requirePeriod(period).key }),
    ...(known !== undefined && { side: known }),
  };
}

async function importOne(
  { db, clock }: Engine,
  file: string,
  text: TextFile,
  words: FileWords,
  { terminal, signal }: { terminal: Terminal | undefined; signal: AbortSignal },
): Promise<FileResult> {
  const [{ readBudgetFile }, { createBudgetStore }, { importBudget }] = await Promise.all([
    import('../../sources/newsletters/budget/budget-file.ts'),
    import('../../sources/newsletters/budget/budget-store.ts'),
    import('../../sources/newsletters/budget/import-budget.ts'),
  ]);
  const onBatch = ({ entities, amounts }: ImportCounts) =>
    terminal?.progress(`${entities} entities, ${amounts} amounts …`, shareRead(text));
  const ignored = new Set<string>();
  try {
    const records = readBudgetFile(text.chunks, words, ignored);
    const store = createBudgetStore({ db, clock });
    const imported = await importBudget({ store, clock, records, signal, onBatch });
    return { file, ...imported, ignoredColumns: [...ignored] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, `${printable(file)}: ${error.message}`, { file });
  }
}

function tell(result: FileResult, terminal: Terminal): void {
  const { entities, amounts, changed, bad, problems, ignoredColumns, isStopped } = result;
  const file = printable(result.file);
  const isEmpty = entities + amounts + bad === 0 && !isStopped;
  terminal.print(
    isEmpty
      ? `${file}: there is nothing in it.`
      : `${file}: ${counted(entities, 'entity', 'entities')}, ${counted(amounts, 'amount', 'amounts')}; ${changed} new or changed${bad > 0 ? `, ${bad} bad` : ''}.`,
    ...(ignoredColumns.length > 0
      ? [`  Columns that were not read: ${printable(ignoredColumns.join(', '))}.`]
      : []),
    ...(isStopped ? ['  Stopped between two batches. The same command does the rest.'] : []),
  );
  terminal.complain(
    ...problems.map(({ line, number, problem }) => {
      const place = `line ${line}${number === undefined ? '' : `, entry ${number}`}`;
      return `${file}, ${place}: ${printable(problem)}`;
    }),
    ...(bad > problems.length ? [`${file}: and ${bad - problems.length} more.`] : []),
  );
}
