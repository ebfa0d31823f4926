import type { Locale } from '../../../emails/words.ts';
import { nextWelcomeAt } from '../../../sources/course-seats/subscriptions/quiet-hours.ts';

/** Days and times as the clocks of a campus show them, for forms and sentences. */
const morning = { startMinutes: 8 * 60, endMinutes: 8 * 60 + 1 }; // A snooze ends when people are up.
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** `2026-03-09`, as a form writes a day. */
export function dayAt(at: number, timeZone: string): string {
  // The one language whose short date is ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

/** Eight in the morning of that day; undefined where there is no such day. */
export function morningOf(day: string, timeZone: string): number | undefined {
  const noon = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T12:00:00Z`) : Number.NaN;
  if (Number.isNaN(noon) || new Date(noon).toISOString().slice(0, 10) !== day) return undefined;
  // No clock is more than fourteen hours away from UTC, so that the first of these mornings may be one too early.
  let at = nextWelcomeAt(noon - dayMs, morning, timeZone);
  while (dayAt(at, timeZone) < day) at = nextWelcomeAt(at + minuteMs, morning, timeZone);
  return at;
}

export function tomorrowMorning(now: number, timeZone: string): number {
  const today = dayAt(now, timeZone);
  let at = nextWelcomeAt(now, morning, timeZone);
  while (dayAt(at, timeZone) <= today) at = nextWelcomeAt(at + minuteMs, morning, timeZone);
  return at;
}

/** Of the next Monday, which is never today. */
export function nextWeekMorning(now: number, timeZone: string): number {
  let at = tomorrowMorning(now, timeZone);
  while (new Date(`${dayAt(at, timeZone)}T12:00:00Z`).getUTCDay() !== 1) at = tomorrowMorning(at, timeZone);
  return at;
}

export function momentName(at: number, timeZone: string, locale: Locale): string {
  const whole = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  // In English the day before the month, as most of the world writes it.
  const tag = locale === 'en' ? 'en-GB' : locale;
  return new Intl.DateTimeFormat(tag, { timeZone, hourCycle: 'h23', ...whole }).format(at);
}

/** `07:30` of 450. */
export function timeName(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}

/** 450 of `07:30`; a browser may add seconds. */
export function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d(?:\.\d+)?)?$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
