import { describe, expect, it, test } from 'vitest';
import { meetingsOf, timeOf } from './readable.ts';

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
    ['en', /^Thu,? 15 January, 10:42 EST$/],
    ['en-US', /^Thu,? 15 January, 10:42 EST$/],
    ['ro', /^joi, 15 ianuarie(,| la) 10:42 GMT-5$/],
    ['zh-CN', /^1月15日周四\s*GMT-5 10:42$/],
    ['xx_yy_zz_!', /^Thu,? 15 January, 10:42 EST$/],
  ])('as the clocks of the campus show it, in %s', (locale, shown) => {
    expect(timeOf(at, locale, 'America/New_York')).toMatch(shown);
  });
});
