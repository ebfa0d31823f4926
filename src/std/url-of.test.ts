import { expect, test } from 'vitest';
import { urlOf } from './url-of.ts';

test('an address that a browser can open', () => {
  expect([urlOf('0.0.0.0', 1), urlOf('::', 2), urlOf('::1', 3), urlOf('example.org', 4)]).toEqual([
    'http://localhost:1',
    'http://localhost:2',
    'http://[::1]:3',
    'http://example.org:4',
  ]);
});
