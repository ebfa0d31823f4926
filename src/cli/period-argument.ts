import { type Period, parsePeriod } from '../sources/newsletters/period.ts';
import { Refusal } from '../std/refusal.ts';

export function requirePeriod(text: string): Period {
  const period = parsePeriod(text.trim().toUpperCase());
  if (period) return period;
  throw new Refusal(
    'invalid_period',
    `${JSON.stringify(text)} is no period. Give a year, 2023, a quarter, 2023-Q1, or a month, 2023-01.`,
  );
}
