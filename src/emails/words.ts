/** The languages that mails are written in, and the few words that the layout itself says. */
export const locales = ['en', 'ro', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** 000-74: for whoever has not chosen one. */
const defaultLocale: Locale = 'en';

export interface Words<Written extends Locale = Locale> {
  readonly locale: Written;
  readonly unsubscribe: string;
  readonly manage: string;
  /** Above a mail that is only looked at. */
  readonly preview: string;
  /** Between a label and what it stands for, in the text part. */
  readonly colon: string;
}

export const words: Readonly<Record<Locale, Words>> = {
  en: {
    ...{ locale: 'en', unsubscribe: 'Unsubscribe', manage: 'Choose what you receive', colon: ': ' },
    preview: 'Preview. The figures may be made up.',
  },
  ro: {
    ...{ locale: 'ro', unsubscribe: 'Dezabonați-vă', manage: 'Alegeți ce primiți', colon: ': ' },
    preview: 'Previzualizare. Cifrele pot fi inventate.',
  },
  'zh-CN': {
    ...{ locale: 'zh-CN', unsubscribe: '退订', manage: '选择接收的内容', colon: '：' },
    preview: '预览。数字可能是虚构的。',
  },
};

/**
 * The one among `written` that a reader of `asked` reads: the same language in the same script, so that `ro-MD` falls back to
 * `ro` and `zh-Hans` to `zh-CN`, but `zh-TW` does not. There is no further fall-back: a language that a template is not
 * written in is missing, and ends the delivery (000-59) instead of telling somebody something they cannot read.
 */
export function localeFor(asked: string | null, written: readonly Locale[]): Locale | undefined {
  const tag = asked ?? defaultLocale;
  // Mostly the very tag: taking one apart costs as much as a tenth of a mail.
  const same = written.find((locale) => locale === tag);
  if (same) return same;
  const reader = languageAndScript(tag);
  if (reader === undefined) return undefined;
  return written.find((locale) => languageAndScript(locale) === reader);
}

const tagCharactersMax = 35; // RFC 5646 4.4.1: the longest tag that everybody must be able to store.

function languageAndScript(tag: string): string | undefined {
  if (tag.length > tagCharactersMax) return undefined;
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll('_', '-')).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined; // Not a language tag.
  }
}
