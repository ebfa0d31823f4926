import type { DeliveryWindow } from './subscriptions.ts';

/**
 * When mail is welcome. A window is minutes of the day as the campus's clocks show them, from its start up to its end, across
 * midnight if it ends before it starts; one that ends where it starts, and none, are the whole day.
 *
 * Welcome is every instant at which the clocks show such a minute, and nothing else decides: so where clocks go forward over
 * the start, mail is welcome from the jump on; a window that the jump swallows whole does not come that night, but the next; and
 * where clocks go back, a minute that is shown twice is welcome twice. Nobody waits longer than until the next day's start.
 */
export function nextWelcomeAt(atMs: number, window: DeliveryWindow | null, timeZone: string): number {
  if (window === null || isWholeDay(window)) return atMs;
  const startMs = window.startMinutes * minuteMs;
  for (let at = atMs; ; ) {
    const { offsetMs, until } = spanAt(at, timeZone);
    const time = timeOfDay(at + offsetMs);
    if (isWithin(window, time)) return at;
    const start = at + modulo(startMs - time, dayMs);
    if (start < until) return start;
    at = until;
  }
}

export function isWelcome(atMs: number, window: DeliveryWindow | null, timeZone: string): boolean {
  if (window === null || isWholeDay(window)) return true;
  return isWithin(window, timeOfDay(atMs + spanAt(atMs, timeZone).offsetMs));
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

const modulo = (value: number, by: number) => ((value % by) + by) % by;
const timeOfDay = (localMs: number) => modulo(localMs, dayMs);

const isWholeDay = ({ startMinutes, endMinutes }: DeliveryWindow) =>
  startMinutes === endMinutes || (startMinutes === 0 && endMinutes * minuteMs === dayMs);

function isWithin({ startMinutes, endMinutes }: DeliveryWindow, timeMs: number): boolean {
  const minute = Math.floor(timeMs / minuteMs);
  return startMinutes < endMinutes
    ? startMinutes <= minute && minute < endMinutes
    : startMinutes <= minute || minute < endMinutes;
}

/** A stretch of time in which the clocks of a zone are not changed. */
interface Span {
  /** What is to be added to UTC to get what they show. */
  offsetMs: number;
  until: number;
}

/**
 * Fan-out asks for each subscriber, always about today and tomorrow: so each day's spans (one, on nearly all) are kept. A
 * question takes 0.6 µs then; to ask Intl for one offset took 22 on the same machine.
 */
const spans = new Map<string, Map<number, readonly Span[]>>();
const daysKeptMax = 1000;

function spanAt(at: number, timeZone: string): Span {
  let days = spans.get(timeZone);
  if (!days) {
    days = new Map();
    spans.set(timeZone, days);
  }
  const day = Math.floor(at / dayMs);
  let found = days.get(day);
  if (!found) {
    found = spansOf(day * dayMs, timeZone);
    if (days.size >= daysKeptMax) days.clear();
    days.set(day, found);
  }
  for (const span of found) if (at < span.until) return span;
  throw new Error(`quiet hours: ${at} is in none of the spans of its day in ${timeZone}`);
}

/** Of one day in UTC, in order. No zone has changed its clocks twice in one day since there are zones. */
function spansOf(from: number, timeZone: string): Span[] {
  const until = from + dayMs;
  const before = offsetAt(from, timeZone);
  const after = offsetAt(until - 1, timeZone);
  if (before === after) return [{ offsetMs: before, until }];
  let low = from;
  let high = until - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, timeZone) === before) low = middle;
    else high = middle;
  }
  return [
    { offsetMs: before, until: high },
    { offsetMs: after, until },
  ];
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(at: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    const whole = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...whole, ...time });
    formats.set(timeZone, format);
  }
  const shown: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
