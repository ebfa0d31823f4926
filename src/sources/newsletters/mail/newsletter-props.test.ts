import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf, shift } from '../../../std/decimal.ts';
import type { EntityReport } from '../budget/budget-data.ts';
import { type Period, parsePeriod } from '../period.ts';
import { type NewsletterOrder, newsletterProps } from './newsletter-props.ts';

const d = (text: string) => decimalOf(text);
const totals = (income: string, expenses: string) => ({ income: d(income), expenses: d(expenses) });

const report: EntityReport = {
  ...{ cui: '4305857', name: 'MUNICIPIUL CLUJ-NAPOCA', currency: 'RON', population: 300_000 },
  ...totals('1972345678.95', '1520365432.11'),
  before: totals('1892846141.03', '1600384665.38'),
  yearToDate: totals('5000000000', '4100000000'),
  topExpenses: [
    { code: '65', name: 'Învățământ', amount: d('700000000') },
    { code: '84', name: 'Transporturi', amount: d('350000000') },
    { code: 'X1', name: 'Altele', amount: d('1000000') },
  ],
};
const links = {
  ...{ entityUrl: 'https://example.org/entities/{cui}', preferencesUrl: 'https://example.org/me' },
  ...{ platformBaseUrl: 'https://example.org', unsubscribeUrl: 'https://example.org/u/1' },
};
const props = (more: Partial<EntityReport> = {}, key = '2023', order: Partial<NewsletterOrder> = {}) =>
  newsletterProps({
    ...{ report: { ...report, ...more }, period: parsePeriod(key) as Period, locale: 'ro', links },
    ...order,
  });

test('a whole report in Romanian', () => {
  expect(props({}, '2023-Q3')).toEqual({
    entityName: 'MUNICIPIUL CLUJ-NAPOCA',
    entityCui: '4305857',
    periodType: 'quarterly',
    periodLabel: 'trimestrul III 2023',
    totalIncome: '1,97 mld. RON',
    totalExpenses: '1,52 mld. RON',
    budgetBalance: '451,98 mil. RON',
    balanceSign: 'surplus',
    incomeShare: '100',
    expensesShare: '77',
    changes: { income: '+4,2 %', expenses: '-5 %', balance: '+54,5 %', beforeLabel: 'trimestrul II 2023' },
    yearToDate: {
      ...{ income: '5 mld. RON', expenses: '4,1 mld. RON', balance: '900 mil. RON' },
      label: 'ianuarie–septembrie 2023',
    },
    perHead: { income: '6.574,49 RON', expenses: '5.067,88 RON', balance: '1.506,60 RON' },
    topExpenses: [
      { name: 'Învățământ', amount: '700 mil. RON', share: '46 %', bar: '100' },
      { name: 'Transporturi', amount: '350 mil. RON', share: '23 %', bar: '50' },
      { name: 'Altele', amount: '1 mil. RON', share: '<1 %', bar: '0' },
    ],
    entityUrl: 'https://example.org/entities/4305857',
    preferencesUrl: 'https://example.org/me',
    platformBaseUrl: 'https://example.org',
    unsubscribeUrl: 'https://example.org/u/1',
  });
});

test('and in English, chapters by their English names where they have one', () => {
  const en = props({}, '2023-10', { locale: 'en', isPreview: true });
  expect(en).toMatchObject({
    ...{ periodType: 'monthly', periodLabel: 'October 2023', isPreview: 'true' },
    ...{ totalIncome: '1.97B RON', totalExpenses: '1.52B RON', budgetBalance: '451.98M RON' },
    changes: { income: '+4.2%', beforeLabel: 'September 2023' },
    yearToDate: { label: 'January–October 2023', income: '5B RON' },
    perHead: { income: '6,574.49 RON' },
    topExpenses: [{ name: 'Education', share: '46%' }, { name: 'Transport' }, { name: 'Altele' }],
  });
});

