import type { Decimal } from '../../../std/decimal.ts';

/**
 * A threshold, exact to its last digit, in the one spelling that it has: so that `10`, `"10.0"` and `"+010"` are one wish. A number in
 * JSON keeps fifteen digits at least; with more it may already be another one than was written, and is sent as a text instead.
 */
export type ReadThreshold = { threshold: Decimal } | { problem: string };

/** The largest budgets have fourteen digits before the point; what is shown in a mail has room for these. */
const wholeDigitsMax = 18;
const fractionDigitsMax = 10;
const exactDigitsMax = 15;

export function readThreshold(given: unknown): ReadThreshold {
  if (typeof given !== 'number' && typeof given !== 'string')
    return { problem: 'must be a decimal, as a number or as a text like "1234.50"' };
  if (typeof given === 'number' && !Number.isFinite(given)) return { problem: 'must be a finite number' };
  const text = typeof given === 'number' ? writtenOut(given) : given.trim();
  const found = /^([+-]?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text);
  if (!found) return { problem: 'must be a decimal like 1234.50, without signs between its digits' };
  const [, sign, wholeDigits = '', fractionDigits = ''] = found;
  const whole = wholeDigits.replace(/^0+(?=\d)/, '');
  const fraction = fractionDigits.replace(/0+$/, '');
  if (typeof given === 'number' && !isExact(given))
    return { problem: 'has more digits than a number in JSON keeps; send it as a text' };
  if (whole.length > wholeDigitsMax || fraction.length > fractionDigitsMax) {
    return {
      problem: `must have at most ${wholeDigitsMax} digits before the point and ${fractionDigitsMax} behind it`,
    };
  }
  const size = fraction === '' ? whole : `${whole}.${fraction}`;
  return { threshold: (sign === '-' && size !== '0' ? `-${size}` : size) as Decimal };
}

/** Whether a number in JSON is still the one that was written: with more digits than these it may be its neighbour. */
export function isExact(given: number): boolean {
  return Number.isFinite(given) && significant(writtenOut(given).replace(/[-.]/g, '')) <= exactDigitsMax;
}

const significant = (digits: string) => digits.replace(/^0+/, '').replace(/0+$/, '').length;

/** As digits: from 1e21 on, and below 1e-6, numbers come with an exponent. */
function writtenOut(number: number): string {
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(number));
  if (!found) return String(number);
  const [, sign = '', first = '', rest = '', exponent] = found;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  return point > 0
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}0.${'0'.repeat(-point)}${digits}`.slice(0, 100);
}
