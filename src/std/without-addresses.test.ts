import { expect, it } from 'vitest';
import { thrownText, withoutAddresses } from './without-addresses.ts';

it.each([
  ['no profile for ana@example.org', 'no profile for [address]'],
  ['{"to":"o\'brien@example.org"}', '{"to":"[address]"}'],
  ['<ana/sales@x.org>, bounce+ana=corp.org@x.org.', '<[address]>, [address]'],
  ['{ana}@x.org and ana%40x.org', '[address] and [address]'],
  ['a@b@c', '[address]@c'],
  ['at node_modules/@scope/name/index.js:1', 'at node_modules/@scope/name/index.js:1'],
  ['alone @ or @first or last@', 'alone @ or @first or last@'],
  ['nothing here', 'nothing here'],
])('%s', (text, blanked) => {
  expect(withoutAddresses(text)).toBe(blanked);
});

it('takes no longer than the text is long', () => {
  const startedAt = performance.now();
  withoutAddresses(`${'x'.repeat(1_000_000)} @ ${'@'.repeat(100_000)}`);
  // Quadratic, it would be minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

it('what was thrown is told without addresses, in few words', () => {
  expect(thrownText(new TypeError(`x\0 of ana@example.org ${'y'.repeat(9_999)}`))).toMatch(
    /^TypeError: x of \[address\] y+$/,
  );
  expect(thrownText('ana@example.org')).toBe('a thrown string');
});
