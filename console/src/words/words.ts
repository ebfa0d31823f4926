import { createContext, useContext } from 'react';
import { en } from './en.ts';
import { ro } from './ro.ts';

/** What the pages say. A further language is one more file with the same names, and a line here. */
export type Words = typeof en;
export const languages = { en, ro } satisfies Record<string, Words>;
export type Language = keyof typeof languages;

const kept = 'tidings-language';

export function languageNow(): Language {
  const wished = [localStorage.getItem(kept) ?? '', ...navigator.languages];
  for (const each of wished) {
    const found = (Object.keys(languages) as Language[]).find((name) => each.toLowerCase().startsWith(name));
    if (found) return found;
  }
  return 'en';
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(kept, language);
}

export const WordsContext = createContext<{ language: Language; words: Words }>({
  language: 'en',
  words: en,
});
export const useWords = () => useContext(WordsContext).words;
export const useLanguage = () => useContext(WordsContext).language;
