import type { Command } from 'commander';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable, shellWord } from '../printable.ts';

export function addBudgetRemove(budget: Command, context: Context): void {
  const { terminal } = context;
  budget
    .command('remove')
    .argument('<cui>', 'fiscal code of an entity, such as 4305857')
    .argument('<period>', '2023, 2023-Q1 or 2023-01')
    .description('Take the imported amounts of an entity in one period out again')
    .option(...jsonOption)
    .addHelpText('after', example('budget remove 4305857 2023'))
    .action(async (given: string, periodText: string, { json }: { json?: true }) => {
      const [{ requirePeriod }, { createBudgetStore }] = await Promise.all([
        import('../period-argument.ts'),
        import('../../sources/newsletters/budget/budget-store.ts'),
      ]);
      const cui = given.trim().replace(/^RO/i, '');
      const { key } = requirePeriod(periodText);
      await withChange(context, async ({ db, clock }) => {
        const removed = await createBudgetStore({ db, clock }).remove(cui, key);
        if (removed === 0) context.exitCode = 1;
        if (json) return terminal.json({ cui, period: key, removed });
        const words =
          removed === 0
            ? `there are none. What there is: npx tidings budget show ${shellWord(cui)}`
            : `${removed} ${removed === 1 ? 'amount is' : 'amounts are'} taken out.`;
        terminal.print(`CUI ${printable(cui)}, ${key}: ${words}`);
      });
    });
}
