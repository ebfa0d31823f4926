import { add, type Decimal, decimalOf, divide, sum } from '../../../std/decimal.ts';
import type { Period } from '../period.ts';
import type { SeriesValue } from './budget-data.ts';
import type { Account, KnownFigures, Side } from './known-figures.ts';
import { readSeriesFilter, type SeriesFilter } from './series-filter.ts';

/**
 * A series out of what was imported. The local store knows entities, sides and chapters: a filter that asks for more than these is
 * told so, never answered by a part of it.
 */
export interface LocalSeries {
  side: Side;
  cuis: readonly string[];
  /** Beginnings of chapter codes, and whole ones; null for the total. */
  chapters: { prefixes: readonly string[]; codes: readonly string[] } | null;
  currency: string;
  isPerHead: boolean;
}

export function localSeriesOf(given: SeriesFilter): LocalSeries | { problem: string } {
  const read = readSeriesFilter(given);
  if ('problem' in read) return read;
  const { filter } = read;
  const beyond = Object.keys(filter).find((name) => !answerable(name, filter[name]));
  if (beyond !== undefined) return { problem: `${beyond} is more than the imported budgets know.` };
  const list = (name: string) => (filter[name] ?? []) as string[];
  const cuis = [...new Set(list('entity_cuis'))];
  if (cuis.length === 0) return { problem: 'entity_cuis must name the entities whose budgets are meant.' };
  const chapters = { prefixes: list('functional_prefixes'), codes: list('functional_codes') };
  return {
    side: filter.account_category === 'vn' ? 'income' : 'expenses',
    cuis,
    chapters: chapters.prefixes.length + chapters.codes.length > 0 ? chapters : null,
    currency: (filter.currency as string | undefined) ?? 'RON',
    isPerHead: filter.normalization === 'per_capita',
  };
}

function answerable(name: string, value: unknown): boolean {
  switch (name) {
    case 'account_category':
    case 'entity_cuis':
    case 'functional_prefixes':
    case 'functional_codes':
    case 'currency':
    case 'report_type': // There is one report of each period.
      return true;
    case 'normalization':
      return value === 'total' || value === 'per_capita';
    default:
      // What leaves everything as it is may stand there.
      return value === false || (typeof value === 'object' && Object.values(value ?? {}).flat().length === 0);
  }
}

/** Null where one of its entities has no figure: the sum of the others would be another series. */
export function valueOfSeries(
  { side, cuis, chapters, currency, isPerHead }: LocalSeries,
  period: Period,
  figures: KnownFigures,
  populations: ReadonlyMap<string, number | null>,
): SeriesValue | null {
  let total: Decimal = decimalOf(0);
  for (const cui of cuis) {
    const account = { cui, side, currency };
    const own = chapters ? ofChapters(figures, account, period, chapters) : figures.total(account, period);
    if (own === undefined) return null;
    total = add(total, own);
  }
  if (!isPerHead) return { value: total, unit: currency };
  const heads = cuis.map((cui) => populations.get(cui) ?? 0);
  if (heads.some((count) => count <= 0)) return null;
  const value = divide(total, sum(heads.map(decimalOf)), 2);
  return { value, unit: `${currency}/capita` };
}

function ofChapters(
  figures: KnownFigures,
  account: Account,
  period: Period,
  { prefixes, codes }: NonNullable<LocalSeries['chapters']>,
): Decimal | undefined {
  const own = (figures.chapters(account, period) ?? []).filter(
    ({ code }) => codes.includes(code) || prefixes.some((prefix) => code.startsWith(prefix)),
  );
  return own.length === 0 ? undefined : sum(own.map(({ amount }) => amount));
}
