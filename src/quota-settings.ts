import type { Variable } from './variable.ts';

/** What the plan of the provider's account has, where it has an end. It is shown and holds nothing back: the provider's own word does that. */
export interface QuotaConfig {
  /** Null where nobody has said. */
  readonly quotaPerDay: number | null;
  readonly quotaPerMonth: number | null;
}

const count = (text: string) =>
  text === ''
    ? { value: null }
    : /^[1-9]\d{0,9}$/.test(text)
      ? { value: Number(text) }
      : { mustBe: 'a whole number of mails above 0' };

export const quotaVariables = {
  quotaPerDay: {
    name: 'MAIL_QUOTA_PER_DAY',
    default: '',
    meaning:
      'Mails a day, by UTC, that the plan at the provider has: the home page of the console shows how many of them were taken. Nothing is held back by it.',
    read: count,
  } as Variable<number | null>,
  quotaPerMonth: {
    name: 'MAIL_QUOTA_PER_MONTH',
    default: '',
    meaning: 'The same for a month of the calendar, by UTC.',
    read: count,
  } as Variable<number | null>,
} satisfies { [Key in keyof QuotaConfig]: Variable<QuotaConfig[Key]> };
