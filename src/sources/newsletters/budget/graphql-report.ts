import { type Decimal, sum } from '../../../std/decimal.ts';
import { JsonNumber } from '../../../std/json-exact.ts';
import { type Frequency, monthKeys, type Period, periodBefore } from '../period.ts';
import type { EntityReport, Totals } from './budget-data.ts';
import { unexpectedAnswer } from './graphql-answer.ts';
import type { Question } from './graphql-client.ts';
import { yearToDateParts } from './known-figures.ts';

/**
 * An entity's figures, as the platform has them. Its totals of a period in which nothing was reported are zero, like those of one in
 * which nothing was spent; its trends have no point there. So the totals are believed where the trends have one.
 */
export function entityQuestion(cui: string, period: Period): Question {
  const of = { type: types[period.frequency] };
  const [first = period.key] = trendKeys(period);
  return {
    query: entityQuery,
    variables: {
      cui,
      period: { ...of, selection: { dates: [period.key] } },
      trend: { ...of, selection: { interval: { start: first, end: period.key } } },
    },
  };
}

/** The platform's words for lengths. */
export const types: Readonly<Record<Frequency, string>> = {
  monthly: 'MONTH',
  quarterly: 'QUARTER',
  yearly: 'YEAR',
};

const entityQuery = `query TidingsEntity($cui: ID!, $period: ReportPeriodInput!, $trend: ReportPeriodInput!) {
  entity(cui: $cui) {
    cui
    name
    is_uat
    default_report_type
    uat { population }
    totalIncome(period: $period)
    totalExpenses(period: $period)
    incomeTrend(period: $trend) { yAxis { unit } data { x y } }
    expensesTrend(period: $trend) { yAxis { unit } data { x y } }
  }
}`;

/** What an entity's answer says, but for its chapters, which are another question. */
export interface EntityAnswer {
  report: Omit<EntityReport, 'topExpenses'>;
  reportType: string | null;
}

/** Undefined where there is no such entity, or nothing is known of it in that period. */
export function readEntityAnswer(data: unknown, cui: string, period: Period): EntityAnswer | undefined {
  const { entity } = data as { entity?: unknown };
  if (entity === null) return undefined;
  const part = partIn(entity, 'an entity');
  const [income, expenses] = [trendOf(part.incomeTrend), trendOf(part.expensesTrend)];
  if (typeof part.name !== 'string') throw unexpectedAnswer("an entity's name", part.name);
  const totals = ownTotals(part, period, income, expenses);
  if (!totals) return undefined;
  const inBoth = (keys: readonly string[]) => totalsIn(keys, income, expenses);
  return {
    reportType: typeof part.default_report_type === 'string' ? part.default_report_type : null,
    report: {
      ...{ cui, name: part.name, currency: income.unit, ...totals },
      population: populationOf(part),
      before: inBoth([periodBefore(period).key]),
      yearToDate: inBoth(yearKeys(period)),
    },
  };
}

/** From the first that is asked for to the period itself, all of its length. */
function trendKeys(period: Period): string[] {
  return [...new Set([periodBefore(period).key, ...yearKeys(period)])].sort();
}

function yearKeys(period: Period): string[] {
  if (period.frequency === 'monthly') return monthKeys(period, 'january');
  return yearToDateParts(period).map(({ key }) => key);
}

interface Trend {
  unit: string;
  points: ReadonlyMap<string, Decimal>;
}

function trendOf(found: unknown): Trend {
  const { yAxis, data } = partIn(found, 'a trend');
  const { unit } = partIn(yAxis, 'a unit of a trend');
  if (typeof unit !== 'string' || !/^[A-Z]{3}$/.test(unit)) throw unexpectedAnswer('a currency', unit);
  if (!Array.isArray(data)) throw unexpectedAnswer('the points of a trend', data);
  const points = data.map((point) => {
    const { x, y } = partIn(point, 'a point of a trend');
    return [String(x), amountIn(y)] as const;
  });
  return { unit, points: new Map(points) };
}

function ownTotals(
  part: Readonly<Record<string, unknown>>,
  { key }: Period,
  income: Trend,
  expenses: Trend,
): Totals | undefined {
  if (!income.points.has(key) && !expenses.points.has(key)) return undefined;
  const [earned, spent] = [part.totalIncome, part.totalExpenses].map((amount) =>
    amount === null || amount === undefined ? undefined : amountIn(amount),
  );
  const totals = { income: earned ?? income.points.get(key), expenses: spent ?? expenses.points.get(key) };
  return totals.income === undefined || totals.expenses === undefined ? undefined : (totals as Totals);
}

function totalsIn(keys: readonly string[], income: Trend, expenses: Trend): Totals | null {
  const of = ({ points }: Trend) => {
    const amounts = keys.flatMap((key) => points.get(key) ?? []);
    return amounts.length === keys.length ? sum(amounts) : undefined;
  };
  const [earned, spent] = [of(income), of(expenses)];
  return earned === undefined || spent === undefined ? null : { income: earned, expenses: spent };
}

/** A school stands in a town, but does not have its people. */
function populationOf({ is_uat, uat }: Readonly<Record<string, unknown>>): number | null {
  const { population } = (uat ?? {}) as { population?: unknown };
  const count = population instanceof JsonNumber ? population.number : 0;
  return is_uat === true && Number.isSafeInteger(count) && count > 0 ? count : null;
}

export function amountIn(found: unknown): Decimal {
  const amount = found instanceof JsonNumber ? found.decimal : undefined;
  if (amount === undefined) throw unexpectedAnswer('an amount', found);
  return amount;
}

export function partIn(found: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof found === 'object' && found !== null && !Array.isArray(found) && !(found instanceof JsonNumber))
    return found as Record<string, unknown>;
  throw unexpectedAnswer(expected, found);
}
