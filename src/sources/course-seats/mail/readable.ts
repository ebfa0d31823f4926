/**
 * Words from the catalog as a mail may hold them. They are a stranger's, and a template refuses what it cannot show: a title
 * with a line break would lose somebody their mail. So everything is brought into one short line here.
 */
export function lineOf(text: string | null | undefined, charactersMax: number): string {
  const line = (text ?? '')
    .toWellFormed()
    // Signs that turn round what stands beside them; and the byte order mark, which some readers drop.
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    // In a subject this would begin an encoded word, which a mail program shows as another text.
    .replaceAll('=?', '= ?')
    .trim();
  if (line.length <= charactersMax) return line;
  const cut = line.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
}

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
  const day = { weekday: 'short', day: 'numeric', month: 'long' } as const;
  // Of 24 hours in every language, as the catalog's own times beside it are.
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  const format = new Intl.DateTimeFormat(localeOr(locale), { ...day, ...time, timeZone });
  return format.format(at);
}

/** A tag that is none is no reason to fail here: the template says that it is not written in it. */
function localeOr(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}
