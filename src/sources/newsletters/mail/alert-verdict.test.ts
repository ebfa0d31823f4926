import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf, shift } from '../../../std/decimal.ts';
import { type AlertCondition, type AlertOperator, alertOperators, judgeAlert } from './alert-verdict.ts';

const condition = (operator: AlertOperator, threshold: string, unit = 'RON'): AlertCondition => ({
  ...{ operator, threshold: decimalOf(threshold), unit },
});
const value = (text: string, unit = 'RON') => ({ value: decimalOf(text), unit });

describe('002-P3-04 8.21 the five operators, on decimals', () => {
  const table: Record<AlertOperator, [below: boolean, equal: boolean, above: boolean]> = {
    gt: [false, false, true],
    gte: [false, true, true],
    lt: [true, false, false],
    lte: [true, true, false],
    eq: [false, true, false],
  };

  test.each(alertOperators)('%s', (operator) => {
    // Apart by less than a float can tell.
    const seen = ['9007199254740992.99', '9007199254740993', '9007199254740993.01'].map(
      (text) => judgeAlert([condition(operator, '9007199254740993.00')], value(text)).kind === 'mail',
    );
    expect(seen).toEqual(table[operator]);
  });

  test('are each true or not as whole numbers of the smallest unit say', () => {
    const units = fc.bigInt({ min: -1000n, max: 1000n });
    fc.assert(
      fc.property(units, units, fc.constantFrom(...alertOperators), (a, b, operator) => {
        const [one, other] = [shift(decimalOf(a), -3), shift(decimalOf(b), -3)];
        const verdict = judgeAlert([{ operator, threshold: other, unit: '' }], { value: one, unit: 'x' });
        const expected = { gt: a > b, gte: a >= b, lt: a < b, lte: a <= b, eq: a === b }[operator];
        expect(verdict.kind).toBe(expected ? 'mail' : 'ineligible');
      }),
    );
  });
});

test('8.21 one that holds is enough, and each is told for itself', () => {
  const verdict = judgeAlert(
    [condition('gt', '100'), condition('lt', '100'), condition('eq', '7')],
    value('7'),
  );
  expect(verdict).toMatchObject({
    ...{ kind: 'mail', value: value('7') },
    conditions: [{ isMet: false }, { isMet: true, operator: 'lt', threshold: '100' }, { isMet: true }],
  });
});

test('8.21 without conditions it is for information', () => {
  expect(judgeAlert([], value('0'))).toEqual({ kind: 'mail', value: value('0'), conditions: [] });
});

test.each([
  [[condition('gt', '5')], value('5'), 'conditions_not_met', 'Its condition does not hold.'],
  [
    ...([[condition('gt', '5'), condition('lt', '5')], value('5'), 'conditions_not_met'] as const),
    'None of its 2 conditions holds.',
  ],
  [[condition('gt', '5')], null, 'no_data', 'The series has no value in this period.'],
  [[], undefined, 'no_data', 'The series has no value in this period.'],
  [
    ...([[condition('lt', '5'), condition('gt', '5', 'EUR')], value('1'), 'unit_mismatch'] as const),
    'A condition is in "EUR", but the series is in "RON": they cannot be compared.',
  ],
  [
    ...([[condition('gt', '5', '%')], value('6', ''), 'unit_mismatch'] as const),
    'A condition is in "%", but the series is in no unit: they cannot be compared.',
  ],
])('whom nothing is told has a reason: %#', (conditions, found, code, sentence) => {
  expect(judgeAlert(conditions, found)).toEqual({ kind: 'ineligible', code, sentence });
});

test('a unit may be spelt in small letters, or left out', () => {
  for (const unit of ['ron', ' RON ', ''])
    expect(judgeAlert([condition('gte', '1', unit)], value('1')).kind).toBe('mail');
});
