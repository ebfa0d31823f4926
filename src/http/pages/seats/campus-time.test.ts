import { describe, expect, test } from 'vitest';
import {
  dayAt,
  minutesOf,
  momentName,
  morningOf,
  nextWeekMorning,
  timeName,
  tomorrowMorning,
} from './campus-time.ts';

const newYork = 'America/New_York';
const at = (text: string) => Date.parse(text);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('days of the campus', () => {
  test('the day is the one that its clocks show', () => {
    expect(dayAt(at('2026-03-10T03:59:00Z'), newYork)).toBe('2026-03-09');
    expect(dayAt(at('2026-03-10T04:00:00Z'), newYork)).toBe('2026-03-10');
  });

  test.each([
    ['in the night before eight', '2026-01-20T06:00:00Z', '2026-01-21T13:00:00.000Z'],
    ['in the evening', '2026-01-21T01:00:00Z', '2026-01-21T13:00:00.000Z'],
    ['at eight', '2026-01-20T13:00:00Z', '2026-01-21T13:00:00.000Z'],
    ['before the clocks go forward', '2026-03-07T20:00:00Z', '2026-03-08T12:00:00.000Z'],
    ['before the clocks go back', '2026-10-31T20:00:00Z', '2026-11-01T13:00:00.000Z'],
  ])('tomorrow is tomorrow at eight, asked %s', (_, now, morning) => {
    expect(iso(tomorrowMorning(at(now), newYork))).toBe(morning);
  });

  test.each([
    ['a Wednesday', '2026-01-21T15:00:00Z', '2026-01-26T13:00:00.000Z'],
    ['a Sunday', '2026-01-25T15:00:00Z', '2026-01-26T13:00:00.000Z'],
    ['a Monday', '2026-01-26T15:00:00Z', '2026-02-02T13:00:00.000Z'],
    ['a Monday before eight', '2026-01-26T11:00:00Z', '2026-02-02T13:00:00.000Z'],
  ])('next week is the next Monday, asked on %s', (_, now, morning) => {
    expect(iso(nextWeekMorning(at(now), newYork))).toBe(morning);
  });

  test.each([newYork, 'Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Kolkata', 'UTC'])(
    'a day of a form is that day at eight in %s',
    (zone) => {
      for (const day of ['2026-03-08', '2026-11-01', '2028-02-29', '2026-12-31']) {
        const morning = morningOf(day, zone) ?? 0;
        expect(dayAt(morning, zone)).toBe(day);
        expect(momentName(morning, zone, 'en')).toContain('08:00');
      }
    },
  );

  test.each(['2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', '', 'tomorrow', '2026-01-01T00:00'])(
    'no day: %s',
    (text) => {
      expect(morningOf(text, newYork)).toBeUndefined();
    },
  );
});

test('a moment in English has the day before the month, named, on a clock of 24 hours', () => {
  const moment = momentName(at('2026-09-01T23:05:00Z'), newYork, 'en');
  expect(moment).toMatch(/^Tuesday,? 1 September(,| at) 19:05$/);
});

describe('times of a form', () => {
  test.each([
    ['00:00', 0],
    ['07:30', 450],
    ['23:59', 1439],
    ['23:59:59', 1439],
    ['07:30:00.000', 450],
    ['24:00', undefined],
    ['7:30', undefined],
    ['07:60', undefined],
    ['', undefined],
    ['07:30 PM', undefined],
  ])('%s', (text, minutes) => {
    expect(minutesOf(text)).toBe(minutes);
    if (minutes !== undefined) expect(timeName(minutes)).toBe(text.slice(0, 5));
  });

  test('the end of a day is its beginning', () => {
    expect(timeName(1440)).toBe('00:00');
  });
});
