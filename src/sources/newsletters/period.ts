/**
 * Periods, in UTC: a month (`2026-10`), a quarter (`2026-Q3`) or a year (`2026`). A mail tells of one that is over.
 */
export type Frequency = 'monthly' | 'quarterly' | 'yearly';

export interface Period {
  readonly key: string;
  readonly frequency: Frequency;
  readonly year: number;
  /** Of its first month, from 1. */
  readonly month: number;
  readonly months: number;
}

const lengths: Readonly<Record<Frequency, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
const yearMin = 1900;
const yearMax = 9998;

/** Undefined for what is none: `2026-13`, `2026-Q5`, `26-1`. */
export function parsePeriod(key: string): Period | undefined {
  const found = /^(\d{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])))?$/.exec(key);
  if (!found) return undefined;
  const year = Number(found[1]);
  if (year < yearMin || year > yearMax) return undefined;
  if (found[2] !== undefined) return periodOf('monthly', year, Number(found[2]));
  if (found[3] !== undefined) return periodOf('quarterly', year, Number(found[3]) * 3 - 2);
  return periodOf('yearly', year, 1);
}

function periodOf(frequency: Frequency, year: number, month: number): Period {
  const key = {
    monthly: `${year}-${String(month).padStart(2, '0')}`,
    quarterly: `${year}-Q${(month + 2) / 3}`,
    yearly: `${year}`,
  }[frequency];
  return { key, frequency, year, month, months: lengths[frequency] };
}

/** The last one that was over at this moment (002-P4-03). */
export function previousPeriod(frequency: Frequency, now: number): Period {
  const date = new Date(now);
  return wholeBefore(frequency, date.getUTCFullYear() * 12 + date.getUTCMonth());
}

/** The last one that was over when this one was: the year 2025 for October 2026, and 2026 for December (8.21). */
export function lastWholeWithin(frequency: Frequency, { year, month, months }: Period): Period {
  return wholeBefore(frequency, year * 12 + month - 1 + months);
}

/** The one of the same length that came before. */
export function periodBefore({ frequency, year, month }: Period): Period {
  return wholeBefore(frequency, year * 12 + month - 1);
}

/** From a month that has just begun, counted from the year 0, backwards. */
function wholeBefore(frequency: Frequency, monthIndex: number): Period {
  const length = lengths[frequency];
  const start = Math.floor(monthIndex / length) * length - length;
  return periodOf(frequency, Math.floor(start / 12), (start % 12) + 1);
}

/** Its months, and with `fromJanuary` all of its year up to its end. */
export function monthKeys({ year, month, months }: Period, from: 'its start' | 'january'): string[] {
  const first = from === 'january' ? 1 : month;
  return Array.from({ length: month + months - first }, (_, index) =>
    periodOf('monthly', year, first + index),
  ).map(({ key }) => key);
}

export type PeriodLocale = 'en' | 'ro';

/** As it is read: `octombrie 2026`, `Q3 2026`, `trimestrul III 2026`. */
export function periodLabel({ frequency, year, month }: Period, locale: PeriodLocale): string {
  if (frequency === 'yearly') return String(year);
  if (frequency === 'quarterly') {
    const quarter = (month + 2) / 3;
    return locale === 'ro'
      ? `trimestrul ${['I', 'II', 'III', 'IV'][quarter - 1]} ${year}`
      : `Q${quarter} ${year}`;
  }
  return monthFormat(locale).format(Date.UTC(year, month - 1, 1));
}

// Made once, and only where one is asked for: to make one takes longer than to write a whole mail's labels.
const formats = new Map<PeriodLocale, Intl.DateTimeFormat>();

function monthFormat(locale: PeriodLocale): Intl.DateTimeFormat {
  const known = formats.get(locale);
  if (known) return known;
  const tag = { en: 'en-GB', ro: 'ro-RO' }[locale];
  const made = new Intl.DateTimeFormat(tag, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  formats.set(locale, made);
  return made;
}
