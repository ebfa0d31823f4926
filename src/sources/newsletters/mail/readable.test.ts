import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absolute,
  compare,
  decimalOf,
  parseDecimal,
  round,
  shift,
  signOf,
  subtract,
} from '../../../std/decimal.ts';
import { change, fullMoney, money, number, percent, perHead, valueInUnit } from './readable.ts';

const d = (text: string) => decimalOf(text);

describe('money', () => {
  test.each([
    ['1972345678.95', '1,97 mld. RON', '1.97B RON'],
    ['1520365432.11', '1,52 mld. RON', '1.52B RON'],
    ['451980246.84', '451,98 mil. RON', '451.98M RON'],
    ['12300', '12,3 mii RON', '12.3K RON'],
    ['-12345.6', '-12,35 mii RON', '-12.35K RON'],
    ['1000', '1 mie RON', '1K RON'],
    ['999.99', '999,99 RON', '999.99 RON'],
    ['999.994', '999,99 RON', '999.99 RON'],
    ['999.995', '1 mie RON', '1K RON'],
    ['999994.99', '999,99 mii RON', '999.99K RON'],
    ['999995', '1 mil. RON', '1M RON'],
    ['995000000', '995 mil. RON', '995M RON'],
    ['999995000', '1 mld. RON', '1B RON'],
    ['-999995000', '-1 mld. RON', '-1B RON'],
    ['1234567890123.45', '1.234,57 mld. RON', '1,234.57B RON'],
    ['0', '0,00 RON', '0.00 RON'],
    ['-0.004', '0,00 RON', '0.00 RON'],
    ['5.5', '5,50 RON', '5.50 RON'],
  ])('%s is %s and %s', (amount, ro, en) => {
    expect([money(d(amount), 'RON', 'ro'), money(d(amount), 'RON', 'en')]).toEqual([ro, en]);
  });

  test('reads back as the amount, to half of its last digit, and never as a thousand of a smaller scale', () => {
    const places = { mld: 9, B: 9, mil: 6, M: 6, mii: 3, mie: 3, K: 3 } as const;
    const amounts = fc
      .tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.integer({ min: 0, max: 12 }))
      .map(([units, scale]) => shift(decimalOf(units), -scale));
    fc.assert(
      fc.property(amounts, fc.constantFrom('ro' as const, 'en' as const), (amount, locale) => {
        const text = money(amount, 'RON', locale);
        const [, figure = '', word] = /^(-?[\d.,]+) ?(mld|mil|mii|mie|B|M|K)?\.? RON$/.exec(text) ?? [];
        const plain = figure.replaceAll(locale === 'ro' ? '.' : ',', '').replace(',', '.');
        const scale = word === undefined ? 0 : places[word as keyof typeof places];
        const read = shift(parseDecimal(plain) ?? d('9e90'), scale);
        const half = shift(d('0.005'), scale);
        expect(compare(absolute(subtract(read, amount)), half)).toBeLessThanOrEqual(0);
        if (scale < 9) expect(compare(absolute(d(plain)), d('1000'))).toBe(-1);
        if (scale > 0) expect(compare(absolute(d(plain)), d('1'))).toBeGreaterThanOrEqual(0);
        expect(signOf(read) === 0 || signOf(read) === signOf(amount)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['6574.49', '6.574,49 RON', '6,574.49 RON'],
  ['1234567', '1.234.567,00 RON', '1,234,567.00 RON'],
  ['-1234.565', '-1.234,57 RON', '-1,234.57 RON'],
  ['100', '100,00 RON', '100.00 RON'],
])('in full, %s is %s and %s', (amount, ro, en) => {
  expect([fullMoney(d(amount), 'RON', 'ro'), fullMoney(d(amount), 'RON', 'en')]).toEqual([ro, en]);
});

test('a head has its share; where there is none there is no share', () => {
  expect(perHead(d('1972345678.95'), 300_000, 'RON', 'ro')).toBe('6.574,49 RON');
  expect(perHead(d('1'), 3, 'RON', 'en')).toBe('0.33 RON');
  expect(perHead(d('1'), 0, 'RON', 'en')).toBeUndefined();
});

test('a number has all of its digits', () => {
  expect(number(d('-1234567.000001'), 'ro')).toBe('-1.234.567,000001');
  expect(number(d('1234'), 'en')).toBe('1,234');
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (units) => {
      expect(number(round(decimalOf(units), 0), 'en').replaceAll(',', '')).toBe(String(units));
    }),
  );
});

test.each([
  ['100', '104.2', '+4,2 %', '+4.2%'],
  ['100', '95.75', '-4,3 %', '-4.3%'],
  ['100', '100.01', '0 %', '0%'],
  ['-100', '-50', '+50 %', '+50%'],
  ['1', '1001', '+100.000 %', '+100,000%'],
])('from %s to %s is %s and %s', (from, to, ro, en) => {
  expect([change(d(from), d(to), 'ro'), change(d(from), d(to), 'en')]).toEqual([ro, en]);
});

test('from nothing there is no change in percent', () => {
  expect(change(d('0'), d('5'), 'ro')).toBeUndefined();
});

test.each([
  ['10.40', '%', '10,4 %', '10.4%'],
  ['1.25', '% of GDP', '1,25 % din PIB', '1.25% of GDP'],
  ['1500000', 'EUR', '1,5 mil. EUR', '1.5M EUR'],
  ['6574.4', 'RON/capita', '6.574,40 RON pe locuitor', '6,574.40 RON per capita'],
  ['12.5', 'ani', '12,5 ani', '12.5 ani'],
  ['12.5', '', '12,5', '12.5'],
  ['1', 'a\nb\u202e', '1 a b', '1 a b'],
])('%s in %j is %s and %s', (value, unit, ro, en) => {
  expect([valueInUnit(d(value), unit, 'ro'), valueInUnit(d(value), unit, 'en')]).toEqual([ro, en]);
});

test('to the last digit where that is asked for', () => {
  expect(valueInUnit(d('1000000000.01'), 'RON', 'ro', { isExact: true })).toBe('1.000.000.000,01 RON');
  expect(valueInUnit(d('1.001'), 'RON/capita', 'en', { isExact: true })).toBe('1.001 RON per capita');
  expect(percent(d('0.123'), 'en')).toBe('0.123%');
});

test('no figure is longer than a template takes', () => {
  const longest = [`-1${'0'.repeat(98)}`, `0.${'0'.repeat(98)}1`, '9'.repeat(100)].map(d);
  for (const amount of longest) {
    expect(money(amount, 'RON', 'ro').length).toBeLessThanOrEqual(60);
    expect(change(d('1e-50'), amount, 'ro')?.length).toBeLessThanOrEqual(60);
    for (const isExact of [true, false])
      expect(valueInUnit(amount, 'x'.repeat(99), 'ro', { isExact }).length).toBeLessThanOrEqual(80);
  }
});
