/**
 * A decimal, exact to its last digit: an optional sign, digits, and behind a point as many as it needs. Never a float. Each value has
 * one spelling (no zeros before or behind it that say nothing, no minus before zero), so that equal ones are equal texts. What is
 * not exact says to how many digits it is rounded: half away from zero, as people do it with money.
 */
export type Decimal = string & { readonly decimal: true };

export const zero = '0' as Decimal;

/** Undefined for what is none, and for what has more digits than any amount. Exponents are read, as JSON may have them: `1.2e3`. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > charactersMax) return undefined;
  const found = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!found) return undefined;
  const [, minus = '', whole = '', fraction = '', exponent = '0'] = found;
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  if (units === 0n) return zero;
  if (Math.abs(scale) > digitsMax) return undefined;
  const decimal = decimalFrom({ units: minus === '-' ? -units : units, scale });
  return decimal.replace(/[-.]/g, '').length > digitsMax ? undefined : decimal;
}

/** More than any sum of money has. Without a bound, `1e9999` would be a long text, and sums of such ones slow. */
const digitsMax = 100;
const charactersMax = 200;

/** Of what is known to be one: a whole number, or a text that was one when it was written down. */
export function decimalOf(value: string | number | bigint): Decimal {
  const decimal =
    typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : parseDecimal(`${value}`);
  if (decimal === undefined)
    throw new RangeError(`not a decimal: ${JSON.stringify(String(value).slice(0, 60))}`);
  return decimal;
}

export function add(one: Decimal, other: Decimal): Decimal {
  const [a, b, scale] = aligned(one, other);
  return decimalFrom({ units: a + b, scale });
}

export function subtract(one: Decimal, other: Decimal): Decimal {
  const [a, b, scale] = aligned(one, other);
  return decimalFrom({ units: a - b, scale });
}

/** Zero for none. */
export function sum(decimals: readonly Decimal[]): Decimal {
  return decimals.reduce(add, zero);
}

/** Negative, zero or positive, as the first is less, equal or more. */
export function compare(one: Decimal, other: Decimal): -1 | 0 | 1 {
  const [a, b] = aligned(one, other);
  return a < b ? -1 : a > b ? 1 : 0;
}

export function signOf(decimal: Decimal): -1 | 0 | 1 {
  return decimal === zero ? 0 : decimal.startsWith('-') ? -1 : 1;
}

export function absolute(decimal: Decimal): Decimal {
  return (signOf(decimal) < 0 ? decimal.slice(1) : decimal) as Decimal;
}

/** Times ten to the power of `places`, exactly. */
export function shift(decimal: Decimal, places: number): Decimal {
  const { units, scale } = partsOf(decimal);
  return decimalFrom({ units, scale: scale - places });
}

/** Rounded to so many digits behind the point. By zero it is a bug: whoever divides looks first. */
export function divide(dividend: Decimal, divisor: Decimal, digits: number): Decimal {
  const [over, under] = aligned(dividend, divisor);
  if (under === 0n) throw new RangeError('division by zero');
  const numerator = magnitude(over) * 10n ** BigInt(digits);
  const denominator = magnitude(under);
  const rounded = (2n * numerator + denominator) / (2n * denominator);
  return decimalFrom({ units: over < 0n === under < 0n ? rounded : -rounded, scale: digits });
}

export function round(decimal: Decimal, digits: number): Decimal {
  return divide(decimal, one, digits);
}

/** With exactly so many digits behind the point, as a text that is read: `1.50`. */
export function toFixed(decimal: Decimal, digits: number): string {
  const [whole = '', fraction = ''] = round(decimal, digits).split('.');
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
}

/** How much of the whole a part is, in percent. */
export function percentOf(part: Decimal, whole: Decimal, digits: number): Decimal {
  return divide(shift(part, 2), whole, digits);
}

/** From a debt of 100 to a debt of 50 is +50: up is always up. Undefined from zero, of which nothing is a share. */
export function percentChange(from: Decimal, to: Decimal, digits: number): Decimal | undefined {
  return from === zero ? undefined : percentOf(subtract(to, from), absolute(from), digits);
}

const one = '1' as Decimal;

/** So many units, each ten to the power of minus `scale`. */
interface Parts {
  units: bigint;
  scale: number;
}

function partsOf(decimal: Decimal): Parts {
  const point = decimal.indexOf('.');
  return point < 0
    ? { units: BigInt(decimal), scale: 0 }
    : { units: BigInt(decimal.replace('.', '')), scale: decimal.length - point - 1 };
}

/** Both in units of the finer one. */
function aligned(one: Decimal, other: Decimal): [bigint, bigint, number] {
  const [a, b] = [partsOf(one), partsOf(other)];
  const scale = Math.max(a.scale, b.scale);
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale];
}

function decimalFrom({ units, scale }: Parts): Decimal {
  const digits = scale < 0 ? magnitude(units) * 10n ** BigInt(-scale) : magnitude(units);
  const places = Math.max(0, scale);
  const text = digits.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const fraction = text.slice(text.length - places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : '.'}${fraction}` as Decimal;
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}
