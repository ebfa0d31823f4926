import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { Locale } from '../../../emails/words.ts';
import type { FoundCourse, SectionDetails } from '../../../sources/course-seats/catalog/catalog.ts';
import { campusCodes } from '../../../sources/course-seats/term.ts';
import { escapeHtml } from '../html.ts';
import { inboxLine, seatsPage } from './frame.ts';
import {
  campusName,
  type Freshness,
  foreign,
  freshnessLine,
  meetingLines,
  sectionChip,
  termName,
  warnings,
} from './section-view.ts';
import { type SeatsWords, seatsWords } from './words.ts';

/** The search, and what it found: courses with their sections, each a step away from being watched. */
export interface SearchPage {
  locale: Locale;
  now: number;
  terms: readonly string[];
  isSample: boolean;
  /** Mail goes to the built-in inbox. */
  hasInbox: boolean;
  /** Of a sample: what is worth watching. */
  moving: readonly Moving[];
  asked: Search;
  /** The university does not answer. */
  isFailing: boolean;
  /** Undefined where nothing was asked for yet. */
  found: readonly FoundCourse[] | undefined;
  /** Something was found, and left out because it is open. */
  isAllOpen: boolean;
  /** There may be more than are shown. */
  isCut: boolean;
  freshnessOf(section: { termId: string; campusCode: string }): Freshness;
}

interface Moving {
  termId: string;
  indexNumber: string;
  /** Undefined where the catalog has not been read yet. */
  status: SectionStatus | undefined;
}

/** What a form asks for. */
interface Search {
  text: string;
  termId: string;
  campusCode: string;
  isOnlyClosed: boolean;
}

/** As the end of an address, so that whoever goes on from here finds the way back. */
function addressOf({ text, termId, campusCode, isOnlyClosed }: Search): string {
  const fields = { q: text, term: termId, campus: campusCode, ...(isOnlyClosed && { closed: '1' }) };
  return `?${new URLSearchParams(fields)}`;
}

/** Beyond this, sections are folded under their course. */
const sectionsShownMax = 30;

/** Sections, so that whoever tries it need not guess which of hundreds will open, and finds one that is closed. */
function sample({ moving, locale }: SearchPage, words: SeatsWords): string {
  const links = moving.map(({ termId, indexNumber, status }) => {
    const link = `<a href="seats/${escapeHtml(termId)}/${escapeHtml(indexNumber)}">${escapeHtml(indexNumber)}</a>`;
    return status === undefined ? link : words.sampleStands(link, escapeHtml(words.sectionStatus[status]));
  });
  const list = new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(links);
  const says = moving.length === 0 ? '' : ` ${escapeHtml(words.sampleMoving)} ${list}.`;
  return `<p class="quiet">${escapeHtml(words.sample)}${says}</p>\n`;
}

export function searchPage(page: SearchPage): string {
  const { locale, terms, found, isSample, hasInbox } = page;
  const words = seatsWords[locale];
  const { search } = words;
  const content = `<h1>${escapeHtml(search.title)}</h1>
<p>${escapeHtml(search.lead)}</p>
${isSample ? sample(page, words) : ''}${hasInbox ? `${inboxLine(words, '')}\n` : ''}${terms.length === 0 ? says(page.isFailing ? search.failing : search.empty) : `${form(page, words)}\n${found ? results(page, found, words) : ''}`}`;
  return seatsPage({ locale, title: search.title, toRoot: '', isSearch: true, content });
}

const says = ({ title, text }: { title: string; text: string }) =>
  `<h2>${escapeHtml(title)}</h2>\n<p>${escapeHtml(text)}</p>`;

function form({ terms, asked }: SearchPage, words: SeatsWords): string {
  const { search } = words;
  const option = (value: string, name: string, chosen: string) =>
    `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(name)}</option>`;
  const termOptions = terms.map((termId) => option(termId, termName(termId, words), asked.termId));
  const campusOptions = campusCodes.map((code) => option(code, campusName(code, words), asked.campusCode));
  return `<form method="get" action="seats" role="search">
<div class="field"><label for="q">${escapeHtml(search.label)}</label>
<input id="q" name="q" type="search" value="${escapeHtml(asked.text)}" maxlength="100" required autocomplete="off" aria-describedby="q-hint">
<p class="quiet" id="q-hint">${escapeHtml(search.hint)}</p></div>
<div class="pair field"><div><label for="term">${escapeHtml(search.term)}</label>
<select id="term" name="term">${option('', search.allTerms, asked.termId)}${termOptions.join('')}</select></div>
<div><label for="campus">${escapeHtml(search.campus)}</label>
<select id="campus" name="campus">${option('', search.allCampuses, asked.campusCode)}${campusOptions.join('')}</select></div></div>
<label class="choice"><input type="checkbox" name="closed" value="1"${asked.isOnlyClosed ? ' checked' : ''}>${escapeHtml(search.onlyClosed)}</label>
<button type="submit" class="main">${escapeHtml(search.button)}</button>
</form>`;
}

