import type { Command } from 'commander';
import { requireAddress } from '../../domain/address.ts';
import type { LocalUser, LocalUsers } from '../../sources/newsletters/users/local-users.ts';
import { limitOption } from '../arguments.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable, shellWord } from '../printable.ts';
import { type Column, printTable } from '../table.ts';
import { withLocalUsers } from '../users-directory.ts';

interface ListOptions {
  email?: string;
  after?: string;
  limit: number;
  json?: true;
}

const limitMax = 500;

export function addUsersList(users: Command, context: Context): void {
  const { terminal } = context;
  users
    .command('list')
    .description('List users and their addresses, in the order of their ids')
    .option('--email <address>', 'only who has this address')
    .option('--after <user-id>', 'only those behind this one: the next page')
    .option(...limitOption(limitMax, 50))
    .option(...jsonOption)
    .addHelpText('after', example('users list', 'users list --email ana@example.org'))
    .action(async (options: ListOptions) => {
      const work = async (directory: LocalUsers) => {
        // One more than asked for says whether there is a next page.
        const found = await find(directory, options, options.limit + 1);
        const shown = found.slice(0, options.limit);
        const after = found.length > shown.length ? (shown.at(-1)?.userId ?? null) : null;
        if (options.json) return terminal.json({ users: shown, next: after === null ? null : { after } });
        if (shown.length === 0) return terminal.print(nobody(options));
        printTable(terminal, shown, columns);
        if (after !== null) terminal.print(`More: npx tidings users list --after ${shellWord(after)}`);
      };
      await withLocalUsers(context, work, { isChange: false });
    });
}

const nobody = ({ email, after }: ListOptions) =>
  email === undefined && after === undefined
    ? 'There are no users yet. To put one in: npx tidings users set <user-id> --email <address>, or many: npx tidings users import <file>'
    : 'There is no such user. To put some in: npx tidings users import <file>';

async function find(
  directory: LocalUsers,
  { email, after }: ListOptions,
  limit: number,
): Promise<LocalUser[]> {
  if (email === undefined) return directory.list({ limit, ...(after !== undefined && { after }) });
  const ids = (await directory.usersAt?.(requireAddress(email), limit)) ?? [];
  const rows = await Promise.all(ids.map((userId) => directory.find(userId)));
  return rows.flatMap((row) => row ?? []);
}

const columns: Column<LocalUser>[] = [
  { title: 'USER', cell: ({ userId }) => printable(userId), canShrink: true },
  { title: 'ADDRESS', cell: ({ email }) => printable(email ?? '(none)'), canShrink: true },
  {
    title: 'VERIFIED',
    cell: ({ email, isVerified }) => (email === null ? '' : isVerified ? 'yes' : 'no'),
    meaning: ({ isVerified }) => (isVerified ? 'good' : 'stopped on purpose'),
  },
];
