import { expect, test } from 'vitest';
import { periodName } from './period-name.ts';

test.each([
  ['2026-09', 'September 2026'],
  ['2026-Q3', 'Q3 2026'],
  ['2025', '2025'],
  ['what an older version wrote', 'what an older version wrote'],
])('%s is read as %s', (key, name) => {
  expect(periodName(key)).toBe(name);
});
