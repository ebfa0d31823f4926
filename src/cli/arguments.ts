import { InvalidArgumentError } from 'commander';
import { type Status, statusNames } from '../domain/status.ts';
import { nearest } from '../std/nearest.ts';
import { Refusal } from '../std/refusal.ts';

/** How the words behind options are read; what cannot be read is refused with what it could be. */

/** For an option that may be given several times. */
export function severalTimes(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

export function wholeNumber(max: number) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > max) throw new InvalidArgumentError(`Give a whole number from 1 to ${max}.`);
    return value;
  };
}

/** Of a list: how many, and where to go on. */
export const limitOption = (max: number, byDefault: number) =>
  ['--limit <count>', `how many, at most ${max}`, wholeNumber(max), byDefault] as const;
export const belowOption = [
  '--below <number>',
  'only those with a lower number: the next page',
  wholeNumber(Number.MAX_SAFE_INTEGER),
] as const;

export function requireStatus(text: string): Status {
  const known = statusNames.find((status) => status === text);
  if (known) return known;
  const meant = nearest(text, statusNames);
  throw new Refusal(
    'unknown_status',
    `There is no status ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The statuses are ${statusNames.join(', ')}.`,
  );
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `2h` is two hours ago. A date without an offset is UTC, as all times that we print. */
export function timeOf(text: string, option: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})\s*(s|min|m|h|d)$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (unitsMs[unit] ?? 0);
  const isDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text);
  const iso = text.replace(' ', 'T');
  const at = isDate ? Date.parse(/T[^Z+-]*$/.test(iso) ? `${iso}Z` : iso) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new Refusal(
    'invalid_time',
    `${option} ${JSON.stringify(text)} is no time. Give how long ago, such as 30min, 2h or 3d, or a date: 2026-07-01, 2026-07-01T14:00Z.`,
  );
}
