/**
 * A moment as other systems keep it: with a zone or, in UTC, without; or as seconds or milliseconds since 1970. Null for what is none,
 * and for what cannot be one: a time is never a reason to leave a row behind.
 */
export function readOldTime(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const trimmed = text.trim();
  if (/^\d{9,14}(\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    return Math.floor(number < secondsMax ? number * 1000 : number);
  }
  const found =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i.exec(trimmed);
  if (!found) return null;
  const [, day = '', time = '00:00:00', fraction = '', zone = 'Z'] = found;
  // PostgreSQL writes whole hours short.
  const offset = /^z$/i.test(zone)
    ? 'Z'
    : zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const at = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset}`);
  return Number.isNaN(at) ? null : at;
}

/** As milliseconds this would be March 1973, before there was anything to keep; as seconds it is the year 5138. */
const secondsMax = 100_000_000_000;
