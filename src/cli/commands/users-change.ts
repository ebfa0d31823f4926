import type { Command } from 'commander';
import { requireAddress } from '../../domain/address.ts';
import type { LocalUsers } from '../../sources/newsletters/users/local-users.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable } from '../printable.ts';
import { withLocalUsers } from '../users-directory.ts';

interface SetOptions {
  email?: string;
  unverified?: true;
  json?: true;
}

export function addUsersSet(users: Command, context: Context): void {
  const { terminal } = context;
  users
    .command('set')
    .argument('<user-id>', 'as the platform calls them')
    .description("Say a user's address; it takes the place of the one before")
    .option('--email <address>', 'where they are written to (required)')
    .option('--unverified', 'nobody has shown yet that it is theirs: nothing is sent to it')
    .option(...jsonOption)
    .addHelpText('after', example('users set user_2RfW --email ana@example.org'))
    .action(async (userId: string, { email, unverified, json }: SetOptions) => {
      if (email === undefined)
        throw new Refusal(
          'email_required',
          'Say the address with --email ana@example.org; users remove takes a user out.',
        );
      const user = { userId, email: requireAddress(email), isVerified: unverified !== true };
      const work = async (directory: LocalUsers) => {
        const { added, changed } = await directory.put([user]);
        if (json) return terminal.json({ user, isNew: added === 1, isChanged: added + changed === 1 });
        const words = added === 1 ? 'is new' : changed === 1 ? 'has changed' : 'was so already';
        terminal.print(
          `${printable(userId)} ${words}: ${printable(user.email)}${unverified ? ', not verified' : ''}.`,
        );
      };
      await withLocalUsers(context, work, { isChange: true });
    });
}

export function addUsersRemove(users: Command, context: Context): void {
  const { terminal } = context;
  users
    .command('remove')
    .argument('<user-id>', 'as the platform calls them')
    .description('Take a user out: what waits for them is not sent, because they have no address')
    .option(...jsonOption)
    .addHelpText('after', example('users remove user_2RfW'))
    .action(async (userId: string, { json }: { json?: true }) => {
      const work = async (directory: LocalUsers) => {
        const isRemoved = await directory.remove(userId);
        if (!isRemoved) context.exitCode = 1;
        if (json) return terminal.json({ userId, isRemoved });
        terminal.print(
          isRemoved
            ? `${printable(userId)} is taken out.`
            : `There is no user ${JSON.stringify(userId)}, so there is nothing to take out. Who is there: npx tidings users list`,
        );
      };
      await withLocalUsers(context, work, { isChange: true });
    });
}
