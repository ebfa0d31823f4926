import type { Command } from 'commander';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, withEngine } from '../context.ts';

interface ExportOptions {
  format?: string;
  withLifted?: boolean;
  json?: true;
}

export function addExport(suppressions: Command, context: Context): void {
  const { terminal } = context;
  suppressions
    .command('export')
    .description('Print the whole list, newest first, as import reads it')
    .option('--format <format>', 'csv, or json for one object a line (default: csv)')
    .option('--with-lifted', 'those that were taken off, too; import passes them over')
    .option('--json', 'the same as --format json')
    .addHelpText('after', example('suppressions export > list.csv'))
    .action(async ({ format, json, withLifted = false }: ExportOptions) => {
      const isJson = requireFormat(format ?? (json ? 'json' : 'csv')) === 'json';
      const list = await import('../../consent/suppression-export.ts');
      await withEngine(context, async ({ consent }) => {
        if (!isJson) terminal.print(list.csvHeader(withLifted));
        let count = 0;
        for await (const rows of list.readPages(consent.suppressions, withLifted)) {
          terminal.print(
            ...rows.map((row) =>
              isJson ? JSON.stringify(list.suppressionJson(row)) : list.csvOf(row, withLifted),
            ),
          );
          count += rows.length;
          // Who looks at the lines themselves sees how far it is.
          if (!terminal.isForPeople) terminal.progress(`${count} lines …`);
        }
      });
    });
}

function requireFormat(text: string): 'csv' | 'json' {
  if (text === 'csv' || text === 'json') return text;
  throw new Refusal('unknown_format', `There is no format ${JSON.stringify(text)}. Give csv or json.`);
}
