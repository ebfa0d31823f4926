import type { Command } from 'commander';
import type { ImportedList } from '../../consent/suppression-import.ts';
import type { Engine } from '../../engine.ts';
import { placeInFile } from '../../std/json-records.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { operatorName } from '../operator.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, shareRead, type TextFile } from '../text-file.ts';

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
        'a file with a header are passed over. A line that cannot be read is named, and does not stop the others;',
        'the exit code is 1 where some were not taken.',
        example('suppressions import list.csv --dry-run', 'suppressions import - < list.csv'),
      ].join('\n'),
    )
    .action(async (file: string, options: ImportOptions) => {
      const source = await openSource(file, terminal);
      try {
        const isDryRun = options.dryRun === true;
        const work = async (engine: Engine) => {
          const result = await importAll(engine, source, options, terminal);
          if (result.bad > 0) context.exitCode = 1;
          if (options.json) return terminal.json({ isDryRun, ...result });
          terminal.print(...tell(result, isDryRun));
          terminal.complain(...tellProblems(result));
        };
        await withChange(context, work, { isDryRun });
      } finally {
        await source.close();
      }
    });
}

type Source = Pick<TextFile, 'chunks' | 'close'> & Partial<TextFile>;

function openSource(file: string, terminal: Terminal): Promise<Source> {
  if (file !== '-') return openTextFile(file);
  if (process.stdin.isTTY) terminal.complain('One address a line; Ctrl-D ends the list.');
  return Promise.resolve({ chunks: process.stdin.setEncoding('utf8'), close: async () => {} });
}

async function importAll(
  { db, sources, consent: { suppressions } }: Engine,
  source: Source,
  { dryRun, json }: ImportOptions,
  terminal: Terminal,
): Promise<ImportedList> {
  const { importSuppressions } = await import('../../consent/suppression-import.ts');
  return importSuppressions(
    { db, suppressions },
    {
      ...{
        chunks: source.chunks,
        by: operatorName(),
        isDryRun: dryRun === true,
        sources: sources.map(({ name }) => name),
      },
      ...(!json && { onProgress: (read) => terminal.progress(`${read} lines …`, shareRead(source)) }),
    },
  );
}

function tell(result: ImportedList, isDryRun: boolean): string[] {
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

function tellProblems({ bad, problems }: ImportedList): string[] {
  return [
    ...problems.map(({ problem, ...place }) => `${placeInFile(place)}: ${problem}`),
    ...(bad > problems.length
      ? [
          `And ${bad - problems.length} more. Mend these and import the file again: what is in already is passed over.`,
        ]
      : []),
  ];
}
