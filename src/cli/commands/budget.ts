import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { addBudgetImport } from './budget-import.ts';
import { addBudgetRemove } from './budget-remove.ts';
import { addBudgetShow } from './budget-show.ts';

export function addBudget(program: Command, context: Context): void {
  const budget = program
    .command('budget')
    .helpCommand(false)
    .description('Budgets of public entities: what newsletters and alerts tell of');
  for (const add of [addBudgetImport, addBudgetShow, addBudgetRemove]) add(budget, context);
}
