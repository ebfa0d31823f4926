import { expect, test } from 'vitest';
import { readOldTime } from './old-time.ts';

const at = Date.UTC(2025, 10, 3, 8, 30);

test.each([
  ['2025-11-03T08:30:00.000Z', at],
  ['2025-11-03T08:30:00z', at],
  ['2025-11-03 08:30:00+00', at],
  ['2025-11-03 10:30:00+02', at],
  ['2025-11-03 10:30:00+0200', at],
  ['2025-11-03 03:00:00-05:30', at],
  ['2025-11-03 08:30:00', at],
  ['2025-11-03 08:30', at],
  [' 2025-11-03 08:30:00.123456+00 ', at + 123],
  ['2025-11-03', Date.UTC(2025, 10, 3)],
  [String(at), at],
  [String(at / 1000), at],
  ['1762158600.25', at + 250],
  [null, null],
  [undefined, null],
  ['', null],
  ['soon', null],
  ['2025-13-45 08:30:00', null],
  ['12', null],
])('%j is %j', (text, expected) => {
  expect(readOldTime(text)).toBe(expected);
});
