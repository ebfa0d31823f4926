import { describe, expect, test } from 'vitest';
import { printable, printableLines, shellWord } from './printable.ts';

describe('printable', () => {
  test.each([
    ['escape sequences', '\u001b[2Jgone', '\\u001b[2Jgone'],
    ['C1 control signs', '\u009b31m', '\\u009b31m'],
    ['line breaks', 'a\r\nSent: delivery 1', 'a\\u000d\\u000aSent: delivery 1'],
    ['direction overrides', 'gnp\u202ecod', 'gnp\\u202ecod'],
    ['half a character', 'x\ud800', 'x\\ud800'],
  ])('%s are shown, not obeyed', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('other scripts and emoji stay as they are', () => {
    expect(printable('Ană, 中文, 👩‍👩‍👧')).toBe('Ană, 中文, 👩‍👩‍👧');
  });
});

test('printableLines keeps line breaks and tabs, and nothing else that steers', () => {
  expect(printableLines('a\tb\r\nc\u001bd\n')).toEqual(['a\tb', 'c\\u001bd', '']);
});

test('shellWord: what a shell would take apart is quoted', () => {
  expect(['needs_review', 'a b', "it's", '$(x)', ''].map(shellWord)).toEqual([
    'needs_review',
    "'a b'",
    String.raw`'it'\''s'`,
    "'$(x)'",
    "''",
  ]);
});
