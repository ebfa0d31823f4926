import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import PostalMime, { addressParser } from 'postal-mime';
import { expect, it } from 'vitest';
import { addressKey, parseAddress } from '../../src/domain/address.ts';
import { parseSender } from '../../src/domain/message.ts';
import { writeLetter } from '../../src/providers/smtp-letter.ts';
import { mailTo } from '../support/mails.ts';
import { patience, runs, spoilt } from './runs.ts';

/** That it never throws, and parses what it accepted to itself, is beside it; here others read what it accepts. */
const local = fc.string({
  unit: fc.constantFrom(..."abzAZ09.!#$%&'*+/=?^_`{|}~-"),
  minLength: 1,
  maxLength: 12,
});
const label = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/),
  fc.constantFrom('münchen', 'xn--mnchen-3ya', 'faß', '例え', 'نامه\u200cای', 'ＡＢＣ', 'ὀ', '1'),
);
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const plain = fc.tuple(local, domain).map((parts) => parts.join('@'));
const nearly = fc.oneof(plain, spoilt(plain), fc.emailAddress(), spoilt(fc.emailAddress()));

it('what it accepts is one address and no name to two parsers of others', patience, () => {
  let accepted = 0;
  fc.assert(
    fc.property(nearly, (text) => {
      const parsed = parseAddress(text);
      if (!parsed.ok) return;
      accepted += 1;
      const { address } = parsed;
      expect(addressparser(address)).toEqual([{ address, name: '' }]);
      expect(addressParser(address)).toEqual([{ address, name: '' }]);
      // Beside another, as in a header of a list: it swallows none and adds none.
      const both = `${address}, eve@example.org`;
      expect(addressparser(both).map((one) => one.address)).toEqual([address, 'eve@example.org']);
      expect(addressParser(both).map((one) => one.address)).toEqual([address, 'eve@example.org']);
    }),
    runs(3000),
  );
  expect(accepted).toBeGreaterThan(500);
});

it(
  'in a letter that is parsed by another it is the only recipient, and no header is new',
  patience,
  async () => {
    const key = '11111111-1111-5111-8111-111111111111';
    const names = async (bytes: Buffer) =>
      (await PostalMime.parse(bytes)).headers.map((one) => one.key).sort();
    const usual = await names((await writeLetter(key, mailTo(1), 0)).bytes);
    await fc.assert(
      fc.asyncProperty(nearly, async (text) => {
        const parsed = parseAddress(text);
        fc.pre(parsed.ok);
        const { bytes } = await writeLetter(key, mailTo(1, { to: parsed.address }), 0);
        expect((await PostalMime.parse(bytes)).to).toEqual([{ address: parsed.address, name: '' }]);
        expect(await names(bytes)).toEqual(usual);
      }),
      runs(150),
    );
  },
);

it(
  'a sender is read by two parsers of others as the name and the address that it was made of',
  patience,
  () => {
    const words = fc.string({ unit: fc.constantFrom(...'aB3 .,"\\<>()@;:\'ăé漢😀'), maxLength: 30 });
    fc.assert(
      fc.property(words, (name) => {
        const quoted = `"${name.replaceAll(/["\\]/g, '\\$&')}" <ana@example.org>`;
        const parsed = parseSender(quoted);
        fc.pre(parsed.ok && parsed.name !== '');
        const expected = [{ name: parsed.name, address: 'ana@example.org' }];
        expect(addressparser(parsed.sender)).toEqual(expected);
        expect(addressParser(parsed.sender)).toEqual(expected);
      }),
      runs(1000),
    );
  },
);

it(
  'of plain letters it accepts whatever fits the bounds of the RFCs, and nothing that does not',
  patience,
  () => {
    const lengths = fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(63, 64, 65)),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 66 }), fc.constantFrom(62, 63, 64)), {
        ...{ minLength: 1, maxLength: 5 },
      }),
    );
    fc.assert(
      fc.property(lengths, ([localLength, labelLengths]) => {
        const host = labelLengths.map((length) => 'd'.repeat(length)).join('.');
        const text = `${'l'.repeat(localLength)}@${host}`;
        const fits =
          localLength <= 64 &&
          labelLengths.length >= 2 &&
          labelLengths.every((length) => length <= 63) &&
          host.length <= 253 &&
          text.length <= 254;
        expect(parseAddress(text).ok, text).toBe(fits);
      }),
      runs(1000),
    );
  },
);

it('however a domain is composed and however large its letters are, it is the same address', patience, () => {
  fc.assert(
    fc.property(plain, fc.constantFrom('NFC', 'NFD', 'NFKC'), (text, form) => {
      const parsed = parseAddress(text);
      fc.pre(parsed.ok);
      const [before, host = ''] = text.split('@');
      const other = parseAddress(`${before}@${host.toUpperCase().normalize(form)}`);
      // ẞ is ß in capitals for some and SS for others: then it is another domain, but never a broken one.
      if (/ß/i.test(host)) return;
      expect(other).toEqual(parsed);
      expect(other.ok && addressKey(other.address)).toBe(addressKey(parsed.address));
    }),
    runs(1000),
  );
});
