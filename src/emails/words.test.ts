import { describe, expect, test } from 'vitest';
import { localeFor, locales, words } from './words.ts';

describe('localeFor', () => {
  test.each([
    ['en', 'en'],
    ['en-GB', 'en'],
    ['ro', 'ro'],
    ['ro-RO', 'ro'],
    ['ro-MD', 'ro'],
    ['ro_RO', 'ro'],
    ['RO', 'ro'],
    ['zh', 'zh-CN'],
    ['zh-CN', 'zh-CN'],
    ['zh-Hans', 'zh-CN'],
    ['zh-SG', 'zh-CN'],
  ])('a reader of %s reads %s', (asked, expected) => {
    expect(localeFor(asked, locales)).toBe(expected);
  });

  test.each(['tlh', 'zh-TW', 'zh-Hant', 'sr-Latn', 'ro-Cyrl'])(
    'nobody has written for a reader of %s',
    (asked) => {
      expect(localeFor(asked, locales)).toBeUndefined();
    },
  );

  test.each(['', 'english please', '../../etc/passwd', 'ro\r\nX: y', '*', 'en-'.padEnd(50, 'x')])(
    'what is no language tag is missing: %j',
    (asked) => {
      expect(localeFor(asked, locales)).toBeUndefined();
    },
  );

  test('000-74 Who has chosen none gets the default, and only if the template is written in it', () => {
    expect(localeFor(null, locales)).toBe('en');
    expect(localeFor(null, ['ro'])).toBeUndefined();
    expect(localeFor('ro', ['en', 'zh-CN'])).toBeUndefined();
  });
});

test('every language says everything, and says it in its own words', () => {
  for (const word of ['unsubscribe', 'manage', 'preview'] as const) {
    const said = locales.map((locale) => words[locale][word]);
    expect(said).not.toContain('');
    expect(new Set(said).size).toBe(locales.length);
  }
  for (const locale of locales) expect(words[locale].locale).toBe(locale);
});
