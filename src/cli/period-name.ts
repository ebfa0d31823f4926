import { parsePeriod, periodLabel } from '../sources/newsletters/period.ts';

/** `2026-09` as people read it, `September 2026`. What is typed next, and what programs read, stays the key. */
export function periodName(key: string): string {
  const period = parsePeriod(key);
  return period ? periodLabel(period, 'en') : key;
}
