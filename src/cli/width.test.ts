import { expect, test } from 'vitest';
import { shortened, widthOf } from './width.ts';

test.each([
  ['ana', 3],
  ['Ștefan', 6],
  ['e\u0301', 1],
  ['计算机', 6],
  ['😀', 2],
  ['ｱ', 1],
  ['（', 2],
  ['', 0],
])('%s takes %d', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('shortened: both ends stay, whole characters, and no wider than asked for', () => {
  expect(shortened('0123456789', 10)).toBe('0123456789');
  expect(shortened('0123456789', 7)).toBe('012…789');
  expect(shortened('😀😀😀😀😀', 5)).toBe('😀…😀');
  expect(shortened('计算机科学', 6)).toBe('计…学');
  expect(shortened('abc', 0)).toBe('…');
});