describe('what is not known, or says nothing, is not there', () => {
  test('all of it', () => {
    const bare = { before: null, yearToDate: null, population: null, topExpenses: [] };
    const nowhere = { entityUrl: '', preferencesUrl: '', platformBaseUrl: '', unsubscribeUrl: 'https://u' };
    expect(Object.keys(props(bare, '2023', { links: nowhere }))).toEqual([
      ...['entityName', 'entityCui', 'periodType', 'periodLabel', 'totalIncome', 'totalExpenses'],
      ...['budgetBalance', 'balanceSign', 'incomeShare', 'expensesShare', 'unsubscribeUrl'],
    ]);
  });

  test('a change from zero, one by one and altogether', () => {
    expect(props({ before: totals('0', '10') }).changes).toEqual({
      ...{ beforeLabel: '2022', expenses: expect.any(String), balance: expect.any(String) },
    });
    expect(props({ before: totals('10', '10') }).changes).not.toHaveProperty('balance');
    expect(props({ before: totals('0', '0') })).not.toHaveProperty('changes');
  });

  test.each(['2023', '2023-Q1', '2023-01'])('the year so far, where %s is all of it', (key) => {
    expect(props({}, key)).not.toHaveProperty('yearToDate');
  });

  test('shares of no expenses', () => {
    expect(props({ expenses: d('0') })).not.toHaveProperty('topExpenses');
  });
});

test('from a deficit to a surplus is so much money, for it is no percentage', () => {
  const was = props({ before: totals('100', '200'), ...totals('1000000', '0') });
  expect(was.changes?.balance).toBe('+1 mil. RON');
  const worse = props({ before: totals('200', '100'), ...totals('0', '5000') });
  expect(worse.changes?.balance).toBe('-5,1 mii RON');
});

test.each([
  ['10', '20', 'deficit', '-10,00 RON', '50', '100'],
  ['20', '20', 'even', '0,00 RON', '100', '100'],
  ['-5', '0', 'deficit', '-5,00 RON', '0', '0'],
  ['-5', '10', 'deficit', '-15,00 RON', '0', '100'],
])('of %s and %s: %s of %s, bars of %s and %s', (income, expenses, sign, balance, one, other) => {
  expect(props(totals(income, expenses))).toMatchObject({
    ...{ balanceSign: sign, budgetBalance: balance, incomeShare: one, expensesShare: other },
  });
});

test("a stranger's name is one line, and a code stays one part of an address", () => {
  const hostile = props({ name: ' A\r\nBcc: x\u202e=?utf-8?q?B?= ', cui: '../?#' });
  expect(hostile.entityName).toBe('A Bcc: x= ?utf-8?q?B?=');
  expect(hostile.entityUrl).toBe('https://example.org/entities/..%2F%3F%23');
});

test('whatever the figures, every prop is a text within its bounds', () => {
  const amounts = fc
    .tuple(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.integer({ min: 0, max: 30 }))
    .map(([units, scale]) => shift(decimalOf(units), -scale));
  const both = fc.record({ income: amounts, expenses: amounts });
  const anything = fc.record({
    own: both,
    before: fc.option(both),
    yearToDate: fc.option(both),
    population: fc.option(fc.nat()),
    top: fc.array(amounts, { maxLength: 5 }),
  });
  const lengths = (value: unknown): number[] =>
    typeof value === 'string' ? [value.length] : Object.values(value as object).flatMap(lengths);
  fc.assert(
    fc.property(anything, fc.constantFrom('2023', '2023-Q2', '2023-12'), ({ own, top, ...more }, key) => {
      const topExpenses = top.map((amount) => ({ code: '65', name: 'x', amount }));
      const made = props({ ...own, ...more, topExpenses }, key);
      expect(Math.max(...lengths(made))).toBeLessThanOrEqual(60);
      for (const share of [
        made.incomeShare,
        made.expensesShare,
        ...(made.topExpenses ?? []).map(({ bar }) => bar),
      ])
        expect(share).toMatch(/^(?:\d{1,2}|100)$/);
    }),
  );
});
