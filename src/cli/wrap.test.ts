import { expect, test } from 'vitest';
import { proseWidth, wrap } from './wrap.ts';

test('breaks between words, and indents what follows', () => {
  expect(wrap('  one two three four', 12, '    ')).toEqual(['  one two', '    three', '    four']);
});

test('a word that is longer than the line stands alone, whole', () => {
  expect(wrap('see https://example.org/a/long/way now', 10, '')).toEqual([
    'see',
    'https://example.org/a/long/way',
    'now',
  ]);
});

test('without a screen nothing is broken', () => {
  const text = `long ${'word '.repeat(80)}end`;
  expect(wrap(text, proseWidth(undefined), '  ')).toEqual([text]);
});

test('a very wide screen is not filled', () => {
  expect(proseWidth(80)).toBe(80);
  expect(proseWidth(240)).toBe(100);
});
