import type { AmountEntry, EntityEntry } from '../../src/sources/newsletters/budget/budget-entry.ts';
import { type Period, parsePeriod } from '../../src/sources/newsletters/period.ts';
import { decimalOf } from '../../src/std/decimal.ts';

/** Lines of budgets, in few words. */
export const period = (key: string) => parsePeriod(key) as Period;
export const entity = (cui: string, more: Partial<EntityEntry> = {}): EntityEntry => ({
  ...{ kind: 'entity', cui, name: `Town ${cui}`, entityType: null, countyName: null, population: 1000 },
  ...more,
});
export const amount = (
  cui: string,
  periodKey: string,
  side: 'income' | 'expenses',
  text: string,
  chapter = '',
  more: Partial<AmountEntry> = {},
): AmountEntry => ({
  ...{
    kind: 'amount',
    cui,
    periodKey,
    side,
    chapter,
    chapterName: null,
    amount: decimalOf(text),
    currency: 'RON',
  },
  ...more,
});
export const both = (cui: string, periodKey: string, income: string, expenses: string) => [
  amount(cui, periodKey, 'income', income),
  amount(cui, periodKey, 'expenses', expenses),
];
export const month = (year: number, number: number) => `${year}-${String(number).padStart(2, '0')}`;
