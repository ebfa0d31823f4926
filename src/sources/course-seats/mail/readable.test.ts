import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lineOf, meetingsOf, timeOf } from './readable.ts';

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

describe('meetingsOf', () => {
  const summary = 'M 10:20-11:40 BUS HIL 114; H 12:10-13:30; S Online; U TBA; Hours by arrangement';

  test.each([
    ['en', ['Mon', 'Thu', 'Sat', 'Sun']],
    ['ro', ['lun.', 'joi', 'sâm.', 'dum.']],
    ['zh-CN', ['周一', '周四', '周六', '周日']],
    ['not a language', ['Mon', 'Thu', 'Sat', 'Sun']],
  ])('days in %s, a line for each meeting', (locale, [monday, thursday, saturday, sunday]) => {
    expect(meetingsOf(summary, locale).split('\n')).toEqual([
      `${monday} 10:20-11:40 BUS HIL 114`,
      `${thursday} 12:10-13:30`,
      `${saturday} Online`,
      `${sunday} TBA`,
      'Hours by arrangement',
    ]);
  });

  it('leaves alone what is no day', () => {
    expect(meetingsOf('TBA', 'en')).toBe('TBA');
    expect(meetingsOf('MATH 114', 'en')).toBe('MATH 114');
  });
});

describe('timeOf', () => {
  const at = Date.UTC(2026, 0, 15, 15, 42);

  test.each([
    ['en', /^Thu, January 15(,| at) 10:42 EST$/],
    ['ro', /^joi, 15 ianuarie(,| la) 10:42 GMT-5$/],
    ['zh-CN', /^1月15日周四\s*GMT-5 10:42$/],
    ['xx_yy_zz_!', /^Thu, January 15(,| at) 10:42 EST$/],
  ])('as the clocks of the campus show it, in %s', (locale, shown) => {
    expect(timeOf(at, locale, 'America/New_York')).toMatch(shown);
  });
});
