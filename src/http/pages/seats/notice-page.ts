import type { Locale } from '../../../emails/words.ts';
import { escapeHtml } from '../html.ts';
import { seatsPage } from './frame.ts';
import { type Notice, seatsWords } from './words.ts';

/** A page that says why there is no other. */
export function noticePage(locale: Locale, notice: Notice, toRoot: string): string {
  const { title, text } = seatsWords[locale].notices[notice];
  return seatsPage({
    ...{ locale, title, toRoot, isUnlisted: true },
    content: `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`,
  });
}
