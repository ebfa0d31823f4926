import { describe, expect, test } from 'vitest';
import { isWelcome, nextWelcomeAt } from './quiet-hours.ts';

const newYork = 'America/New_York';
const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
/** `'22:00-07:30'` */
const window = (text: string) => ({
  startMinutes: minutes(text.slice(0, 5)),
  endMinutes: minutes(text.slice(6)),
});
const next = (at: string, text: string, zone = newYork) =>
  new Date(nextWelcomeAt(Date.parse(at), window(text), zone)).toISOString().replace('.000Z', 'Z');
const welcome = (at: string, text: string, zone = newYork) => isWelcome(Date.parse(at), window(text), zone);

describe('a window', () => {
  test('holds its start and not its end', () => {
    expect(welcome('2026-01-15T13:00:00Z', '08:00-22:00')).toBe(true);
    expect(welcome('2026-01-15T12:59:59.999Z', '08:00-22:00')).toBe(false);
    expect(welcome('2026-01-16T02:59:59.999Z', '08:00-22:00')).toBe(true);
    expect(welcome('2026-01-16T03:00:00Z', '08:00-22:00')).toBe(false);
  });

  test('mail is deferred to its start, to the millisecond; inside it, it goes at once', () => {
    expect(next('2026-01-16T03:00:00.001Z', '08:00-22:00')).toBe('2026-01-16T13:00:00Z');
    expect(next('2026-01-15T12:59:59.999Z', '08:00-22:00')).toBe('2026-01-15T13:00:00Z');
    expect(next('2026-01-15T20:12:34.567Z', '08:00-22:00')).toBe('2026-01-15T20:12:34.567Z');
  });

  test('may cross midnight', () => {
    for (const at of ['2026-01-16T03:00:00Z', '2026-01-16T05:00:00Z', '2026-01-16T12:29:59Z'])
      expect(next(at, '22:00-07:30')).toBe(at);
    expect(next('2026-01-16T12:30:00Z', '22:00-07:30')).toBe('2026-01-17T03:00:00Z');
  });

  test('may end at midnight, by either name', () => {
    for (const text of ['20:00-24:00', '20:00-00:00']) {
      expect(welcome('2026-01-16T04:59:59Z', text)).toBe(true);
      expect(welcome('2026-01-16T05:00:00Z', text)).toBe(false);
      expect(next('2026-01-16T05:00:00Z', text)).toBe('2026-01-17T01:00:00Z');
    }
  });

  test('that is none, or ends where it starts, or is the whole day, is always', () => {
    const at = Date.parse('2026-01-16T07:00:00Z');
    for (const one of [null, window('09:00-09:00'), window('00:00-00:00'), window('00:00-24:00')]) {
      expect(nextWelcomeAt(at, one, newYork)).toBe(at);
      expect(isWelcome(at, one, newYork)).toBe(true);
    }
  });

  test('is read by the clocks of the campus, and a zone that there is not is no silent UTC', () => {
    expect(welcome('2026-07-15T12:00:00Z', '08:00-09:00', newYork)).toBe(true);
    expect(welcome('2026-07-15T12:00:00Z', '15:00-16:00', 'Europe/Bucharest')).toBe(true);
    expect(() => welcome('2026-07-15T12:00:00Z', '08:00-09:00', 'Mars/Olympus')).toThrow(RangeError);
  });

  test('before 1970 days are days too', () => {
    expect(next('1969-12-31T23:30:00Z', '19:00-20:00')).toBe('1970-01-01T00:00:00Z');
  });
});

describe('America/New_York, clocks go forward on 8 March 2026 from 02:00 to 03:00', () => {
  test('a window across midnight goes on over the jump, and ends by the new time', () => {
    expect(welcome('2026-03-08T06:59:59Z', '22:00-07:00')).toBe(true);
    expect(welcome('2026-03-08T07:00:00Z', '22:00-07:00')).toBe(true);
    expect(welcome('2026-03-08T10:59:59Z', '22:00-07:00')).toBe(true);
    expect(welcome('2026-03-08T11:00:00Z', '22:00-07:00')).toBe(false);
    expect(next('2026-03-08T11:00:00Z', '22:00-07:00')).toBe('2026-03-09T02:00:00Z');
  });

  test('quiet over the night ends an hour earlier by UTC', () => {
    expect(next('2026-03-08T04:30:00Z', '08:00-22:00')).toBe('2026-03-08T12:00:00Z');
  });

  test('a start that does not come that night is the jump', () => {
    expect(next('2026-03-08T06:00:00Z', '02:30-05:00')).toBe('2026-03-08T07:00:00Z');
  });

  test('an end that does not come that night is the jump', () => {
    expect(welcome('2026-03-08T06:59:59Z', '01:00-02:30')).toBe(true);
    expect(welcome('2026-03-08T07:00:00Z', '01:00-02:30')).toBe(false);
  });

  test('a window that does not come that night comes the next, and no later', () => {
    expect(next('2026-03-08T06:00:00Z', '02:10-02:50')).toBe('2026-03-09T06:10:00Z');
  });
});

describe('America/New_York, clocks go back on 1 November 2026 from 02:00 to 01:00', () => {
  test('a window across midnight goes on through the hour that comes twice', () => {
    for (const at of ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T11:59:59Z'])
      expect(next(at, '22:00-07:00')).toBe(at);
    expect(next('2026-11-01T12:00:00Z', '22:00-07:00')).toBe('2026-11-02T03:00:00Z');
  });

  test('quiet over the night ends an hour later by UTC', () => {
    expect(next('2026-11-01T03:30:00Z', '08:00-22:00')).toBe('2026-11-01T13:00:00Z');
  });

  test('a start that comes twice is the first, and what comes between waits for the second', () => {
    expect(next('2026-11-01T05:00:00Z', '01:20-01:40')).toBe('2026-11-01T05:20:00Z');
    expect(next('2026-11-01T05:45:00Z', '01:20-01:40')).toBe('2026-11-01T06:20:00Z');
    expect(next('2026-11-01T06:45:00Z', '01:20-01:40')).toBe('2026-11-02T06:20:00Z');
  });

  test('an end that comes twice ends twice', () => {
    expect(welcome('2026-11-01T05:29:00Z', '00:00-01:30')).toBe(true);
    expect(welcome('2026-11-01T05:30:00Z', '00:00-01:30')).toBe(false);
    expect(welcome('2026-11-01T06:00:00Z', '00:00-01:30')).toBe(true);
    expect(welcome('2026-11-01T06:30:00Z', '00:00-01:30')).toBe(false);
  });
});
