import {
  type BudgetData,
  type Dataset,
  type EntityReport,
  reportKey,
} from '../../src/sources/newsletters/budget/budget-data.ts';
import type { Decimal } from '../../src/std/decimal.ts';

/** Figures that the test decides: every entity has some, unless it is among the unknown, and questions fail while `failures` lasts. */
export interface FakeBudget extends BudgetData {
  unknown: Set<string>;
  /** Entities of which the figures cannot be had now. */
  broken: Set<string>;
  /** How often it was asked, and for how many. */
  asked: number[];
  values: Map<string, string>;
  known: Map<string, Dataset>;
}

export function createFakeBudget(): FakeBudget {
  const fake: FakeBudget = {
    ...{ unknown: new Set(), broken: new Set(), asked: [], values: new Map(), known: new Map() },
    async reports(wanted) {
      fake.asked.push(wanted.length);
      if (wanted.some(({ cui }) => fake.broken.has(cui))) throw new Error('the figures cannot be had now');
      return new Map(
        wanted
          .filter(({ cui }) => !fake.unknown.has(cui))
          .map((one) => [reportKey(one), reportOf(one.cui)] as const),
      );
    },
    async seriesValues(wanted) {
      return wanted.map(({ filter }) => {
        const value = fake.values.get(String(filter.seriesId));
        return value === undefined ? null : { value: value as Decimal, unit: 'RON' };
      });
    },
    async datasets(ids) {
      return new Map(ids.flatMap((id) => (fake.known.has(id) ? [[id, fake.known.get(id) as Dataset]] : [])));
    },
  };
  return fake;
}

const decimal = (text: string) => text as Decimal;

function reportOf(cui: string): EntityReport {
  return {
    ...{ cui, name: `Town hall ${cui}`, currency: 'RON', population: 1_000 },
    ...{ income: decimal('1974051153.44'), expenses: decimal('1522071111.01') },
    before: { income: decimal('1900000000.00'), expenses: decimal('1500000000.00') },
    yearToDate: null,
    topExpenses: [{ code: '51', name: 'Authorities', amount: decimal('500000000.00') }],
  };
}
