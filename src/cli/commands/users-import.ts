import type { Command } from 'commander';
import type { ImportedUsers } from '../../sources/newsletters/users/import-users.ts';
import type { LocalUsers } from '../../sources/newsletters/users/local-users.ts';
import { placeInFile } from '../../std/json-records.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, shareRead, type TextFile } from '../text-file.ts';
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
        'that cannot be read is named, and does not stop the others; so is a user who is in it twice with two addresses.',
        'JSON is a list, { "users": [ … ] }, or an object a line, with the same names. The same list again changes nothing.',
        example('users import users.csv'),
      ].join('\n'),
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const text = await openTextFile(file);
      const interrupted = untilInterrupted();
      try {
        const work = async (directory: LocalUsers) => {
          const result = await importAll(directory, text, json ? undefined : terminal, interrupted.signal);
          if (result.bad > 0 || !result.isWhole) context.exitCode = 1;
          if (json) return terminal.json(result);
          terminal.print(...tell(result));
          terminal.complain(...tellProblems(result));
        };
        await withLocalUsers(context, work, { isChange: true });
      } finally {
        interrupted.forget();
        await text.close();
      }
    });
}

interface ImportResult extends ImportedUsers {
  ignoredColumns: string[];
}

async function importAll(
  directory: LocalUsers,
  text: TextFile,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<ImportResult> {
  const [{ readUsersFile }, { importUsers }] = await Promise.all([
    import('../../sources/newsletters/users/users-file.ts'),
    import('../../sources/newsletters/users/import-users.ts'),
  ]);
  const ignored = new Set<string>();
  const onBatch = (read: number) => terminal?.progress(`${read} users …`, shareRead(text));
  const records = readUsersFile(text.chunks, ignored);
  const imported = await importUsers({ directory, records, signal, onBatch });
  return { ...imported, ignoredColumns: [...ignored] };
}

function tell(result: ImportResult): string[] {
  const { read, added, changed, repeated, bad, withoutAddress, unverified, ignoredColumns, isWhole } = result;
  if (read === 0) return ['There is nobody in it: nothing was changed.'];
  const same = read - added - changed - repeated - bad;
  const some = (count: number, words: string) =>
    count > 0 ? [`${count} ${count === 1 ? 'has' : 'have'} ${words}: nothing is sent to them.`] : [];
  return [
    `${read} ${read === 1 ? 'user' : 'users'} read: ${added} new, ${changed} changed, ${same} as before${repeated > 0 ? `, ${repeated} said twice` : ''}${bad > 0 ? `, ${bad} bad` : ''}.`,
    ...some(withoutAddress, 'no address'),
    ...some(unverified, 'an address that is not verified'),
    ...(ignoredColumns.length > 0
      ? [`Columns that were not read: ${printable(ignoredColumns.join(', '))}.`]
      : []),
    ...(isWhole ? [] : ['Stopped between two batches. The same command does the rest.']),
  ];
}

function tellProblems({ bad, problems }: ImportResult): string[] {
  return [
    ...problems.map(({ problem, ...place }) => `${placeInFile(place)}: ${problem}`),
    ...(bad > problems.length ? [`And ${bad - problems.length} more.`] : []),
  ];
}
