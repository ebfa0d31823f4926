/**
 * `M 10:20-11:40 BUS HIL 114; H …` for somebody who is not at home in the feed, where H is Thursday: a line for each meeting,
 * with the day in the reader's language. What does not begin with the feed's days stays as it is.
 */
export function meetingsOf(summary: string, locale: string): string {
  const days = daysOf(locale);
  return summary
    .split('; ')
    .map((meeting) => meeting.replace(/^[MTWHFSU](?= )/, (letter) => days.get(letter) ?? letter))
    .join('\n');
}

/** 5 January 2026 was a Monday. */
const mondayAt = Date.UTC(2026, 0, 5);
const daysByLocale = new Map<string, ReadonlyMap<string, string>>();

function daysOf(locale: string): ReadonlyMap<string, string> {
  const known = daysByLocale.get(locale);
  if (known) return known;
  const format = new Intl.DateTimeFormat(localeOr(locale), { weekday: 'short', timeZone: 'UTC' });
  const days = new Map(
    [...'MTWHFSU'].map((letter, at) => [letter, format.format(mondayAt + at * 86_400_000)]),
  );
  if (daysByLocale.size < localesKeptMax) daysByLocale.set(locale, days);
  return days;
}

const localesKeptMax = 50;

/** When, as the campus's clocks show it, with the name of their time: a reader may be elsewhere. */
export function timeOf(at: number, locale: string, timeZone: string): string {
  const tag = localeOr(locale);
  const day = { weekday: 'short', day: 'numeric', month: 'long' } as const;
  // Of 24 hours in every language, as the catalog's own times beside it are.
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  const inFormat = (named: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(named, { ...options, timeZone }).format(at);
  // In English the day before the month, as most of the world writes it; the name of the time, EST, is only known in that of the US.
  if (/^en\b/.test(tag)) return `${inFormat('en-GB', day)}, ${inFormat('en-US', time)}`;
  return inFormat(tag, { ...day, ...time });
}

/** A tag that is none is no reason to fail here: the template says that it is not written in it. */
function localeOr(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}
