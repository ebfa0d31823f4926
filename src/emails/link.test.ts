import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSafeLink } from './link.ts';

describe('isSafeLink', () => {
  test.each([
    'https://example.org',
    'https://example.org/a/b.html?c=d&e=%22f%22#g',
    'http://localhost:3000/unsubscribe/abc_DEF-123~',
    'HTTPS://EXAMPLE.ORG/',
    'https://xn--bcher-kva.example/',
    'https://[2001:db8::1]:8443/x',
    'https://example.org/@somebody',
    "https://example.org/it's",
    'mailto:ana@example.org',
  ])('%s may stand in a mail', (link) => {
    expect(isSafeLink(link)).toBe(true);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://example.org/',
    'blob:https://example.org/x',
    'about:blank',
    '//example.org/',
    '/path',
    'example.org',
    '#',
    '',
    'https:',
    'https:example.org',
    'https:/example.org',
    'https:///example.org',
    'https://',
    'https://?x',
    'https://user@example.org/',
    'https://user:secret@example.org/',
    'https://good.example@evil.example/',
    'https://@example.org/',
    'https://exa mple.org/',
    ' https://example.org/',
    'https://example.org/\r\nBcc: x@example.org',
    'https://example.org/\t',
    'https://example.org/"onmouseover="x',
    'https://example.org/<script>',
    'https://example.org\\@evil.example/',
    'https://example.org/\u202egro.live',
    'https://exa\u200bmple.org/',
    'https://аррӏе.example/',
    'https://example.org:99999/',
    'https://[::1/',
    'mailto:',
    'mailto:ana@example.org?bcc=all@example.org',
    'mailto:ana@example.org,bob@example.org',
    'mailto:ana%0d%0aBcc:bob@example.org',
    'mailto:ana%0d%0a@example.org',
    'mailto://ana@example.org',
  ])('%j may not', (link) => {
    expect(isSafeLink(link)).toBe(false);
  });

  test('nothing longer than 2048 characters', () => {
    const link = 'https://example.org/'.padEnd(2048, 'x');
    expect(isSafeLink(link)).toBe(true);
    expect(isSafeLink(`${link}x`)).toBe(false);
    expect(isSafeLink(link.repeat(500))).toBe(false);
  });

  test('whatever passes is what it looks like: its scheme, its host and no password', () => {
    const pieces = [
      'https://',
      'http:',
      'mailto:',
      'javascript:',
      'a.example',
      '@',
      ':',
      '/',
      '\\',
      '?',
      '#',
      '\n',
    ];
    const made = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 3 })));
    fc.assert(
      fc.property(
        fc.oneof(
          made.map((parts) => parts.join('')),
          fc.webUrl(),
        ),
        (link) => {
          if (!isSafeLink(link)) return;
          const { protocol, username, password, host } = new URL(link);
          expect(['http:', 'https:', 'mailto:']).toContain(protocol);
          expect(link.toLowerCase().startsWith(protocol)).toBe(true);
          expect(username + password).toBe('');
          if (protocol !== 'mailto:') expect(host).not.toBe('');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
