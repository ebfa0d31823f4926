import type { Decimal } from '../../../std/decimal.ts';
import { lineOf, paragraphsOf } from '../../../std/one-line.ts';
import type { SeriesValue } from '../budget/budget-data.ts';
import { type Period, type PeriodLocale, periodLabel } from '../period.ts';
import type { JudgedCondition } from './alert-verdict.ts';
import { commonProps, type MailLinks } from './mail-links.ts';
import { valueInUnit } from './readable.ts';

/** From a series' value and what its conditions came to, to what the template `alert-series` shows. Pure. */
export interface AlertOrder {
  /** As its owner, or the dataset, calls it; by language. */
  titles: Readonly<Record<string, string>>;
  description: string;
  value: SeriesValue;
  conditions: readonly JudgedCondition[];
  period: Period;
  locale: PeriodLocale;
  links: MailLinks & { seriesUrl: string };
  isPreview?: boolean;
}

const conditionsMax = 20;

export function alertProps(order: AlertOrder) {
  const { titles, value, conditions, period, locale, links, isPreview = false } = order;
  const description = paragraphsOf(order.description, 2000);
  const thresholds = conditions.slice(0, conditionsMax).map(({ threshold }) => threshold);
  const [actualValue = '', ...shown] = distinctly([value.value, ...thresholds], value.unit, locale);
  return {
    title: titleOf(titles, locale),
    ...(description !== '' && { description }),
    periodLabel: periodLabel(period, locale),
    actualValue,
    conditions: conditions.slice(0, conditionsMax).map(({ operator, isMet }, index) => ({
      ...{ operator, threshold: shown[index] ?? '', actualValue, isMet: String(isMet) as 'true' | 'false' },
    })),
    ...(links.seriesUrl !== '' && { seriesUrl: links.seriesUrl }),
    ...commonProps(links, { isPreview }),
  };
}

/** In the reader's language if it has that, and otherwise in any. */
function titleOf(titles: Readonly<Record<string, string>>, locale: PeriodLocale): string {
  const known = [titles[locale], titles.ro, titles.en, ...Object.values(titles)];
  const title = known.map((text) => lineOf(text, 300)).find((text) => text !== '');
  return title ?? { ro: 'Alertă bugetară', en: 'Budget alert' }[locale];
}

/** "1 mld. RON is more than 1 mld. RON" would be nonsense: where two that differ would look the same, all are shown in full. */
function distinctly(values: readonly Decimal[], unit: string, locale: PeriodLocale): string[] {
  const short = values.map((value) => valueInUnit(value, unit, locale));
  if (new Set(short).size === new Set(values).size) return short;
  return values.map((value) => valueInUnit(value, unit, locale, { isExact: true }));
}
