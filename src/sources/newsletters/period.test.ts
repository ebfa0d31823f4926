import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Frequency,
  lastWholeWithin,
  monthKeys,
  type Period,
  parsePeriod,
  periodBefore,
  periodLabel,
  previousPeriod,
} from './period.ts';

const frequencies = ['monthly', 'quarterly', 'yearly'] as const satisfies readonly Frequency[];

/** A slow model: every period of two centuries, with the moments at which it begins and is over. */
const model = frequencies.flatMap((frequency) => {
  const made: { key: string; frequency: Frequency; startAt: number; endAt: number }[] = [];
  for (let year = 1900; year < 2100; year++) {
    for (let month = 1; month <= 12; month++) {
      const quarter = Math.ceil(month / 3);
      const keys = {
        monthly: `${year}-${month < 10 ? '0' : ''}${month}`,
        quarterly: `${year}-Q${quarter}`,
        yearly: `${year}`,
      };
      const key = keys[frequency];
      const endAt = Date.UTC(month === 12 ? year + 1 : year, month % 12, 1);
      const last = made.at(-1);
      if (last?.key === key) last.endAt = endAt;
      else made.push({ key, frequency, startAt: Date.UTC(year, month - 1, 1), endAt });
    }
  }
  return made;
});

const lastOver = (frequency: Frequency, at: number) =>
  model.filter((period) => period.frequency === frequency && period.endAt <= at).at(-1)?.key;

const required = (key: string): Period => {
  const period = parsePeriod(key);
  if (!period) throw new Error(`no period: ${key}`);
  return period;
};

const known = fc.constantFrom(...model.filter(({ startAt }) => startAt >= Date.UTC(1902, 0, 1)));
const moments = fc.oneof(
  fc.integer({ min: Date.UTC(1902, 0, 1), max: Date.UTC(2099, 11, 31) }),
  // The first and the last moment of a period, and those beside them.
  fc.tuple(known, fc.integer({ min: -1, max: 1 })).map(([{ endAt }, beside]) => endAt + beside),
);

describe('parsePeriod', () => {
  test('reads every key, and says when it begins and how long it is', () => {
    for (const { key, frequency, startAt, endAt } of model) {
      const period = required(key);
      expect([period.key, period.frequency]).toEqual([key, frequency]);
      expect(Date.UTC(period.year, period.month - 1, 1)).toBe(startAt);
      expect(Date.UTC(period.year, period.month - 1 + period.months, 1)).toBe(endAt);
    }
  });

  test.each([
    ...[
      '',
      '26-1',
      '2026-1',
      '2026-00',
      '2026-13',
      '2026-Q0',
      '2026-Q5',
      '2026-q1',
      '2026Q1',
      '2026-Q01',
      '2026-01-01',
    ],
    ...[' 2026', '2026 ', '2026\n', '-2026', '1899', '9999', '20266', '２０２６', '2026-', '2026/01'],
  ])('%j is none', (key) => {
    expect(parsePeriod(key)).toBeUndefined();
  });

  test('a key with another sign in it is one of the others, or none', () => {
    const keys = new Set(model.map(({ key }) => key));
    const sign = fc.constantFrom(...'0123456789-Q ');
    fc.assert(
      fc.property(known, fc.nat(9), fc.oneof(sign, fc.constant('')), ({ key }, at, other) => {
        const text = `${key.slice(0, at)}${other}${key.slice(at + 1)}`;
        fc.pre(/^(?:19|20)/.test(text));
        expect(parsePeriod(text)?.key).toBe(keys.has(text) ? text : undefined);
      }),
    );
  });
});

describe('beside the model', () => {
  test('002-P4-03 the previous period is the last that is over, in UTC', () => {
    fc.assert(
      fc.property(fc.constantFrom(...frequencies), moments, (frequency, now) => {
        const period = previousPeriod(frequency, now);
        expect(period.key).toBe(lastOver(frequency, now));
        expect(period).toEqual(required(period.key));
      }),
    );
  });

  test('the one before is as long, and ends where this one begins', () => {
    fc.assert(
      fc.property(known, ({ key, frequency, startAt }) => {
        expect(periodBefore(required(key))).toEqual(required(lastOver(frequency, startAt) ?? ''));
      }),
    );
  });

  test('the last whole one within is the last that was over when this one was', () => {
    fc.assert(
      fc.property(fc.constantFrom(...frequencies), known, (frequency, { key, endAt }) => {
        expect(lastWholeWithin(frequency, required(key)).key).toBe(lastOver(frequency, endAt));
      }),
    );
  });

  test('its months are those that begin in it, and from January those of its year up to its end', () => {
    fc.assert(
      fc.property(known, ({ key, startAt, endAt }) => {
        const beginning = (from: number) =>
          model.filter(
            ({ frequency, ...month }) =>
              frequency === 'monthly' && month.startAt >= from && month.startAt < endAt,
          );
        const period = required(key);
        expect(monthKeys(period, 'its start')).toEqual(beginning(startAt).map((month) => month.key));
        expect(monthKeys(period, 'january')).toEqual(
          beginning(Date.UTC(period.year, 0, 1)).map((month) => month.key),
        );
      }),
    );
  });

  test('no two have the same label in one language', () => {
    for (const locale of ['en', 'ro'] as const) {
      const labels = model.map(({ key }) => periodLabel(required(key), locale));
      expect(new Set(labels).size).toBe(model.length);
      expect(labels.every((label, at) => label.includes(model[at]?.key.slice(0, 4) ?? '?'))).toBe(true);
    }
  });
});

test.each([
  ['2026-10', '2025', '2026-Q3', '2026-10'],
  ['2026-12', '2026', '2026-Q4', '2026-12'],
  ['2026-Q1', '2025', '2026-Q1', '2026-03'],
  ['2025', '2025', '2025-Q4', '2025-12'],
])('of %s the last whole year is %s, quarter %s, month %s', (key, year, quarter, month) => {
  const of = (frequency: Frequency) => lastWholeWithin(frequency, required(key)).key;
  expect([of('yearly'), of('quarterly'), of('monthly')]).toEqual([year, quarter, month]);
});

test.each([
  ['2026-01', 'January 2026', 'ianuarie 2026'],
  ['2026-10', 'October 2026', 'octombrie 2026'],
  ['2026-Q1', 'Q1 2026', 'trimestrul I 2026'],
  ['2026-Q4', 'Q4 2026', 'trimestrul IV 2026'],
  ['2026', '2026', '2026'],
])('%s is read as %s and %s', (key, en, ro) => {
  expect([periodLabel(required(key), 'en'), periodLabel(required(key), 'ro')]).toEqual([en, ro]);
});
