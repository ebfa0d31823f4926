import { type Decimal, decimalOf, sum } from '../../../std/decimal.ts';
import { monthKeys, type Period, parsePeriod } from '../period.ts';
import type { Chapter } from './chapters.ts';

/**
 * What imported amounts add up to. Pure. A period's own lines hold: the total, which is the chapter '', or without one the sum of its
 * chapters. A quarter or a year that has none is the sum of its months or quarters if all of them are known. Of a side on which
 * nothing was imported nothing is known: that is not zero.
 */
export interface AmountLine {
  cui: string;
  period_key: string;
  side: Side;
  chapter: string;
  chapter_name: string | null;
  amount: string;
  currency: string;
}

export type Side = 'income' | 'expenses';

/** One side of one entity's budget, in one currency: amounts in several are never added up. */
export interface Account {
  cui: string;
  side: Side;
  currency: string;
}

export interface KnownFigures {
  total(account: Account, period: Period): Decimal | undefined;
  /** Undefined where amounts are known by their total alone, in whichever part of the period. */
  chapters(account: Account, period: Period): readonly Chapter[] | undefined;
  /** In which amounts of this entity are kept; lei first. */
  currencies(cui: string): readonly string[];
}

export function knownFigures(lines: readonly AmountLine[]): KnownFigures {
  const byKey = new Map<string, AmountLine[]>();
  const currencies = new Map<string, Set<string>>();
  for (const line of lines) {
    const key = keyOf(line, line.period_key);
    const own = byKey.get(key);
    if (own) own.push(line);
    else byKey.set(key, [line]);
    const used = currencies.get(line.cui) ?? new Set();
    currencies.set(line.cui, used.add(line.currency));
  }

  function total(account: Account, period: Period): Decimal | undefined {
    const own = byKey.get(keyOf(account, period.key));
    if (!own) return added(partsOf(period).map((part) => total(account, part)));
    const whole = own.find(({ chapter }) => chapter === '');
    return whole ? decimalOf(whole.amount) : sum(own.map(({ amount }) => decimalOf(amount)));
  }

  function chapters(account: Account, period: Period): readonly Chapter[] | undefined {
    const own = (byKey.get(keyOf(account, period.key)) ?? []).filter(({ chapter }) => chapter !== '');
    if (own.length > 0) return own.map(chapterOf);
    const parts = partsOf(period).map((part) => chapters(account, part));
    return parts.length > 0 && parts.every((part) => part !== undefined) ? merged(parts.flat()) : undefined;
  }

  return {
    total,
    chapters,
    currencies: (cui) => [...(currencies.get(cui) ?? [])].sort(leiFirst),
  };
}

const keyOf = ({ cui, side, currency }: Account, periodKey: string) =>
  `${cui} ${side} ${currency} ${periodKey}`;

const leiFirst = (one: string, other: string) =>
  Number(other === 'RON') - Number(one === 'RON') || (one < other ? -1 : 1);

const chapterOf = ({ chapter, chapter_name, amount }: AmountLine): Chapter => ({
  ...{ code: chapter, name: chapter_name, amount: decimalOf(amount) },
});

function added(amounts: readonly (Decimal | undefined)[]): Decimal | undefined {
  return amounts.length > 0 && amounts.every((amount) => amount !== undefined) ? sum(amounts) : undefined;
}

/** The last name that a chapter was given is its name. */
function merged(chapters: readonly Chapter[]): Chapter[] {
  const byCode = new Map<string, Chapter>();
  for (const { code, name, amount } of chapters) {
    const sofar = byCode.get(code);
    byCode.set(code, {
      ...{ code, name: name ?? sofar?.name ?? null },
      amount: sofar ? sum([sofar.amount, amount]) : amount,
    });
  }
  return [...byCode.values()];
}

/** What it may be added up from: the quarters of a year, the months of a quarter. */
export function partsOf(period: Period): Period[] {
  if (period.frequency === 'yearly')
    return keyed([1, 2, 3, 4].map((quarter) => `${period.year}-Q${quarter}`));
  return period.frequency === 'quarterly' ? keyed(monthKeys(period, 'its start')) : [];
}

/** The year up to a period's end in as few parts as may be: whole quarters, and the months behind them. */
export function yearToDateParts(period: Period): Period[] {
  if (period.frequency === 'yearly') return [period];
  const months = monthKeys(period, 'january');
  const quarters = Math.floor(months.length / 3);
  return keyed([
    ...Array.from({ length: quarters }, (_, index) => `${period.year}-Q${index + 1}`),
    ...months.slice(quarters * 3),
  ]);
}

function keyed(keys: readonly string[]): Period[] {
  return keys.flatMap((key) => parsePeriod(key) ?? []);
}
