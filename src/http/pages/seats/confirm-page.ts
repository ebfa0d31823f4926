import type { Locale } from '../../../emails/words.ts';
import type { Watch } from '../../../sources/course-seats/subscriptions/subscriptions.ts';
import { escapeHtml } from '../html.ts';
import { seatsPage } from './frame.ts';
import { sectionFacts, sectionHeading, sectionLine } from './section-view.ts';
import { seatsWords } from './words.ts';

/** Where the link in the first mail leads: one button, because programs that check mails follow links. */
export function confirmPage({ locale, watch }: { locale: Locale; watch: Watch }): string {
  const words = seatsWords[locale];
  const { title, text } = words.confirm;
  return seatsPage({
    ...{ locale, title, toRoot: '../../', isUnlisted: true },
    content: `<h1>${escapeHtml(title)}</h1>
<h2>${sectionHeading(watch, words, locale)}</h2>
${sectionLine(watch.section?.sectionNumber, watch.sectionStatus, words)}
${watch.section ? sectionFacts(watch.section, locale) : ''}
<p>${escapeHtml(text)}</p>
<form method="post" action="${escapeHtml(watch.token)}"><button type="submit" class="main">${escapeHtml(words.manage.steps.confirm)}</button></form>`,
  });
}
