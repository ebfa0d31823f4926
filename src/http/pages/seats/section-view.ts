import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { Locale } from '../../../emails/words.ts';
import type { SectionDetails } from '../../../sources/course-seats/catalog/catalog.ts';
import { meetingsOf } from '../../../sources/course-seats/mail/readable.ts';
import type { Watch } from '../../../sources/course-seats/subscriptions/subscriptions.ts';
import { type CampusCode, parseTermId, termEndsAt } from '../../../sources/course-seats/term.ts';
import { escapeHtml } from '../html.ts';
import { type SeatsWords, seatsWords } from './words.ts';

/** The pieces of which pages about sections are made. Whatever the catalog says is foreign text, and escaped here. */

/** When the list that a section is in was last believed. */
export interface Freshness {
  goodAt: number | null;
  isHeld: boolean;
  /** The list could not be read lately. */
  isStale: boolean;
}

type Sign = readonly [sign: string, meaning: string];
const sectionSigns: Readonly<Record<SectionStatus, Sign>> = {
  Open: ['●', 'good'],
  Closed: ['■', 'stopped'],
  Wait: ['◐', 'hand'],
  Unknown: ['○', 'stopped'],
};
const watchSigns: Readonly<Record<Watch['status'] | 'snoozed', Sign>> = {
  active: ['●', 'good'],
  snoozed: ['◐', 'hand'],
  pending: ['◐', 'hand'],
  paused: ['■', 'stopped'],
  suppressed: ['▲', 'person'],
  unsubscribed: ['■', 'stopped'],
};

const chip = ([sign, meaning]: Sign, word: string) =>
  `<span class="chip ${meaning}"><span aria-hidden="true">${sign}</span> ${escapeHtml(word)}</span>`;

export const sectionChip = (status: SectionStatus, words: SeatsWords) =>
  chip(sectionSigns[status], words.sectionStatus[status]);

/** One that is snoozed watches, but does not write: green would say more than is true. */
export function watchChip(watch: Watch, now: number, words: SeatsWords): string {
  const status = watch.status === 'active' && isSnoozed(watch, now) ? 'snoozed' : watch.status;
  return chip(watchSigns[status], words.watchStatus[status]);
}

export const isSnoozed = ({ preferences: { snoozeUntil } }: Watch, now: number) =>
  snoozeUntil !== null && snoozeUntil > now;

/** In the catalog's own language, and said to be so where the page has another. */
export const foreign = (text: string, locale: Locale) =>
  locale === 'en' ? escapeHtml(text) : `<span lang="en">${escapeHtml(text)}</span>`;

export function termName(termId: string, words: SeatsWords): string {
  const term = parseTermId(termId);
  return term ? words.term(term) : termId;
}

/** Nothing of it can be watched any more. */
export const isOver = ({ termId }: { termId: string }, now: number) =>
  (termEndsAt(termId) ?? Number.POSITIVE_INFINITY) <= now;

export const campusName = (code: string, words: SeatsWords) => words.campuses[code as CampusCode] ?? code;

export function freshnessLine(
  { goodAt, isHeld, isStale }: Freshness,
  now: number,
  words: SeatsWords,
): string {
  const { freshness } = words;
  if (goodAt === null) return `<p class="quiet">${escapeHtml(freshness.asleep)}</p>`;
  const ago = words.ago(now - goodAt);
  if (!isHeld && !isStale) return `<p class="quiet">${escapeHtml(freshness.checked(ago))}</p>`;
  const sentence = isHeld ? freshness.held(ago) : freshness.stale(ago);
  return `<p class="warning"><span aria-hidden="true">▲</span> ${escapeHtml(sentence)}</p>`;
}

/** `M 10:20-11:40 CAC SC 216; H …`: one meeting a line, the day in the reader's language, as mails have it. */
export function meetingLines(summary: string, words: SeatsWords, locale: Locale): string {
  const meetings = summary
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'TBA');
  if (meetings.length === 0) return escapeHtml(words.section.noTimes);
  return meetings.map((one) => meetingLine(one, locale)).join('<br>');
}

function meetingLine(meeting: string, locale: Locale): string {
  const named = meetingsOf(meeting, locale);
  if (named === meeting) return foreign(meeting, locale);
  const rest = meeting.slice(1);
  return `${escapeHtml(named.slice(0, named.length - rest.length))}${foreign(rest, locale)}`;
}

/** What must be known before anybody hurries to register. */
export function warnings(section: SectionDetails, words: SeatsWords, locale: Locale): string[] {
  const { permission, restrictions } = words.section;
  const labelled = (label: string, text: string) =>
    `<span class="warning"><span aria-hidden="true">▲</span> ${escapeHtml(label)}</span>${escapeHtml(words.colon)}${foreign(text, locale)}`;
  return [
    ...(section.specialPermission ? [labelled(permission, section.specialPermission)] : []),
    ...(section.restrictions ? [labelled(restrictions, section.restrictions)] : []),
  ];
}

/** As a heading and a mail's subject would name it. */
export function sectionName(
  of: { termId: string; indexNumber: string; section: SectionDetails | undefined },
  words: SeatsWords,
): string {
  const { section } = of;
  return section
    ? `${section.courseString} ${section.subtitle ?? section.courseTitle}`
    : `${words.section.index} ${of.indexNumber}`;
}

/** The same as a heading: the code small, because everybody knows the title. */
export function sectionHeading(
  of: Parameters<typeof sectionName>[0],
  words: SeatsWords,
  locale: Locale,
): string {
  const { section } = of;
  if (!section) return escapeHtml(sectionName(of, words));
  const title = foreign(section.subtitle ?? section.courseTitle, locale);
  return `<span class="code">${escapeHtml(section.courseString)} </span>${title}`;
}

export const sectionLine = (number: string | undefined, status: SectionStatus, words: SeatsWords) =>
  `<p>${number === undefined ? '' : `${escapeHtml(words.section.name(number))} · `}${sectionChip(status, words)}</p>`;

export function sectionFacts(section: SectionDetails, locale: Locale): string {
  const words = seatsWords[locale];
  const { index, meets, instructors, twins, notes } = words.section;
  const facts: [string, string][] = [
    [index, `<span class="mono">${escapeHtml(section.indexNumber)}</span>`],
    [words.search.term, escapeHtml(termName(section.termId, words))],
    [words.search.campus, escapeHtml(campusName(section.campusCode, words))],
    [meets, meetingLines(section.meetingSummary, words, locale)],
  ];
  if (section.instructors) facts.push([instructors, foreign(section.instructors, locale)]);
  if (section.crossListed.length > 0) {
    const names = section.crossListed.map((twin) => `${twin.courseString} (${twin.index})`).join(', ');
    facts.push([twins, escapeHtml(names)]);
  }
  if (section.notes) facts.push([notes, foreign(section.notes, locale)]);
  const told = warnings(section, words, locale).map((line) => `<p>${line}</p>`);
  const list = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`).join('');
  return `${told.join('\n')}\n<dl>${list}</dl>`;
}

/** Whoever looks at an open section need not wait for a mail. */
export function openNow(
  url: string | undefined,
  words: SeatsWords,
  whose: 'before' | 'watching' | null,
): string {
  const { openNow: says, register } = words.watch;
  const next = whose === null ? '' : ` ${escapeHtml(says[whose])}`;
  const link =
    url === undefined
      ? ''
      : `\n<p><a class="button" href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(register)}</a></p>`;
  return `<div class="told good"><p><strong>${escapeHtml(says.title)}</strong> ${escapeHtml(says.text)}${next}</p>${link}</div>`;
}