function results(page: SearchPage, found: readonly FoundCourse[], words: SeatsWords): string {
  const { search } = words;
  if (found.length === 0) return says(page.isAllOpen ? search.noneClosed : search.none);
  const total = found.reduce((sum, { sections }) => sum + sections.length, 0);
  const isFolded = total > sectionsShownMax && found.length > 1;
  const freshness = found.map((one) => freshnessLine(page.freshnessOf(one), page.now, words));
  // Mostly all are in one list: then it is said once.
  const [common] = new Set(freshness).size === 1 ? freshness : [];
  const codes = found.map(codeOf);
  const courses = found.map((one, at) =>
    course(one, page, {
      ...{ freshness: common ? '' : (freshness[at] ?? ''), isFolded },
      hasTwin: codes.indexOf(codeOf(one)) !== codes.lastIndexOf(codeOf(one)),
    }),
  );
  return `<h2>${escapeHtml(search.found(found.length))}</h2>
${page.isCut ? `<p>${escapeHtml(search.more)}</p>\n` : ''}${common ?? ''}
${courses.join('\n')}`;
}

/** Of several courses of one code the catalog tells by supplement codes, which nobody knows; people know sections' numbers. */
const codeOf = ({ termId, campusCode, courseString }: FoundCourse) =>
  [termId, campusCode, courseString].join(' ');

function numbersOf({ sections }: FoundCourse): string {
  const [first = '', last = ''] = [sections[0]?.sectionNumber, sections.at(-1)?.sectionNumber];
  return first === last ? first : `${first}–${last}`;
}

interface Shown {
  freshness: string;
  isFolded: boolean;
  hasTwin: boolean;
}

function course(found: FoundCourse, { locale, asked }: SearchPage, shown: Shown): string {
  const { freshness, isFolded, hasTwin } = shown;
  const words = seatsWords[locale];
  const open = found.sections.filter(({ status }) => status === 'Open').length;
  const count = asked.isOnlyClosed
    ? words.search.closedSections(found.sections.length)
    : words.search.sections(found.sections.length, open);
  const where = [
    ...(hasTwin ? [words.section.name(numbersOf(found))] : []),
    ...[termName(found.termId, words), campusName(found.campusCode, words)],
  ];
  const told = (isFolded ? where : [...where, count]).join(' · ');
  const search = addressOf(asked);
  const list = `<ul class="sections">${found.sections.map((section) => row(section, search, words, locale)).join('\n')}</ul>`;
  return `<section class="course">
<h3><span class="mono">${escapeHtml(found.courseString)}</span> ${foreign(found.title, locale)}</h3>
<p class="quiet">${escapeHtml(told)}</p>
${freshness}${isFolded ? `<details><summary>${escapeHtml(count)}</summary>${list}</details>` : list}
</section>`;
}

function row(section: SectionDetails, search: string, words: SeatsWords, locale: Locale): string {
  const { indexNumber, sectionNumber, termId } = section;
  const subtitle = section.subtitle ? `<div>${foreign(section.subtitle, locale)}</div>` : '';
  const told = warnings(section, words, locale).map((line) => `<div class="warned">${line}</div>`);
  return `<li><div>${sectionChip(section.status, words)}</div>
<div><div><strong>${escapeHtml(words.section.name(sectionNumber))}</strong> <span class="quiet">${escapeHtml(words.section.index)} <span class="mono">${escapeHtml(indexNumber)}</span></span></div>
${subtitle}<div class="quiet">${meetingLines(section.meetingSummary, words, locale)}</div>${told.join('')}</div>
<div><a class="button" href="seats/${escapeHtml(`${termId}/${indexNumber}${search}`)}" aria-label="${escapeHtml(words.search.watchNamed(sectionNumber, indexNumber))}">${escapeHtml(words.search.watch)}</a></div></li>`;
}
