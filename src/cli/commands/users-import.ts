import type { Command } from 'commander';
import type { LocalUser, LocalUsers } from '../../sources/newsletters/users/local-users.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import { barOf } from '../progress-bar.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, type TextFile } from '../text-file.ts';
import { withLocalUsers } from '../users-directory.ts';

export function addUsersImport(users: Command, context: Context): void {
  const { terminal } = context;
  users
    .command('import')
    .argument('<file>', 'CSV or JSON')
    .description('Put the users of a list in; what differs takes the place of what was there')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'Columns are user_id (or id), email and verified; the last may be left out, and then all are. Without a header they',
        "are in this order. The list that Clerk's dashboard exports is read as it is; other columns are passed over. A line",
        'that cannot be read is named, and does not stop the others. The same list again changes nothing.',
        example('users import users.csv'),
      ].join('\n'),
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const text = await openTextFile(file);
      const interrupted = untilInterrupted();
      try {
        await withLocalUsers(json ? undefined : terminal, async (directory) => {
          const result = await importAll(directory, text, json ? undefined : terminal, interrupted.signal);
          if (result.bad > 0 || !result.isWhole) context.exitCode = 1;
          if (json) return terminal.json(result);
          terminal.print(...tell(result));
          terminal.complain(...result.problems.map(({ line, problem }) => `Line ${line}: ${problem}`));
        });
      } finally {
        interrupted.forget();
        await text.close();
      }
    });
}

interface ImportResult {
  read: number;
  added: number;
  changed: number;
  bad: number;
  /** The first of the bad ones. */
  problems: { line: number; problem: string }[];
  ignoredColumns: string[];
  isWhole: boolean;
}

const batchMax = 500;
const problemsShownMax = 100;

async function importAll(
  directory: LocalUsers,
  text: TextFile,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { readUsersFile } = await import('../../sources/newsletters/users/users-file.ts');
  const ignored = new Set<string>();
  const result: ImportResult = {
    ...{ read: 0, added: 0, changed: 0, bad: 0, problems: [], ignoredColumns: [], isWhole: true },
  };
  let batch: LocalUser[] = [];
  const flush = async () => {
    const { added, changed } = await directory.put(batch);
    result.added += added;
    result.changed += changed;
    batch = [];
    const bar = process.stderr.isTTY && text.octets > 0 ? `${barOf(text.octetsRead() / text.octets)} ` : '';
    if (result.read >= batchMax) terminal?.progress(`${bar}${result.read} users …`);
  };
  for await (const record of readUsersFile(text.chunks, ignored)) {
    result.read += 1;
    if ('user' in record) batch.push(record.user);
    else {
      result.bad += 1;
      if (result.problems.length < problemsShownMax) result.problems.push(record);
    }
    if (batch.length === batchMax) await flush();
    if (signal.aborted) {
      result.isWhole = false;
      break;
    }
  }
  await flush();
  return { ...result, ignoredColumns: [...ignored] };
}

function tell({ read, added, changed, bad, ignoredColumns, isWhole }: ImportResult): string[] {
  if (read === 0) return ['There is nobody in it: nothing was changed.'];
  const same = read - added - changed - bad;
  return [
    `${read} ${read === 1 ? 'user' : 'users'} read: ${added} new, ${changed} changed, ${same} as before${bad > 0 ? `, ${bad} bad` : ''}.`,
    ...(ignoredColumns.length > 0
      ? [`Columns that were not read: ${printable(ignoredColumns.join(', '))}.`]
      : []),
    ...(isWhole ? [] : ['Stopped between two batches. The same command does the rest.']),
  ];
}
