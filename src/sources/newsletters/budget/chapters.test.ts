import { expect, test } from 'vitest';
import { decimalOf } from '../../../std/decimal.ts';
import { chapterName, topExpenses } from './chapters.ts';

const chapter = (code: string, amount: string, name: string | null = null) => ({
  code,
  name,
  amount: decimalOf(amount),
});

test('the five largest, largest first; of two that are as large the lower code', () => {
  const list = ['9', '10', '2', '-50', '0', '10', '3', '4'].map((amount, at) => chapter(`c${at}`, amount));
  expect(topExpenses(list).map(({ code }) => code)).toEqual(['c1', 'c5', 'c0', 'c7', 'c6']);
});

test('a chapter has the name that it was given, that of the classification, or its code', () => {
  const names = topExpenses([chapter('65', '3', 'Școli'), chapter('66', '2'), chapter('65.02', '1')]);
  expect(names.map(({ name }) => name)).toEqual(['Școli', 'Sănătate', '65.02']);
  expect([chapterName('65', 'en'), chapterName('x', 'en'), chapterName('toString', 'en')]).toEqual([
    ...['Education', undefined, undefined],
  ]);
});
