import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absolute,
  add,
  compare,
  decimalOf,
  divide,
  parseDecimal,
  percentChange,
  percentOf,
  round,
  shift,
  signOf,
  subtract,
  sum,
  toFixed,
  zero,
} from './decimal.ts';

const d = (text: string) => decimalOf(text);

/** A model: so many hundred-millionths. Everything that is made here has at most eight digits behind the point. */
const places = 8;
const modelOf = (decimal: string): bigint => {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return decimal.startsWith('-') ? -units : units;
};
const spelt = (units: bigint, scale: number) => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const at = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, at)}${scale > 0 ? '.' : ''}${digits.slice(at)}`;
};
const written = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: places }))
  .map(([units, scale]) => spelt(units, scale));
const decimals = fc.oneof(written, fc.constantFrom('0', '1', '-1', '0.5', '-0.5', '999.995')).map(d);
const canonical = /^(?:0|-?(?:[1-9]\d*|0(?=\.))(?:\.\d*[1-9])?)$/;

describe('parseDecimal', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['0.00', '0'],
    ['0e9999', '0'],
    ['0.60', '0.6'],
    ['-0.6', '-0.6'],
    ['+12', '12'],
    ['007.50', '7.5'],
    ['100', '100'],
    ['1972345678.95', '1972345678.95'],
    ['1.2e3', '1200'],
    ['1.25E+1', '12.5'],
    ['-15e-1', '-1.5'],
    ['12e-5', '0.00012'],
    ['1e99', `1${'0'.repeat(99)}`],
    ['9007199254740993.1', '9007199254740993.1'],
  ])('%s is %s', (text, decimal) => {
    expect(parseDecimal(text)).toBe(decimal);
  });

  test.each([
    ...[
      '',
      ' ',
      '-',
      '+',
      '.',
      '.5',
      '5.',
      '--1',
      '1,5',
      '1.234,56',
      '1 000',
      ' 1',
      '1 ',
      '1\n',
      'NaN',
      'Infinity',
    ],
    ...[
      '0x10',
      '1e',
      '1e5.5',
      '1e+',
      'e5',
      '1_000',
      '１',
      '1e99999',
      '1e101',
      '1e-101',
      `1${'0'.repeat(100)}`,
    ],
    ...[`0.${'0'.repeat(150)}1`, '9'.repeat(1_000_000), '1e100'],
  ])('%.20j is none', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  test('whatever is one has one spelling, and keeps its value', () => {
    fc.assert(
      fc.property(written, (text) => {
        const decimal = d(text);
        expect(decimal).toMatch(canonical);
        expect(modelOf(decimal)).toBe(modelOf(text));
        expect(parseDecimal(decimal)).toBe(decimal);
      }),
    );
  });

  test('every finite number is read as JSON writes it, or is too long', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const decimal = parseDecimal(JSON.stringify(number));
        const isShort = number === 0 || (Math.abs(number) < 1e80 && Math.abs(number) > 1e-80);
        if (isShort || decimal !== undefined) expect(Number(decimal)).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});

test('decimalOf takes whole numbers, and throws what is a bug', () => {
  expect(decimalOf(300_000)).toBe('300000');
  expect(decimalOf(-5n)).toBe('-5');
  for (const wrong of [0.1, Number.NaN, 2 ** 60, 'abc', ''])
    expect(() => decimalOf(wrong)).toThrow(/not a decimal/);
});

describe('against a model of whole numbers', () => {
  test('add, subtract, sum and compare', () => {
    fc.assert(
      fc.property(decimals, decimals, decimals, (a, b, c) => {
        const [x, y, z] = [modelOf(a), modelOf(b), modelOf(c)];
        expect(modelOf(add(a, b))).toBe(x + y);
        expect(modelOf(subtract(a, b))).toBe(x - y);
        expect(modelOf(sum([a, b, c]))).toBe(x + y + z);
        expect(compare(a, b)).toBe(x < y ? -1 : x > y ? 1 : 0);
        expect(compare(a, b) === 0).toBe(a === b);
        expect(signOf(a)).toBe(x < 0n ? -1 : x > 0n ? 1 : 0);
        expect(modelOf(absolute(a))).toBe(x < 0n ? -x : x);
        for (const made of [add(a, b), subtract(a, b), absolute(a)]) expect(made).toMatch(canonical);
      }),
    );
  });

  test('divide is the nearest, and of two as near the one that is farther from zero', () => {
    const digits = fc.integer({ min: 0, max: 6 });
    fc.assert(
      fc.property(decimals, decimals, digits, (a, b, digits) => {
        fc.pre(b !== zero);
        const quotient = divide(a, b, digits);
        expect(quotient).toMatch(canonical);
        expect(quotient.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(digits);
        // |a − q·b| ≤ half a unit of the last digit, times |b|; where it is half, |q·b| is the larger. All in 10^-16.
        const [x, y, q] = [modelOf(a) * 10n ** 8n, modelOf(b), modelOf(quotient)];
        const size = (value: bigint) => (value < 0n ? -value : value);
        const [error, bound] = [2n * size(x - q * y), size(y) * 10n ** BigInt(places - digits)];
        expect(error <= bound).toBe(true);
        if (error === bound && x !== 0n) expect(size(q * y) > size(x)).toBe(true);
      }),
    );
  });

  test('shift and back is the same, and ten times is an addition', () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: -12, max: 12 }), (a, places) => {
        expect(shift(shift(a, places), -places)).toBe(a);
        expect(shift(a, 1)).toBe(sum(Array.from({ length: 10 }, () => a)));
        expect(shift(a, places)).toMatch(canonical);
      }),
    );
  });

  test('toFixed has so many digits, and is what round says', () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: 6 }), (a, digits) => {
        const text = toFixed(a, digits);
        expect(text).toMatch(digits === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${digits}}$`));
        expect(parseDecimal(text)).toBe(round(a, digits));
      }),
    );
  });
});

test.each([
  ['0.5', 0, '1'],
  ['-0.5', 0, '-1'],
  ['0.4', 0, '0'],
  ['-0.4', 0, '0'],
  ['1.005', 2, '1.01'],
  ['-1.005', 2, '-1.01'],
  ['999.995', 2, '1000'],
  ['2.675', 2, '2.68'],
  ['1234', 2, '1234'],
])('%s rounded to %i digits is %s', (text, digits, rounded) => {
  expect(round(d(text), digits)).toBe(rounded);
});

test.each([
  ['100', '104.2', '4.2'],
  ['100', '50', '-50'],
  ['-100', '-50', '50'],
  ['-100', '100', '200'],
  ['3', '4', '33.3'],
  ['0.01', '0.01', '0'],
])('from %s to %s is %s percent', (from, to, percent) => {
  expect(percentChange(d(from), d(to), 1)).toBe(percent);
});

test('nothing is a share of nothing', () => {
  expect(percentChange(zero, d('5'), 1)).toBeUndefined();
  expect(() => percentOf(d('5'), zero, 1)).toThrow(/by zero/);
  expect(percentOf(d('1'), d('8'), 0)).toBe('13');
});
