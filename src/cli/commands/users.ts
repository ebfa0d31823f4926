import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addUsersRemove, addUsersSet } from './users-change.ts';
import { addUsersImport } from './users-import.ts';
import { addUsersList } from './users-list.ts';

export function addUsers(program: Command, context: Context): void {
  const users = program
    .command('users')
    .helpCommand(false)
    .description('Whose address is whose, for newsletters and alerts, where Clerk is not asked');
  for (const add of [addUsersList, addUsersSet, addUsersRemove, addUsersImport]) add(users, context);
}
