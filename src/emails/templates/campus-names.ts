import type { Locale } from '../words.ts';

/** What a campus is called where people read of it, in mails and on pages; the codes are the catalog's. */
const names = { NB: 'New Brunswick', NK: 'Newark', CM: 'Camden' } as const;

const online = (mark: (name: string) => string) => ({
  ...names,
  ...{ ONLINE_NB: mark(names.NB), ONLINE_NK: mark(names.NK), ONLINE_CM: mark(names.CM) },
});

export const campusNames = {
  en: online((name) => `${name}, online`),
  ro: online((name) => `${name}, online`),
  'zh-CN': online((name) => `${name}（线上）`),
} as const satisfies Readonly<Record<Locale, Readonly<Record<string, string>>>>;

/** The code itself where it is one that nobody has named. */
export function campusNameIn(locale: Locale, code: string): string {
  const known: Readonly<Record<string, string>> = campusNames[locale];
  return (Object.hasOwn(known, code) ? known[code] : undefined) ?? code;
}
