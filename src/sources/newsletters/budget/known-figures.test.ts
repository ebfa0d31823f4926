import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf } from '../../../std/decimal.ts';
import { type Period, parsePeriod } from '../period.ts';
import { type AmountLine, knownFigures, yearToDateParts } from './known-figures.ts';

const period = (key: string) => parsePeriod(key) as Period;
const account = { cui: '1', side: 'expenses', currency: 'RON' } as const;
const line = (
  period_key: string,
  amount: string,
  chapter = '',
  more: Partial<AmountLine> = {},
): AmountLine => ({
  ...{ ...account, period_key, chapter, chapter_name: null, amount },
  ...more,
});
const total = (key: string, ...lines: AmountLine[]) => knownFigures(lines).total(account, period(key));
const chapters = (key: string, ...lines: AmountLine[]) => knownFigures(lines).chapters(account, period(key));

const months = (year: number, amount = '1.10') =>
  Array.from({ length: 12 }, (_, index) => line(`${year}-${String(index + 1).padStart(2, '0')}`, amount));

describe('a total', () => {
  test('is the chapter without a name, whatever the others add up to', () => {
    expect(total('2023', line('2023', '10'), line('2023', '3', '65'), line('2023', '4', '66'))).toBe('10');
  });

  test('or else the sum of the chapters', () => {
    expect(total('2023', line('2023', '0.1', '65'), line('2023', '0.2', '66'))).toBe('0.3');
  });

  test('of a quarter is that of its months, of a year that of its quarters or months, if all are known', () => {
    const year = months(2023);
    expect(total('2023-Q2', ...year)).toBe('3.3');
    expect(total('2023', ...year)).toBe('13.2');
    expect(total('2023', ...year.slice(1))).toBeUndefined();
    expect(total('2023', ...year.slice(3), line('2023-Q1', '100'))).toBe('109.9');
    expect(total('2023-Q2', ...year.slice(0, 5))).toBeUndefined();
    expect(total('2023-05', ...year.slice(0, 4))).toBeUndefined();
  });

  test('is the own one of a period that has lines, even if its months say otherwise', () => {
    expect(total('2023', ...months(2023), line('2023', '99'))).toBe('99');
  });

  test('is never of another side, currency, entity or year', () => {
    const others = [{ side: 'income' as const }, { currency: 'EUR' }, { cui: '2' }, { period_key: '2022' }];
    expect(total('2023', ...others.map((more) => line('2023', '5', '', more)))).toBeUndefined();
  });
});

describe('chapters', () => {
  test('are the own ones, and otherwise those of the parts, by code', () => {
    const own = chapters('2023-01', line('2023-01', '9'), line('2023-01', '5', '65', { chapter_name: 'A' }));
    expect(own).toEqual([{ code: '65', name: 'A', amount: '5' }]);
    const parts = ['2023-01', '2023-02', '2023-03'].map((key, index) =>
      line(key, String(index + 1), '65', { chapter_name: index === 1 ? 'Învățământ' : null }),
    );
    expect(chapters('2023-Q1', ...parts, line('2023-03', '7', '66'), line('2023-Q1', '50'))).toEqual([
      { code: '65', name: 'Învățământ', amount: '6' },
      { code: '66', name: null, amount: '7' },
    ]);
  });

  test('are not known where a part is known by its total alone', () => {
    const parts = [line('2023-01', '1', '65'), line('2023-02', '1', '65'), line('2023-03', '1')];
    expect(chapters('2023-Q1', ...parts)).toBeUndefined();
    expect(chapters('2023-03', ...parts)).toBeUndefined();
  });
});

test('currencies, lei first', () => {
  const figures = knownFigures(
    ['USD', 'RON', 'EUR', 'RON'].map((currency) => line('2023', '1', currency, { currency })),
  );
  expect(figures.currencies('1')).toEqual(['RON', 'EUR', 'USD']);
  expect(figures.currencies('2')).toEqual([]);
});

test.each([
  ['2023', ['2023']],
  ['2023-Q3', ['2023-Q1', '2023-Q2', '2023-Q3']],
  ['2023-01', ['2023-01']],
  ['2023-03', ['2023-Q1']],
  ['2023-08', ['2023-Q1', '2023-Q2', '2023-07', '2023-08']],
  ['2023-12', ['2023-Q1', '2023-Q2', '2023-Q3', '2023-Q4']],
])('the year up to %s is %j', (key, parts) => {
  expect(yearToDateParts(period(key)).map((part) => part.key)).toEqual(parts);
});

test('beside a slow model: whatever is known, of whichever period', () => {
  const keys = [
    '2023',
    ...[1, 2, 3, 4].map((n) => `2023-Q${n}`),
    ...months(2023).map((each) => each.period_key),
  ];
  /** Hundredths, by key; undefined where it is not known. */
  function model(lines: readonly AmountLine[], key: string): bigint | undefined {
    const own = lines.filter((each) => each.period_key === key);
    const cents = (each: AmountLine) => BigInt(each.amount.replace('.', ''));
    const whole = own.find((each) => each.chapter === '');
    if (whole) return cents(whole);
    if (own.length > 0) return own.map(cents).reduce((a, b) => a + b);
    const quarter = Number(/Q(\d)/.exec(key)?.[1]);
    const parts =
      key === '2023' ? keys.slice(1, 5) : quarter ? keys.slice(2 + 3 * quarter, 5 + 3 * quarter) : [];
    const sums = parts.map((part) => model(lines, part));
    return parts.length === 0 || sums.includes(undefined)
      ? undefined
      : (sums as bigint[]).reduce((a, b) => a + b);
  }
  // Few gaps, so that sums of parts are common.
  const amount = fc.integer({ min: -99_999, max: 99_999 }).map((cents) => {
    const digits = String(Math.abs(cents)).padStart(3, '0');
    return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  });
  const some = fc.array(fc.tuple(fc.constantFrom('', '', '65', '66', '67'), amount), { maxLength: 3 });
  const ownOf = (key: string) => {
    const often = key.length === 7 && !key.includes('Q');
    return (
      often
        ? fc.oneof({ weight: 15, arbitrary: fc.tuple(fc.tuple(fc.constant('65'), amount)) }, some)
        : fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some)
    ).map((own) =>
      [...new Map(own as [string, string][])].map(([chapter, text]) => line(key, text, chapter)),
    );
  };
  let sums = 0;
  fc.assert(
    fc.property(fc.tuple(...keys.map(ownOf)), (made) => {
      const lines = made.flat();
      for (const key of keys) {
        const expected = model(lines, key);
        const known = total(key, ...lines);
        expect(known).toBe(expected === undefined ? undefined : decimalOf(`${expected}e-2`));
        if (key === '2023' && known !== undefined && !lines.some((each) => each.period_key === key))
          sums += 1;
      }
    }),
  );
  expect(sums).toBeGreaterThan(5);
});
