import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meetingSummaryOf } from './meeting-summary.ts';

const room = { campusAbbrev: 'CAC', buildingCode: 'SC', roomNumber: '216', meetingModeDesc: 'LEC' };
const at = (meetingDay: string, startTimeMilitary: string, endTimeMilitary: string, more = {}) => ({
  ...{ ...room, meetingDay, startTimeMilitary, endTimeMilitary, ...more },
});
const onFace = (startTime: string, endTime: string, pmCode: string) =>
  meetingSummaryOf([{ meetingDay: 'M', startTime, endTime, pmCode }]);

test('a line a meeting, by weekday and hour, whatever their order in the catalog', () => {
  const meetings = [
    at('U', '0900', '1200'),
    at('H', '1400', '1500'),
    at('S', '0900', '1200', { buildingCode: 'HLL', roomNumber: '114' }),
    at('H', '1210', '1330'),
    at('M', '1020', '1140'),
    at('F', '1020', '1140'),
    at('T', '1020', '1140'),
    at('W', '1020', '1140'),
  ];
  const expected =
    'M 10:20-11:40 CAC SC 216; T 10:20-11:40 CAC SC 216; W 10:20-11:40 CAC SC 216; H 12:10-13:30 CAC SC 216; ' +
    'H 14:00-15:00 CAC SC 216; F 10:20-11:40 CAC SC 216; S 09:00-12:00 CAC HLL 114; U 09:00-12:00 CAC SC 216';
  expect(meetingSummaryOf(meetings)).toBe(expected);
  fc.assert(
    fc.property(fc.shuffledSubarray(meetings, { minLength: meetings.length }), (shuffled) => {
      expect(meetingSummaryOf(shuffled)).toBe(expected);
    }),
  );
});

test('hours on a face of twelve: the letter is that of the beginning', () => {
  expect(onFace('0935', '1055', 'A')).toBe('M 09:35-10:55');
  expect(onFace('0200', '0300', 'P')).toBe('M 14:00-15:00');
  expect(onFace('1110', '1230', 'A')).toBe('M 11:10-12:30');
  expect(onFace('1020', '0110', 'A')).toBe('M 10:20-13:10');
  expect(onFace('1210', '0130', 'P')).toBe('M 12:10-13:30');
  expect(onFace('0600', '0850', 'P')).toBe('M 18:00-20:50');
  expect(onFace('1200', '1255', 'A')).toBe('M 00:00-00:55');
  expect(onFace('1100', '1230', 'P')).toBe('M 23:00-00:30');
});

test('hours on a face and hours of the day say the same, for every lesson of a day', () => {
  const face = (minutes: number) => {
    const hour = Math.floor(minutes / 60);
    return `${String(hour % 12 || 12).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
  };
  const military = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
  const different: string[] = [];
  for (let start = 0; start < 1440; start += 15) {
    for (let end = start + 5; end < Math.min(1440, start + 720); end += 35) {
      const shown = onFace(face(start), face(end), start < 720 ? 'A' : 'P');
      const hours = { startTimeMilitary: military(start), endTimeMilitary: military(end) };
      if (shown !== meetingSummaryOf([{ meetingDay: 'M', ...hours }])) different.push(shown);
    }
  }
  expect(different).toEqual([]);
});

test('without an hour it is what the catalog says, or to be announced', () => {
  const nowhere = {
    ...{ meetingDay: '', startTimeMilitary: '', startTime: '', buildingCode: '', roomNumber: '' },
  };
  const byArrangement = { ...nowhere, baClassHours: 'B', meetingModeDesc: 'PROJ-IND', campusAbbrev: 'CAM' };
  const online = { ...nowhere, meetingModeDesc: 'ONLINE INSTRUCTION(INTERNET)' };
  expect(meetingSummaryOf([byArrangement])).toBe('Hours by arrangement');
  expect(meetingSummaryOf([{ ...online, baClassHours: 'B' }])).toBe('Online, hours by arrangement');
  expect(meetingSummaryOf([online])).toBe('Online');
  expect(meetingSummaryOf([nowhere])).toBe('TBA');
  expect(meetingSummaryOf([])).toBe('TBA');
  expect(meetingSummaryOf([byArrangement, at('M', '1020', '1140')])).toBe(
    'M 10:20-11:40 CAC SC 216; Hours by arrangement',
  );
  expect(meetingSummaryOf([{ ...nowhere, meetingDay: 'F' }])).toBe('F TBA');
});

test('an online lesson with an hour has that, and a lesson that is listed twice is told once', () => {
  const online = at('M', '1020', '1140', {
    buildingCode: '',
    roomNumber: '',
    meetingModeDesc: 'REMOTE-SYNCH',
  });
  expect(meetingSummaryOf([online, online])).toBe('M 10:20-11:40 Online');
  expect(meetingSummaryOf([at('MW', '1020', '', { roomNumber: 7 })])).toBe(
    'M 10:20 CAC SC 7; W 10:20 CAC SC 7',
  );
});

test('whatever stands there, it is one line of a bounded length', () => {
  const odd = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constantFrom('M', 'U', '0935', 'B'));
  const keys = [...Object.keys(at('M', '', '')), 'startTime', 'endTime', 'pmCode', 'baClassHours'];
  const meeting = fc.dictionary(fc.constantFrom(...keys), odd);
  fc.assert(
    fc.property(fc.oneof(fc.array(meeting), fc.jsonValue()), (meetings) => {
      const summary = meetingSummaryOf(meetings);
      expect(summary).toMatch(/^[^\p{Cc}]+$/u);
      expect(summary.length).toBeLessThanOrEqual(600);
    }),
  );
  const many = Array.from({ length: 50 }, (_, number) =>
    at('M', '1020', '1140', { roomNumber: String(number) }),
  );
  expect(meetingSummaryOf(many)).toMatch(/…$/);
});
