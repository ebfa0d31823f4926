import { compare, type Decimal } from '../../../std/decimal.ts';
import type { SeriesValue } from '../budget/budget-data.ts';

/**
 * Is an alert to be told? A pure function of its conditions and the series' value. One that holds is enough; without any it is for
 * information, and told each period (8.21). What nobody can judge is told to nobody, and says why.
 */
export const alertOperators = ['gt', 'gte', 'lt', 'lte', 'eq'] as const;
export type AlertOperator = (typeof alertOperators)[number];

export interface AlertCondition {
  operator: AlertOperator;
  threshold: Decimal;
  /** Empty for whichever the series has. */
  unit: string;
}

export interface JudgedCondition extends AlertCondition {
  isMet: boolean;
}

export type AlertVerdict =
  /** In the order in which they were set. */
  | { kind: 'mail'; value: SeriesValue; conditions: readonly JudgedCondition[] }
  | { kind: 'ineligible'; code: AlertRefusal; sentence: string };

type AlertRefusal = 'conditions_not_met' | 'no_data' | 'unit_mismatch';

/** Undefined and null are both: there is no value in that period. */
export function judgeAlert(
  conditions: readonly AlertCondition[],
  value: SeriesValue | null | undefined,
): AlertVerdict {
  if (!value) return ineligible('no_data', 'The series has no value in this period.');
  const foreign = conditions.find(({ unit }) => !isSameUnit(unit, value.unit));
  if (foreign) {
    return ineligible(
      'unit_mismatch',
      `A condition is in ${shown(foreign.unit)}, but the series is in ${shown(value.unit)}: they cannot be compared.`,
    );
  }
  const judged = conditions.map((condition) => ({ ...condition, isMet: isMet(condition, value.value) }));
  if (judged.length > 0 && !judged.some((condition) => condition.isMet)) {
    const sentence =
      judged.length === 1 ? 'Its condition does not hold.' : `None of its ${judged.length} conditions holds.`;
    return ineligible('conditions_not_met', sentence);
  }
  return { kind: 'mail', value, conditions: judged };
}

function isMet({ operator, threshold }: AlertCondition, value: Decimal): boolean {
  const order = compare(value, threshold);
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'eq':
      return order === 0;
  }
}

/** `ron` and `RON ` are one unit. */
function isSameUnit(one: string, other: string): boolean {
  const plain = (unit: string) => unit.trim().toLowerCase();
  return plain(one) === '' || plain(one) === plain(other);
}

const shown = (unit: string) => (unit.trim() === '' ? 'no unit' : JSON.stringify(unit.slice(0, 40)));

const ineligible = (code: AlertRefusal, sentence: string): AlertVerdict => ({
  ...{ kind: 'ineligible', code, sentence },
});
