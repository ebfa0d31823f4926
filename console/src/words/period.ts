import { type PeriodLocale, parsePeriod, periodLabel } from '../../../src/sources/newsletters/period.ts';

/** A period as people read it, `October 2026` for `2026-10`; what is none is left as it is. */
export const periodIn =
  (language: PeriodLocale) =>
  (key: string): string => {
    const period = parsePeriod(key);
    return period ? periodLabel(period, language) : key;
  };
