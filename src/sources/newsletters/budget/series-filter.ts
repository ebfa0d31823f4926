/**
 * The platform's own filter of a series, in its own words. People's alerts keep it as the platform's pages wrote it, in either
 * spelling of its names; what it cannot mean is told here, so that one filter that nobody understands spoils no question for others.
 */
export type SeriesFilter = Readonly<Record<string, unknown>>;

export type ReadFilter = { filter: SeriesFilter } | { problem: string };

/** The period is the alert's own, and stands in no filter. */
export function readSeriesFilter(given: SeriesFilter): ReadFilter {
  const { report_period: _, ...filter } = inSnakeCase(given);
  const problem = problemIn(filter, members, '');
  if (problem !== undefined) return { problem };
  return isCategory(filter.account_category)
    ? { filter }
    : { problem: 'account_category must be vn, for income, or ch, for expenses.' };
}

function inSnakeCase(given: SeriesFilter): Record<string, unknown> {
  const entries = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const ours = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [ours, ours === 'exclude' && isObject(value) ? inSnakeCase(value) : value] as const;
    });
  return Object.fromEntries(entries);
}

type Check = (value: unknown) => boolean;

const isObject: (value: unknown) => value is SeriesFilter = (value): value is SeriesFilter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string' && value.length <= 200;
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= 1000 && value.every(check);
const isId: Check = (value) => isText(value) || Number.isSafeInteger(value);
const isCategory = isOneOf('vn', 'ch');

/** The enums of the platform's schema; an unknown word in one of them would refuse all that is asked with it. */
const shared: Readonly<Record<string, Check>> = {
  main_creditor_cui: isText,
  report_ids: isListOf(isId),
  entity_cuis: isListOf(isText),
  functional_codes: isListOf(isText),
  functional_prefixes: isListOf(isText),
  economic_codes: isListOf(isText),
  economic_prefixes: isListOf(isText),
  funding_source_ids: isListOf(isId),
  budget_sector_ids: isListOf(isId),
  expense_types: isListOf(isOneOf('dezvoltare', 'functionare')),
  program_codes: isListOf(isText),
  county_codes: isListOf(isText),
  regions: isListOf(isText),
  uat_ids: isListOf(isId),
  entity_types: isListOf(isText),
  tags: isListOf(isText),
};

const members: Readonly<Record<string, Check>> = {
  ...shared,
  account_category: isCategory,
  report_type: isOneOf('PRINCIPAL_AGGREGATED', 'SECONDARY_AGGREGATED', 'DETAILED'),
  is_uat: isBoolean,
  search: isText,
  min_population: Number.isSafeInteger,
  max_population: Number.isSafeInteger,
  aggregate_min_amount: isNumber,
  aggregate_max_amount: isNumber,
  item_min_amount: isNumber,
  item_max_amount: isNumber,
  normalization: isOneOf('total', 'total_euro', 'per_capita', 'per_capita_euro', 'percent_gdp'),
  inflation_adjusted: isBoolean,
  currency: isOneOf('RON', 'EUR', 'USD'),
  show_period_growth: isBoolean,
  exclude: (value) => isObject(value) && problemIn(value, shared, 'exclude.') === undefined,
};

/** As a document names them. */
export const filterNames: readonly string[] = Object.keys(members);

function problemIn(
  filter: SeriesFilter,
  known: Readonly<Record<string, Check>>,
  path: string,
): string | undefined {
  for (const [name, value] of Object.entries(filter)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    const shown = `${path}${name.slice(0, 60)}`;
    if (!check) return `There is no ${shown} in a filter.`;
    if (!check(value)) return `${shown} cannot be ${(JSON.stringify(value) ?? 'that').slice(0, 80)}.`;
  }
  return undefined;
}
