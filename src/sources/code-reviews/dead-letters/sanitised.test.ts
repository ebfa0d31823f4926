import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitised } from './sanitised.ts';

test.each([
  [
    'Invalid `to` field: ana.pop@example.org is not an address',
    'Invalid `to` field: [address] is not an address',
  ],
  ['550 5.1.1 <ana%40example.org>: no such user', '550 5.1.1 <[address]>: no such user'],
  ['the key re_AbCdEf123456 is not allowed', 'the key [secret] is not allowed'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[secret]'],
  ['Authorization: Bearer abc.def.ghi refused', 'Authorization: Bearer [secret] refused'],
  ['cannot open smtp://user:pass@mail.example.org:25', 'cannot open smtp://mail.example.org:25'],
  ['password=hunter2 is wrong', 'password=[secret] is wrong'],
  ['{"token":"abc123","code":7}', '{"token":"[secret]","code":7}'],
  ["{'api_key': 'abc123'}", "{'api_key': '[secret]'}"],
  ['bad eyJhbGciOi.eyJzdWIi.c2ln here', 'bad [secret] here'],
  ['https://x.example/?token=abc&u=1', 'https://x.example/?token=[secret]&u=1'],
  [`${' '.repeat(1_190)}ana.popescu@example.org`, '[address]'],
  ['two\nlines\tand \u0007 a bell', 'two lines and a bell'],
])('%s', (text, clean) => {
  expect(sanitised(text)).toBe(clean);
});

test('no address and no line break gets through, and it stays short', () => {
  const address = fc.emailAddress().filter((email) => /^[\w.+-]+@/.test(email));
  fc.assert(
    fc.property(fc.string(), address, fc.string(), (before, email, after) => {
      const clean = sanitised(`${before} ${email} ${after}`);
      expect(clean).not.toContain(email);
      expect(clean).not.toMatch(/[\r\n]/);
      expect(clean.length).toBeLessThanOrEqual(300);
    }),
  );
});
