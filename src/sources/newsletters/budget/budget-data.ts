import type { Decimal } from '../../../std/decimal.ts';
import type { Frequency, Period } from '../period.ts';

/**
 * What is known of budgets: an entity's figures in a period, the value of a series, and static datasets. A question that has no
 * answer is answered by its absence; what cannot be asked now is thrown, and asked again later. All questions come for a batch.
 */
export interface BudgetData {
  /** By `reportKey`; those of which nothing is known in that period are not in it. */
  reports(wanted: readonly ReportWanted[]): Promise<ReadonlyMap<string, EntityReport>>;
  /** In the order of the question; null where the series has no value in that period. */
  seriesValues(wanted: readonly SeriesWanted[]): Promise<readonly (SeriesValue | null)[]>;
  /** Why a series can never be told, whatever is imported or answered; undefined where it can be asked for. */
  filterProblem?(filter: SeriesWanted['filter']): string | undefined;
  /** By id; those that nobody knows are not in it. */
  datasets(ids: readonly string[]): Promise<ReadonlyMap<string, Dataset>>;
  /** Where somebody else is asked: why they cannot be, if they cannot. For an operator. */
  probe?(): Promise<string | undefined>;
  close?(): Promise<void>;
}

export interface ReportWanted {
  cui: string;
  period: Period;
}

export const reportKey = ({ cui, period }: ReportWanted) => `${cui} ${period.key}`;

export interface Totals {
  income: Decimal;
  expenses: Decimal;
}

export interface EntityReport extends Totals {
  cui: string;
  name: string;
  currency: string;
  /** Null where nobody knows how many live there, or nobody does. */
  population: number | null;
  /** Of the period before; null where nothing is known of it. */
  before: Totals | null;
  /** From January to the end of the period; null where months of it are not known. */
  yearToDate: Totals | null;
  /** The largest chapters of its expenses, largest first, at most five. */
  topExpenses: readonly { code: string; name: string; amount: Decimal }[];
}

export interface SeriesWanted {
  /** As the platform's own filter: what it means is the data source's business. */
  filter: Readonly<Record<string, unknown>>;
  period: Period;
}

export interface SeriesValue {
  value: Decimal;
  unit: string;
}

export interface Dataset {
  id: string;
  frequency: Frequency;
  unit: string;
  /** By language. */
  titles: Readonly<Record<string, string>>;
  /** By period key. */
  values: ReadonlyMap<string, Decimal>;
}
