import type { SectionStatus, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { Locale } from '../../../emails/words.ts';
import type { CampusCode, Term } from '../../../sources/course-seats/term.ts';
import { english } from './words-en.ts';
import { romanian } from './words-ro.ts';
import { chinese } from './words-zh-cn.ts';

/**
 * What the pages for students say. Whatever the catalog says itself (titles, rooms, restrictions) stays in its own language.
 * No sentence tells whether an address watches something, and none about an unknown link differs from one about an old one.
 */
export interface SeatsWords {
  /** Before the numbers of some sections. */
  sampleMoving: string;
  /** One of them, a link, and how it stands. */
  sampleStands(link: string, status: string): string;
  /** While no mail service is set up. */
  builtInInbox: { text: string; link: string };
  /** Name of these pages, and the way back to their first. */
  name: string;
  toSearch: string;
  /** Where the campus is not there. */
  sample: string;
  colon: string;
  sectionStatus: Readonly<Record<SectionStatus, string>>;
  watchStatus: Readonly<Record<SubscriptionStatus | 'snoozed', string>>;
  campuses: Readonly<Record<CampusCode, string>>;
  term(term: Term): string;
  /** Of milliseconds: "6 s ago". */
  ago(ms: number): string;
  freshness: FreshnessWords;
  hours: HoursWords;
  section: SectionWords;
  search: SearchWords;
  watch: WatchWords;
  asked: AskedWords;
  confirm: ConfirmWords;
  manage: ManageWords;
  notices: Readonly<Record<Notice, Says>>;
}

interface Says {
  title: string;
  text: string;
}

/** Why there is a page that is none of the others. */
export type Notice = 'noSection' | 'noLink' | 'tooMany' | 'foreign' | 'failed' | 'sectionFull' | 'limited';

interface FreshnessWords {
  checked(ago: string): string;
  /** The list that came is too short to be believed. */
  held(ago: string): string;
  stale(ago: string): string;
  /** Nobody watches there, so that nobody asks. */
  asleep: string;
}

interface SectionWords {
  name(number: string): string;
  index: string;
  meets: string;
  noTimes: string;
  instructors: string;
  permission: string;
  restrictions: string;
  twins: string;
  notes: string;
  gone: string;
  /** Its term. */
  over: string;
}

interface SearchWords {
  title: string;
  lead: string;
  label: string;
  hint: string;
  term: string;
  allTerms: string;
  campus: string;
  allCampuses: string;
  button: string;
  watch: string;
  watchNamed(number: string, index: string): string;
  found(courses: number): string;
  more: string;
  sections(count: number, open: number): string;
  /** Where those with a free seat are left out. */
  closedSections(count: number): string;
  /** The choice, and where it leaves nothing of what was found. */
  onlyClosed: string;
  noneClosed: Says;
  none: Says;
  empty: Says;
  /** No catalog, and the university does not answer. */
  failing: Says;
}

interface WatchWords {
  /** `before` is for who does not watch it yet. */
  openNow: Says & { before: string; watching: string };
  register: string;
  heading: string;
  lead: string;
  email: string;
  emailHint: string;
  hoursHeading: string;
  hoursEmpty: string;
  button: string;
  badEmail: string;
  badHours: string;
}

interface HoursWords {
  hint(zone: string): string;
  from: string;
  to: string;
}

/** One paragraph each. */
interface AskedWords {
  title: string;
  press: string;
  several: string;
  already: string;
  nothing: string;
  stoppedAll: string;
  /** Where addresses are taken as they come. */
  unverified: Says;
  again: string;
}

interface ConfirmWords extends Says {
  /** Where more than one section waits. */
  several: Says;
  button: string;
}

interface ManageWords {
  title: string;
  /** What was just done. */
  done: Readonly<Record<Step, string>>;
  /** Where what was taken back is not being watched: it never was confirmed, or was paused or snoozed. */
  undoneTo: { pending: string; other: string };
  refused: string;
  /** Nothing was changed, and what can be filled in. */
  badSnooze: string;
  badHours: string;
  badMost: string;
  /** To go on they must answer a mail. */
  asked: string;
  askedTooOften: string;
  /** The address is still on the list of those that are not mailed. */
  stillStopped: string;
  steps: Readonly<Record<Step, string>>;
  /** The label of a button beside others of its kind, for whoever hears the page. */
  stepFor(step: string, section: string): string;
  pending: string;
  suppressed: string;
  stoppedAll: string;
  /** For a watch that has ended besides. */
  againFirst: string;
  ended: string;
  undoUntil(when: string): string;
  pausedByLimit: string;
  snooze: {
    heading: string;
    hint: string;
    until(when: string): string;
    tomorrow: string;
    nextWeek: string;
    date: string;
  };
  hours: { heading: string; now(from: string, to: string): string; always: string };
  most: {
    heading: string;
    hint: string;
    label: string;
    sent(count: number, most: number | null): string;
    none: string;
  };
  siblings: string;
}

export const steps = [
  'confirm',
  'pause',
  'resume',
  'snooze',
  'wake',
  'hours',
  'always',
  'most',
  'stop',
  'undo',
  'again',
] as const;
export type Step = (typeof steps)[number];

export const seatsWords: Readonly<Record<Locale, SeatsWords>> = {
  en: english,
  ro: romanian,
  'zh-CN': chinese,
};
