import { expect, test } from 'vitest';
import { decimalOf } from '../../../std/decimal.ts';
import { type Period, parsePeriod } from '../period.ts';
import { type AlertOrder, alertProps } from './alert-props.ts';
import { type AlertCondition, type AlertOperator, judgeAlert } from './alert-verdict.ts';

const condition = (operator: AlertOperator, threshold: string): AlertCondition => ({
  ...{ operator, threshold: decimalOf(threshold), unit: '' },
});

function props(value: string, unit: string, conditions: AlertCondition[], more: Partial<AlertOrder> = {}) {
  const verdict = judgeAlert(conditions, { value: decimalOf(value), unit });
  if (verdict.kind !== 'mail') throw new Error(verdict.sentence);
  return alertProps({
    ...{ titles: { ro: 'Rata inflației', en: 'Inflation' }, description: '', locale: 'ro' },
    ...{ period: parsePeriod('2023') as Period, value: verdict.value, conditions: verdict.conditions },
    links: {
      ...{ seriesUrl: 'https://example.org/s', preferencesUrl: '', platformBaseUrl: '' },
      unsubscribeUrl: 'https://example.org/u/1',
    },
    ...more,
  });
}

test('002-P3-04 each condition with its threshold, the value, and whether it holds', () => {
  expect(props('10.40', '%', [condition('gt', '10'), condition('lt', '5.5')])).toEqual({
    title: 'Rata inflației',
    periodLabel: '2023',
    actualValue: '10,4 %',
    conditions: [
      { operator: 'gt', threshold: '10 %', actualValue: '10,4 %', isMet: 'true' },
      { operator: 'lt', threshold: '5,5 %', actualValue: '10,4 %', isMet: 'false' },
    ],
    seriesUrl: 'https://example.org/s',
    unsubscribeUrl: 'https://example.org/u/1',
  });
});

test('for information there are none', () => {
  const made = props('1500000', 'RON', [], {
    locale: 'en',
    description: ' Why\n\n\n\nthis. ',
    isPreview: true,
  });
  expect(made).toMatchObject({
    ...{ title: 'Inflation', actualValue: '1.5M RON', conditions: [], isPreview: 'true' },
    description: 'Why\n\nthis.',
  });
});

test('two that differ never look the same', () => {
  const made = props('1000000000.01', 'RON', [condition('gt', '1000000000')]);
  expect([made.actualValue, made.conditions[0]?.threshold]).toEqual([
    '1.000.000.000,01 RON',
    '1.000.000.000 RON',
  ]);
  const equal = props('1000000000', 'RON', [condition('gte', '1e9')]);
  expect([equal.actualValue, equal.conditions[0]?.threshold]).toEqual(['1 mld. RON', '1 mld. RON']);
});

test('a title in another language is better than none, and one there is always', () => {
  const titled = (titles: Record<string, string>) => props('1', '', [], { titles, locale: 'en' }).title;
  expect(titled({ ro: 'Doar română' })).toBe('Doar română');
  expect(titled({ fr: 'Seulement' })).toBe('Seulement');
  expect(titled({ en: '  ', ro: '\n' })).toBe('Budget alert');
  expect(props('1', '', [], { titles: {} }).title).toBe('Alertă bugetară');
});

test("a stranger's words stay within their bounds", () => {
  const made = props('1', 'u'.repeat(500), [], {
    titles: { ro: 't'.repeat(999) },
    description: `${'😀'.repeat(2000)}`,
  });
  expect(made.title).toHaveLength(300);
  expect(made.description?.length).toBeLessThanOrEqual(2000);
  expect(made.description).not.toMatch(/\p{Cs}/u);
  expect(made.actualValue.length).toBeLessThanOrEqual(80);
  const many = Array.from({ length: 30 }, (_, index) => condition('gte', String(-index)));
  expect(props('1', '', many).conditions).toHaveLength(20);
});
