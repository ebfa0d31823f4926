import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addReconcileList } from './reconcile-list.ts';
import { addReconcileRun } from './reconcile-run.ts';

export function addReconcile(program: Command, context: Context): void {
  const reconcile = program
    .command('reconcile')
    .helpCommand(false)
    .description('See which mails nobody knows the fate of, and look into them');
  for (const add of [addReconcileList, addReconcileRun]) add(reconcile, context);
}
