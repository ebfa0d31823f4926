import type { BudgetEntry } from '../sources/newsletters/budget/budget-entry.ts';
import { type Period, periodBefore, previousPeriod } from '../sources/newsletters/period.ts';
import { type Decimal, decimalOf, sum } from '../std/decimal.ts';
import { createSeededRandom, integerBelow } from '../std/random.ts';

/** Three towns that are on no map, with figures that follow from their codes: the same whenever they are made. */
export const towns = [
  { cui: '99900017', name: 'Orașul Valea Verde', countyName: 'Dealuri', population: 18_400 },
  { cui: '99900025', name: 'Municipiul Podul Vechi', countyName: 'Dealuri', population: 74_900 },
  { cui: '99900033', name: 'Comuna Trei Izvoare', countyName: 'Câmpia', population: 3_150 },
] as const;

const chapters = [
  ['51', 16],
  ['65', 31],
  ['68', 18],
  ['70', 14],
  ['84', 21],
] as const;

/** Months that can be told of, from the last that is over backwards. */
const monthsCount = 24;

export function sampleMonths(now: number): Period[] {
  const months = [previousPeriod('monthly', now)];
  while (months.length < monthsCount) months.push(periodBefore(months.at(-1) as Period));
  return months;
}

export function sampleBudget(months: readonly Period[]): BudgetEntry[] {
  const entities = towns.map((town): BudgetEntry => ({ kind: 'entity', entityType: 'uat', ...town }));
  return [...entities, ...towns.flatMap((town) => months.flatMap((month) => amountsOf(town, month)))];
}

function amountsOf({ cui, population }: (typeof towns)[number], { key, year, month }: Period): BudgetEntry[] {
  const random = createSeededRandom(Number(cui) + year * 12 + month);
  const around = (lei: number) => decimalOf(Math.round(lei * (80 + integerBelow(random, 40))));
  const spent = chapters.map(([chapter, share]) => ({ chapter, amount: around(population * share * 0.03) }));
  const of = (side: 'income' | 'expenses', chapter: string, amount: Decimal): BudgetEntry => ({
    ...{ kind: 'amount', cui, periodKey: key, side, chapter, chapterName: null, amount, currency: 'RON' },
  });
  return [
    of('income', '', around(population * 3.1)),
    of('expenses', '', sum(spent.map(({ amount }) => amount))),
    ...spent.map(({ chapter, amount }) => of('expenses', chapter, amount)),
  ];
}
