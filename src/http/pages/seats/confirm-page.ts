import type { Locale } from '../../../emails/words.ts';
import type { Watch } from '../../../sources/course-seats/subscriptions/subscriptions.ts';
import { escapeHtml } from '../html.ts';
import { seatsPage } from './frame.ts';
import { sectionFacts, sectionHeading, sectionLine } from './section-view.ts';
import { seatsWords } from './words.ts';

interface ConfirmPage {
  locale: Locale;
  watch: Watch;
  /** All that waits for this owner's word, this one included: the button confirms it together. */
  waiting: readonly Watch[];
}

/** Where the link in the first mail leads: one button, because programs that check mails follow links. */
export function confirmPage({ locale, watch, waiting }: ConfirmPage): string {
  const words = seatsWords[locale];
  const others = waiting.filter(({ token }) => token !== watch.token);
  const { title, text } = others.length > 0 ? words.confirm.several : words.confirm;
  const label = others.length > 0 ? words.confirm.button : words.manage.steps.confirm;
  return seatsPage({
    ...{ locale, title, toRoot: '../../', isUnlisted: true },
    content: `<h1>${escapeHtml(title)}</h1>
${[watch, ...others].map((one) => asked(one, locale)).join('\n')}
<p>${escapeHtml(text)}</p>
<form method="post" action="${escapeHtml(watch.token)}"><button type="submit" class="main">${escapeHtml(label)}</button></form>`,
  });
}

function asked(watch: Watch, locale: Locale): string {
  const words = seatsWords[locale];
  return `<h2>${sectionHeading(watch, words, locale)}</h2>
${sectionLine(watch.section?.sectionNumber, watch.sectionStatus, words)}
${watch.section ? sectionFacts(watch.section, locale) : ''}`;
}
