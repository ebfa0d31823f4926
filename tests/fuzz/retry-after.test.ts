import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/domain/policy.ts';
import { patience, runs } from './runs.ts';

const daySeconds = 86_400;
const dayMs = daySeconds * 1000;
const second = fc.integer({ min: Date.UTC(1970) / 1000, max: Date.UTC(2200) / 1000 });
const wait = fc.integer({ min: 0, max: daySeconds });

/** The three forms of RFC 9110 5.6.7, from the parts that JavaScript itself writes. */
function datesOf(atSecond: number): [string, string, string] {
  const at = new Date(atSecond * 1000);
  const present = at.toUTCString();
  const [weekday = '', day = '', month = '', year = '', time = ''] = present.replace(',', '').split(' ');
  const whole = at.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  return [
    present,
    `${whole}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ];
}

it(
  'every moment of the next day is read back to the second, in the present form and in the obsolete ones',
  patience,
  () => {
    fc.assert(
      fc.property(second, wait, (now, seconds) => {
        const waits = datesOf(now + seconds).map((date) => parseRetryAfter(date, now * 1000));
        expect(waits).toEqual([seconds * 1000, seconds * 1000, seconds * 1000]);
      }),
      runs(1000),
    );
  },
);

it(
  'what lies further off is a day, what is past is now, and milliseconds of our own clock are not lost',
  patience,
  () => {
    fc.assert(
      fc.property(second, fc.nat(40 * 365 * daySeconds), fc.nat(999), (now, seconds, ms) => {
        for (const date of datesOf(now + seconds)) {
          const expected = Math.min(dayMs, Math.max(0, seconds * 1000 - ms));
          expect(parseRetryAfter(date, now * 1000 + ms), date).toBe(expected);
        }
        for (const date of datesOf(Math.max(0, now - seconds))) {
          expect(parseRetryAfter(date, now * 1000 + ms), date).toBe(0);
        }
      }),
      runs(1000),
    );
  },
);

it('any count of seconds is that long, up to a day', patience, () => {
  fc.assert(
    fc.property(fc.oneof(fc.bigInt({ min: 0n, max: 200_000n }), fc.bigInt({ min: 0n })), (seconds) => {
      const expected = seconds > BigInt(daySeconds) ? dayMs : Number(seconds) * 1000;
      expect(parseRetryAfter(String(seconds), 0)).toBe(expected);
      expect(parseRetryAfter(['x', String(seconds), '0'], 0)).toBe(expected);
    }),
    runs(500),
  );
});

it('a date with a sign changed says nothing, or what JavaScript reads in it as well', patience, () => {
  const changed = fc
    .tuple(second, wait, fc.nat(), fc.constantFrom(...'0123456789 ,:-GMTSunJdezA\r\n\0٣'), fc.nat(2))
    .map(([now, seconds, place, sign, kind]) => {
      const [date] = datesOf(now + seconds);
      const at = place % date.length;
      const rest = [date.slice(at + 1), date.slice(at), date.slice(at + 1)][kind];
      return { now: now * 1000, text: `${date.slice(0, at)}${kind === 2 ? '' : sign}${rest}` };
    });
  fc.assert(
    fc.property(changed, ({ now, text }) => {
      const found = parseRetryAfter(text, now);
      if (found === null) return;
      expect(Number.isSafeInteger(found) && found >= 0 && found <= dayMs).toBe(true);
      if (/:60 GMT\s*$/.test(text)) return; // A leap second, which JavaScript does not know.
      if (/ 00\d\d /.test(text)) return; // JavaScript takes the year 7 for 2007; ours is past in any case.
      // The present form may say any weekday; JavaScript does not compare it, either.
      const atMs = Date.parse(text.trim());
      expect(found, text).toBe(Math.min(dayMs, Math.max(0, atMs - now)));
    }),
    runs(3000),
  );
});
