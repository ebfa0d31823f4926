import { expect, test } from 'vitest';
import { languageFor } from './accept-language.ts';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['ro', 'ro'],
  ['ro-MD,en;q=0.5', 'ro'],
  ['RO', 'ro'],
  ['en-GB, ro;q=0.9', 'en'],
  ['en;q=0.8, ro;q=0.9', 'ro'],
  ['en;q=0.8 , ro ; q=0.85', 'ro'],
  ['tlh, qya;q=0.9, ro;q=0.2, en;q=0.1', 'ro'],
  ['ro;q=0, en', 'en'],
  ['ro;q=0', 'en'],
  ['zh', 'zh-CN'],
  ['zh-Hans-SG', 'zh-CN'],
  ['zh-TW, ro;q=0.5', 'ro'],
  ['zh-TW', 'en'],
  ['ro;q=2, zh-CN;q=0.1', 'zh-CN'],
  ['ro;q=nonsense', 'en'],
  [';;;,,,;q=1', 'en'],
  ['<script>, ro', 'ro'],
  [`${'x,'.repeat(5_000)}ro`, 'en'],
  [`${'a'.repeat(10_000)}, ro`, 'ro'],
])('%s is answered in %s', (header, locale) => {
  expect(languageFor(header)).toBe(locale);
});
