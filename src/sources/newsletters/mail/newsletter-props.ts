import {
  absolute,
  compare,
  type Decimal,
  decimalOf,
  percentOf,
  signOf,
  subtract,
  toFixed,
  zero,
} from '../../../std/decimal.ts';
import { lineOf } from '../../../std/one-line.ts';
import type { EntityReport, Totals } from '../budget/budget-data.ts';
import { chapterName } from '../budget/chapters.ts';
import { type Period, type PeriodLocale, parsePeriod, periodBefore, periodLabel } from '../period.ts';
import { commonProps, type MailLinks } from './mail-links.ts';
import { change, money, percent, perHead, withPlus } from './readable.ts';

/** From an entity's figures to what the template `newsletter-entity` shows. Pure: the same report is the same mail. */
export interface NewsletterOrder {
  report: EntityReport;
  period: Period;
  locale: PeriodLocale;
  /** `entityUrl` has `{cui}` in it, or is empty. */
  links: MailLinks & { entityUrl: string };
  isPreview?: boolean;
}

export function newsletterProps(order: NewsletterOrder) {
  const { report, period, locale, links, isPreview = false } = order;
  const { income, expenses, currency } = report;
  const larger = compare(income, expenses) > 0 ? income : expenses;
  const balance = balanceOf(report);
  return {
    entityName: lineOf(report.name, 300),
    entityCui: lineOf(report.cui, 20),
    periodType: period.frequency,
    periodLabel: periodLabel(period, locale),
    totalIncome: money(income, currency, locale),
    totalExpenses: money(expenses, currency, locale),
    budgetBalance: money(balance, currency, locale),
    balanceSign: { '-1': 'deficit', '0': 'even', '1': 'surplus' }[`${signOf(balance)}`],
    incomeShare: wholeShare(income, larger),
    expensesShare: wholeShare(expenses, larger),
    ...optional('changes', changesOf(order)),
    ...optional('yearToDate', yearToDateOf(order)),
    ...optional('perHead', perHeadOf(order)),
    ...optional('topExpenses', topExpensesOf(order)),
    ...(links.entityUrl !== '' && {
      entityUrl: links.entityUrl.replaceAll('{cui}', encodeURIComponent(report.cui)),
    }),
    ...commonProps(links, { isPreview }),
  };
}

const balanceOf = ({ income, expenses }: Totals) => subtract(income, expenses);

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

function changesOf({ report, period, locale }: NewsletterOrder) {
  const { before, currency } = report;
  if (!before) return undefined;
  const [was, is] = [balanceOf(before), balanceOf(report)];
  const changes = {
    ...optional('income', change(before.income, report.income, locale)),
    ...optional('expenses', change(before.expenses, report.expenses, locale)),
    ...optional('balance', balanceChange(was, is, currency, locale)),
  };
  if (Object.keys(changes).length === 0) return undefined;
  return { ...changes, beforeLabel: periodLabel(periodBefore(period), locale) };
}

/** Where a surplus became a deficit, or the other way round, percent would say nothing: so much money. */
function balanceChange(
  was: Decimal,
  is: Decimal,
  currency: string,
  locale: PeriodLocale,
): string | undefined {
  if (signOf(was) * signOf(is) >= 0) return change(was, is, locale);
  const difference = subtract(is, was);
  return withPlus(difference, money(difference, currency, locale));
}

/** A period that begins in January is its year so far. */
function yearToDateOf({ report, period, locale }: NewsletterOrder) {
  const { yearToDate, currency } = report;
  if (!yearToDate || period.month === 1) return undefined;
  const { income, expenses } = yearToDate;
  return {
    income: money(income, currency, locale),
    expenses: money(expenses, currency, locale),
    balance: money(balanceOf(yearToDate), currency, locale),
    label: upToLabel(period, locale),
  };
}

/** `ianuarie–octombrie 2026`. */
function upToLabel({ year, month, months }: Period, locale: PeriodLocale): string {
  const [first, last] = [1, month + months - 1].map((number) => {
    const key = `${year}-${String(number).padStart(2, '0')}`;
    const period = parsePeriod(key);
    return period ? periodLabel(period, locale) : key;
  }) as [string, string];
  return `${first.replace(` ${year}`, '')}–${last}`;
}

function perHeadOf({ report, locale }: NewsletterOrder) {
  const { population, currency } = report;
  const of = (amount: Decimal) => perHead(amount, population ?? 0, currency, locale);
  const [income, expenses, balance] = [of(report.income), of(report.expenses), of(balanceOf(report))];
  if (income === undefined || expenses === undefined || balance === undefined) return undefined;
  return { income, expenses, balance };
}

function topExpensesOf({ report, locale }: NewsletterOrder) {
  const { topExpenses, expenses, currency } = report;
  const largest = topExpenses[0]?.amount ?? zero;
  if (signOf(expenses) <= 0 || signOf(largest) <= 0) return undefined;
  return topExpenses.slice(0, 5).map(({ code, name, amount }) => ({
    name: lineOf((locale === 'en' && chapterName(code, 'en')) || name, 200),
    amount: money(amount, currency, locale),
    share: shareText(amount, expenses, locale),
    bar: wholeShare(amount, largest),
  }));
}

/** What is too small for a whole percent is not nothing. */
function shareText(amount: Decimal, whole: Decimal, locale: PeriodLocale): string {
  const share = percentOf(amount, whole, 0);
  if (share !== zero || signOf(amount) === 0) return percent(share, locale);
  return `<${percent(decimalOf(1), locale)}`;
}

/** From 0 to 100, for the length of a bar. */
function wholeShare(part: Decimal, whole: Decimal): string {
  if (signOf(whole) <= 0 || signOf(part) <= 0) return '0';
  return toFixed(percentOf(compare(absolute(part), whole) > 0 ? whole : part, whole, 0), 0);
}
