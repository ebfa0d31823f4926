import { expect, test } from 'vitest';
import { momentName } from './moment.ts';

test('a day is read in one way only, and its clock is named', () => {
  expect(momentName(Date.UTC(2026, 8, 1, 14, 5, 59))).toBe('1 September 2026, 14:05 UTC');
  expect(momentName(Date.UTC(2027, 0, 12))).toBe('12 January 2027, 00:00 UTC');
});
