import { parseUrl } from './std/url.ts';
import { listOf, type Variable } from './variable.ts';

/** The settings of course seats: where the section feed is, what is polled, and who is written to. */
export interface SeatsConfig {
  /** Where the section feed is; empty for the sample campus, or for none. */
  readonly socBaseUrl: string;
  /** Polled besides those that somebody watches. */
  readonly socTerms: readonly string[];
  readonly socCampuses: readonly string[];
  readonly socTimeZone: string;
  readonly verifiesAddresses: boolean;
}

export const seatsVariables = {
  socBaseUrl: {
    name: 'SOC_BASE_URL',
    default: '',
    meaning:
      'Where the section feed for course seats is, up to `openSections.json`: `https://classes.rutgers.edu/soc/api`. Without it, and with the built-in inbox, a sample campus is polled; with `off`, none.',
    read: (text) =>
      text === '' || text === 'off' || (parseUrl(text) && /^https?:\/\/[^?#\s]+$/.test(text))
        ? { value: text.replace(/\/+$/, '') }
        : { mustBe: 'a URL that begins with https:// or http://, or off' },
  } as Variable<string>,
  socTerms: {
    name: 'SOC_TERMS',
    default: '',
    meaning:
      'Terms that are polled and whose catalogs are read besides those that somebody watches, as the feed numbers them: `12026,92026` (0 winter, 1 spring, 7 summer, 9 fall, then the year). Without it, the one that people register for at this time of the year: spring from October to March, fall from April to September.',
    read: listOf(/^[0179]20\d\d$/, 'terms such as 12026, separated by commas'),
  } as Variable<readonly string[]>,
  socCampuses: {
    name: 'SOC_CAMPUSES',
    default: 'NB,NK,CM',
    meaning: 'Campuses that are polled in those terms, separated by commas.',
    read: listOf(/^(ONLINE_)?(NB|NK|CM)$/, 'some of NB, NK, CM, ONLINE_NB, ONLINE_NK, ONLINE_CM'),
  } as Variable<readonly string[]>,
  socTimeZone: {
    name: 'SOC_TIME_ZONE',
    default: 'America/New_York',
    meaning: 'Time zone of the campuses: quiet hours and the times in mails are in it.',
    read: (text) =>
      Intl.supportedValuesOf('timeZone').includes(text) || text === 'UTC'
        ? { value: text }
        : { mustBe: 'a time zone such as America/New_York' },
  } as Variable<string>,
  verifiesAddresses: {
    name: 'SEATS_VERIFY_ADDRESSES',
    default: 'true',
    meaning:
      'With `true`, who watches a section hears of it only after following the link in a first mail. With `false`, anybody can have others written to.',
    read: (text) =>
      text === 'true' || text === 'false' ? { value: text === 'true' } : { mustBe: 'true or false' },
  } as Variable<boolean>,
} satisfies { [Key in keyof SeatsConfig]: Variable<SeatsConfig[Key]> };
