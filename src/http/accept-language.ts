import { type Locale, localeFor, locales } from '../emails/words.ts';

/** A browser names a handful; whoever names a thousand is not read to the end. */
const tagsMax = 20;

/** The language among ours that a reader likes best, by RFC 9110 12.5.4; English for whoever reads none of them. */
export function languageFor(header: string | undefined): Locale {
  const liked = (header ?? '')
    .split(',', tagsMax)
    .map(readTag)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of liked) {
    const locale = localeFor(tag, locales);
    if (locale) return locale;
  }
  return 'en';
}

/** One of what a header likes, and how much. */
export function readTag(text: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((one) => /^q=/i.test(one))?.slice(2) ?? '1';
  return { tag, weight: /^[01](?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0 };
}
