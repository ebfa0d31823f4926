import {
  absolute,
  compare,
  type Decimal,
  decimalOf,
  divide,
  percentChange,
  round,
  shift,
  signOf,
  toFixed,
} from '../../../std/decimal.ts';
import { lineOf } from '../../../std/one-line.ts';
import type { PeriodLocale } from '../period.ts';

/**
 * Figures as people read them, in Romanian and in English: `1,97 mld. RON`, `1.97B RON`. From decimals to texts without a float
 * between them, so that what is read is what was reported: rounded half away from zero, once, and only where it says less than all.
 */
const marks = { ro: { group: '.', point: ',' }, en: { group: ',', point: '.' } } as const;

/** Largest first: ten to the power of how many, and what they are called. */
const scales = {
  ro: [
    { places: 9, word: ' mld.' },
    { places: 6, word: ' mil.' },
    { places: 3, word: ' mii' },
  ],
  en: [
    { places: 9, word: 'B' },
    { places: 6, word: 'M' },
    { places: 3, word: 'K' },
  ],
} as const;

const thousand = decimalOf(1000);

/** In billions, millions or thousands where there are any, with two digits behind the point at most: `12,3 mii RON`. */
export function money(amount: Decimal, currency: string, locale: PeriodLocale): string {
  // By what would be read: 999,999.99 is a million, and not a thousand thousands.
  const scale = scales[locale].find(
    ({ places }) => compare(absolute(round(shift(amount, 3 - places), 2)), thousand) >= 0,
  );
  if (!scale) return fullMoney(amount, currency, locale);
  const scaled = number(round(shift(amount, -scale.places), 2), locale);
  const word = scale.word === ' mii' && /^-?1$/.test(scaled) ? ' mie' : scale.word;
  return `${scaled}${word} ${currency}`;
}

/** To the last hundredth: `6.574,49 RON`. */
export function fullMoney(amount: Decimal, currency: string, locale: PeriodLocale): string {
  return `${inMarks(toFixed(amount, 2), locale)} ${currency}`;
}

/** Undefined where nobody lives there. */
export function perHead(
  amount: Decimal,
  population: number,
  currency: string,
  locale: PeriodLocale,
): string | undefined {
  return population > 0 ? fullMoney(divide(amount, decimalOf(population), 2), currency, locale) : undefined;
}

/** With all digits that it has. */
export function number(decimal: Decimal, locale: PeriodLocale): string {
  return inMarks(decimal, locale);
}

export function percent(decimal: Decimal, locale: PeriodLocale): string {
  return `${number(decimal, locale)}${locale === 'ro' ? ' %' : '%'}`;
}

/** With its sign: `+4,2 %`. Undefined from zero, of which nothing is a share. */
export function change(from: Decimal, to: Decimal, locale: PeriodLocale): string | undefined {
  const changed = percentChange(from, to, 1);
  return changed === undefined ? undefined : withPlus(changed, percent(changed, locale));
}

/** A figure that says by its sign that something grew. */
export function withPlus(decimal: Decimal, text: string): string {
  return signOf(decimal) > 0 ? `+${text}` : text;
}

/** As far as a reader needs it; with `isExact`, to the last digit. */
export function valueInUnit(
  value: Decimal,
  unit: string,
  locale: PeriodLocale,
  { isExact = false } = {},
): string {
  const [, currency = '', isPerHead] = /^([A-Z]{3})(\/capita)?$/.exec(unit) ?? [];
  if (currency !== '' && isPerHead) {
    const text = isExact ? `${number(value, locale)} ${currency}` : fullMoney(value, currency, locale);
    return `${text} ${{ ro: 'pe locuitor', en: 'per capita' }[locale]}`;
  }
  if (currency !== '')
    return isExact ? `${number(value, locale)} ${currency}` : money(value, currency, locale);
  if (unit === '%') return percent(value, locale);
  if (unit === '% of GDP') return `${percent(value, locale)} ${{ ro: 'din PIB', en: 'of GDP' }[locale]}`;
  return `${number(value, locale)} ${lineOf(unit, 30)}`.trimEnd();
}

function inMarks(text: string, locale: PeriodLocale): string {
  const { group, point } = marks[locale];
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group);
  const figure = fraction === undefined ? grouped : `${grouped}${point}${fraction}`;
  return figure.length > figureMax ? `${figure.slice(0, figureMax - 1)}…` : figure;
}

/** What nobody reads to its end. A template would refuse it, and with it the mail. */
const figureMax = 45;
