import { expect, test } from 'vitest';
import { parseUrl } from './url.ts';

test('a URL with letters beyond ASCII is one, also the hundred-thousandth time', () => {
  const refused = Array.from({ length: 100_000 }, () => parseUrl('https://MÜNCHEN.example/')).filter(
    (url) => url?.host !== 'xn--mnchen-3ya.example',
  );
  expect(refused).toEqual([]);
});

test.each(['', 'example.org', '//example.org', 'https://', 'https://a b'])('%j is none', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
