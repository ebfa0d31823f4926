import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addAdd, addRemove } from './suppressions-change.ts';
import { addExport } from './suppressions-export.ts';
import { addImport } from './suppressions-import.ts';
import { addList } from './suppressions-list.ts';

export function addSuppressions(program: Command, context: Context): void {
  const suppressions = program
    .command('suppressions')
    .helpCommand(false)
    .description('See and change which addresses must not be mailed');
  for (const add of [addList, addAdd, addRemove, addImport, addExport]) add(suppressions, context);
}
