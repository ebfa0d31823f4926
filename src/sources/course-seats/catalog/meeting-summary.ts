import { joined, objectsIn, tidyText } from './tidy-text.ts';

/**
 * When and where a section meets, in one line: `M 10:20-11:40 CAC SC 216; H 12:10-13:30 CAC SC 216`. Days are those of the catalog,
 * M T W H F S U, and hours go to 24. Meetings without an hour come last, with what the catalog says of them. Whatever the
 * order in which they were listed, the line is the same.
 */
export function meetingSummaryOf(meetingTimes: unknown): string {
  const meetings = objectsIn(meetingTimes, meetingsMax).flatMap(meetingsOf).sort(byTime);
  return joined(meetings.map(textOf), '; ', summaryCharactersMax) ?? toBeAnnounced;
}

export const toBeAnnounced = 'TBA';

const meetingsMax = 50;
/** Twice what the longest of a whole campus takes. */
const summaryCharactersMax = 600;
const days = 'MTWHFSU';
const dayMinutes = 24 * 60;

interface Meeting {
  /** Its place in the week; after all others where there is none. */
  day: number;
  start: number | null;
  end: number | null;
  place: string | null;
  otherwise: string;
}

/** The catalog has an entry a day; letters in a row are as many days. */
function meetingsOf(given: Record<string, unknown>): Meeting[] {
  const { start, end } = hoursOf(given);
  const rest = { start, end, place: placeOf(given), otherwise: otherwiseOf(given) };
  const letters = [...(tidyText(given.meetingDay, 10) ?? '').toUpperCase()];
  const known = letters.map((letter) => days.indexOf(letter)).filter((day) => day >= 0);
  return (known.length === 0 ? [days.length] : known).map((day) => ({ day, ...rest }));
}

function hoursOf(given: Record<string, unknown>): Pick<Meeting, 'start' | 'end'> {
  const start = minutesOf(given.startTimeMilitary);
  if (start !== null) return { start, end: minutesOf(given.endTimeMilitary) };
  const [startOnFace, endOnFace] = [minutesOf(given.startTime), minutesOf(given.endTime)];
  if (startOnFace === null) return { start: null, end: null };
  return onTheDay(startOnFace, endOnFace, tidyText(given.pmCode, 10));
}

/** A face of twelve hours: the letter is that of the beginning, and the end is the next time the hands stand there. */
function onTheDay(startOnFace: number, endOnFace: number | null, letter: string | null) {
  const half = dayMinutes / 2;
  // Without a letter it is taken as it stands: there may be a deployment whose faces have 24 hours.
  const start = letter === null ? startOnFace : (startOnFace % half) + (letter.startsWith('P') ? half : 0);
  if (endOnFace === null || letter === null) return { start, end: endOnFace };
  const end = endOnFace % half;
  return { start, end: [end, end + half].find((minutes) => minutes > start) ?? end };
}

/** `0935` → 575. */
function minutesOf(value: unknown): number | null {
  const parts = typeof value === 'string' ? /^\s*([01]?\d|2[0-3]):?([0-5]\d)\s*$/.exec(value) : null;
  return parts ? Number(parts[1]) * 60 + Number(parts[2]) : null;
}

function placeOf(given: Record<string, unknown>): string | null {
  const [building, room] = [tidyText(given.buildingCode, 20), tidyText(given.roomNumber, 20)];
  if (isOnline(given)) return 'Online';
  if (building === null && room === null) return null;
  return [tidyText(given.campusAbbrev, 20), building, room].filter((text) => text !== null).join(' ');
}

/** For a meeting that has no hour. */
function otherwiseOf(given: Record<string, unknown>): string {
  const isByArrangement = tidyText(given.baClassHours, 10) === 'B';
  if (isOnline(given)) return isByArrangement ? 'Online, hours by arrangement' : 'Online';
  return isByArrangement ? 'Hours by arrangement' : toBeAnnounced;
}

function isOnline({ meetingModeDesc }: Record<string, unknown>): boolean {
  return /\b(?:online|internet|remote)\b/i.test(tidyText(meetingModeDesc, 100) ?? '');
}

function textOf({ day, start, end, place, otherwise }: Meeting): string {
  const letter = days[day];
  if (start === null) return letter === undefined ? otherwise : `${letter} ${otherwise}`;
  const hours = end === null ? onClock(start) : `${onClock(start)}-${onClock(end)}`;
  return [letter, hours, place].filter((part) => part).join(' ');
}

function onClock(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function byTime(one: Meeting, other: Meeting): number {
  const text = [textOf(one), textOf(other)] as const;
  const start = (one.start ?? dayMinutes) - (other.start ?? dayMinutes);
  return one.day - other.day || start || (text[0] < text[1] ? -1 : text[0] > text[1] ? 1 : 0);
}
