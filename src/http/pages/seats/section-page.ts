import type { Locale } from '../../../emails/words.ts';
import type { SectionDetails } from '../../../sources/course-seats/catalog/catalog.ts';
import type { RegistrationUrl } from '../../../sources/course-seats/registration.ts';
import { escapeHtml } from '../html.ts';
import { inboxLine, seatsPage } from './frame.ts';
import {
  type Freshness,
  freshnessLine,
  isOver,
  openNow,
  sectionFacts,
  sectionHeading,
  sectionLine,
  sectionName,
} from './section-view.ts';
import { type SeatsWords, seatsWords } from './words.ts';

/** One section, and the form with which it is watched; and the page that follows when it was sent. */
export interface SectionPage {
  locale: Locale;
  now: number;
  section: SectionDetails;
  freshness: Freshness;
  timeZone: string;
  registrationUrl: RegistrationUrl;
  /** What was searched for before, as the end of an address; empty where nothing was. */
  search: string;
  /** What was filled in, and what was wrong with it: the form comes back with both. */
  given?: WatchForm & { problem: 'badEmail' | 'badHours' };
}

export interface WatchForm {
  email: string;
  from: string;
  to: string;
}

export function sectionPage(page: SectionPage): string {
  const { locale, section, given } = page;
  const words = seatsWords[locale];
  const name = sectionName({ ...section, section }, words);
  return seatsPage({
    ...{ locale, toRoot: '../../', search: page.search },
    title: given ? words.watch[given.problem] : name,
    content: `${head(page, words)}
${sectionFacts(section, locale)}
${isOver(section, page.now) || section.isGone ? '' : form(page, words)}`,
  });
}

/** The same for a new watch and for one that was there: it does not tell which addresses watch. */
export function askedPage(
  page: Omit<SectionPage, 'given'> & { verifies: boolean; hasInbox: boolean },
): string {
  const { locale, section, verifies, search } = page;
  const words = seatsWords[locale];
  const { asked } = words;
  const title = verifies ? asked.title : asked.unverified.title;
  return seatsPage({
    ...{ locale, toRoot: '../../../', title, search },
    content: `<h1>${escapeHtml(title)}</h1>
${verifies ? whatNow(page.hasInbox, words) : `<p>${escapeHtml(asked.unverified.text)}</p>`}
<section>
${head(page, words, 'h2')}
${sectionFacts(section, locale)}
</section>
<p><a href="../${escapeHtml(section.indexNumber + search)}">${escapeHtml(asked.again)}</a></p>`,
  });
}

function whatNow(hasInbox: boolean, words: SeatsWords): string {
  const { asked } = words;
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  return [
    `<p><strong>${escapeHtml(asked.press)}</strong></p>`,
    ...(hasInbox ? [inboxLine(words, '../../../')] : []),
    ...[asked.several, asked.already, asked.nothing, asked.stoppedAll].map(paragraph),
  ].join('\n');
}

function head(page: SectionPage, words: SeatsWords, level = 'h1'): string {
  const { locale, section, now, freshness, registrationUrl } = page;
  const name = sectionHeading({ ...section, section }, words, locale);
  const problem = isOver(section, now) ? words.section.over : section.isGone ? words.section.gone : undefined;
  const isOpen = section.status === 'Open' && problem === undefined;
  return `<${level}>${name}</${level}>
${sectionLine(section.sectionNumber, section.status, words)}
${problem === undefined ? freshnessLine(freshness, now, words) : `<p>${escapeHtml(problem)}</p>`}
${isOpen ? openNow(registrationUrl(section), words, 'before') : ''}`;
}

function form({ section, timeZone, given, search }: SectionPage, words: SeatsWords): string {
  const { watch, hours } = words;
  const isBadEmail = given?.problem === 'badEmail';
  const isBadHours = given?.problem === 'badHours';
  const problem = (id: string, text: string) => `<p class="problem" id="${id}">${escapeHtml(text)}</p>`;
  const invalid = (id: string, isBad: boolean, hint: string) =>
    isBad ? ` aria-invalid="true" aria-describedby="${id} ${hint}"` : ` aria-describedby="${hint}"`;
  const time = (name: 'from' | 'to') =>
    `<div><label for="${name}">${escapeHtml(hours[name])}</label><input id="${name}" name="${name}" type="time" value="${escapeHtml(given?.[name] ?? '')}"${invalid('hours-problem', isBadHours, 'hours-hint')}></div>`;
  return `<section>
<h2 id="watch">${escapeHtml(watch.heading)}</h2>
<p>${escapeHtml(watch.lead)}</p>
<form method="post" action="${escapeHtml(section.indexNumber + search)}" aria-labelledby="watch">
<div class="field"><label for="email">${escapeHtml(watch.email)}</label>
<input id="email" name="email" type="email" value="${escapeHtml(given?.email ?? '')}" required maxlength="254" autocomplete="email"${invalid('email-problem', isBadEmail, 'email-hint')}${isBadEmail ? ' autofocus' : ''}>
${isBadEmail ? problem('email-problem', watch.badEmail) : ''}<p class="quiet" id="email-hint">${escapeHtml(watch.emailHint)}</p></div>
<details${isBadHours || given?.from || given?.to ? ' open' : ''}><summary>${escapeHtml(watch.hoursHeading)}</summary>
<div class="pair">${time('from')}${time('to')}</div>
${isBadHours ? problem('hours-problem', watch.badHours) : ''}<p class="quiet" id="hours-hint">${escapeHtml(`${hours.hint(timeZone)} ${watch.hoursEmpty}`)}</p>
</details>
<button type="submit" class="main">${escapeHtml(watch.button)}</button>
</form>
</section>`;
}
