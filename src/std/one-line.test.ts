import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lineOf, paragraphsOf } from './one-line.ts';

describe('lineOf', () => {
  test.each([
    ['  INTRO\r\nCOMPUTER\tSCI ', 'INTRO COMPUTER SCI'],
    ['a\u2028b\u0000c\u0085d', 'a b c d'],
    ['ab\u202edc\u2066x\ufeff', 'abdcx'],
    ['=?utf-8?q?Bcc?=', '= ?utf-8?q?Bcc?='],
    ['half \ud800 a sign', 'half \ufffd a sign'],
    ['Μαθηματικά I', 'Μαθηματικά I'],
    [null, ''],
    [undefined, ''],
  ])('%j becomes %j', (text, line) => {
    expect(lineOf(text, 100)).toBe(line);
  });

  it('cuts what is too long, and never in the middle of a character', () => {
    expect(lineOf('abcdef', 6)).toBe('abcdef');
    expect(lineOf('abcdefg', 6)).toBe('abcde…');
    expect(lineOf('abcd😀fg', 6)).toBe('abcd…');
  });

  it('is one line in its bounds whatever comes, and the same when it is made again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = lineOf(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]|=\?|^\s|\s$/u);
        expect(lineOf(line, max)).toBe(line);
      }),
    );
  });
});

describe('paragraphsOf', () => {
  test.each([
    [' Why\r\n\n\n\nthis.\rAnd\tthat. ', 'Why\n\nthis.\nAnd that.'],
    ['a\u2028b\n\u0000\nc', 'a b\n\nc'],
    [null, ''],
  ])('%j becomes %j', (text, expected) => {
    expect(paragraphsOf(text, 100)).toBe(expected);
  });

  it('cuts what is too long, and never in the middle of a character', () => {
    expect(paragraphsOf('ab\n\ncd', 6)).toBe('ab\n\ncd');
    expect(paragraphsOf('ab\n\n\ncde', 6)).toBe('ab\n\nc…');
    expect(paragraphsOf('ab\n😀d\ne', 6)).toBe('ab\n😀…');
    expect(paragraphsOf('ab\nc😀de', 6)).toBe('ab\nc…');
  });
});
