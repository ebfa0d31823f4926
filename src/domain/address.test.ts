import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../std/refusal.ts';
import { type Address, type AddressProblem, addressKey, parseAddress, requireAddress } from './address.ts';

const long = (count: number) => 'a'.repeat(count);
/** A domain of exactly `count` characters, in labels of at most 60. */
function domainOf(count: number): string {
  let domain = '.com';
  while (domain.length < count) {
    const room = count - domain.length;
    domain = room <= 60 ? long(room) + domain : `.${long(room === 61 ? 59 : 60)}${domain}`;
  }
  return domain;
}

const good: readonly (readonly [string, string])[] = [
  ['ana@example.com', 'ana@example.com'],
  ['Ana.Pop@EXAMPLE.Com', 'Ana.Pop@example.com'],
  ['a@b.co', 'a@b.co'],
  ['first+tag@mail.example.co.uk', 'first+tag@mail.example.co.uk'],
  ["o'neil@example.ie", "o'neil@example.ie"],
  ['!#$%&*+-/?=^_`{|}~@example.com', '!#$%&*+-/?=^_`{|}~@example.com'],
  ['bounce+ana=example.org@example.com', 'bounce+ana=example.org@example.com'],
  ['1@2.example', '1@2.example'],
  ['ana@123.com', 'ana@123.com'],
  ['ana@a--b.com', 'ana@a--b.com'],
  ['ana@münchen.de', 'ana@xn--mnchen-3ya.de'],
  ['ana@mu\u0308nchen.de', 'ana@xn--mnchen-3ya.de'],
  ['ana@XN--MNCHEN-3YA.de', 'ana@xn--mnchen-3ya.de'],
  ['ana@faß.de', 'ana@xn--fa-hia.de'],
  ['ana@例え.テスト', 'ana@xn--r8jz45g.xn--zckzah'],
  ['ana@例え。テスト', 'ana@xn--r8jz45g.xn--zckzah'],
  ['ana@ｅｘａｍｐｌｅ．com', 'ana@example.com'],
  ['ana@نامه\u200cای.com', 'ana@xn--mgba3gch31f060k.com'],
  [`${long(64)}@example.com`, `${long(64)}@example.com`],
  [`ana@${long(63)}.com`, `ana@${long(63)}.com`],
  [`a@${domainOf(252)}`, `a@${domainOf(252)}`],
];

const bad: readonly (readonly [unknown, AddressProblem])[] = [
  [undefined, 'not_text'],
  [null, 'not_text'],
  [['ana@example.com'], 'not_text'],
  [{ toString: () => 'ana@example.com' }, 'not_text'],
  ['', 'empty'],
  [`ana@${long(1000)}`, 'too_long'],
  [`aa@${domainOf(252)}`, 'too_long'],
  ['an\ud800a@example.com', 'broken_unicode'],
  ['ana@ex\udc00ample.com', 'broken_unicode'],
  ['ana@example.com\r\nBcc: eve@example.com', 'control_character'],
  ['ana@example.com\n', 'control_character'],
  ['ana\0@example.com', 'control_character'],
  ['ana@exa\tmple.com', 'control_character'],
  ['ana@example.com\u0085', 'control_character'],
  ['ana@example.com\u2028', 'control_character'],
  ['ana\x7f@example.com', 'control_character'],
  ['ana@exa\u00admple.com', 'invisible_character'],
  ['\ufeffana@example.com', 'invisible_character'],
  ['ana@\u202eexample.com', 'invisible_character'],
  ['Ana Pop <ana@example.com>', 'display_name'],
  ['"Pop, Ana" <ana@example.com>', 'display_name'],
  ['<ana@example.com>', 'display_name'],
  ['<@relay.example:ana@example.com>', 'display_name'],
  ['"ana pop"@example.com', 'quoted_local_part'],
  ['"a@b"@example.com', 'quoted_local_part'],
  ['ana\\@b@example.com', 'quoted_local_part'],
  ['ana@[127.0.0.1]', 'ip_address'],
  ['ana@[IPv6:::1]', 'ip_address'],
  ['ana@127.0.0.1', 'ip_address'],
  ['ana@256.256.256.256', 'ip_address'],
  ['ana@127.0.0.0x1', 'ip_address'],
  ['ana@１２７.0.0.１', 'ip_address'],
  ['ana@example.123', 'ip_address'],
  ['ana(the best)@example.com', 'comment'],
  ['ana@example.com(work)', 'comment'],
  ['ana@example.com, eve@example.com', 'several_addresses'],
  ['ana@example.com;eve@example.com', 'several_addresses'],
  ['Friends: ana@example.com;', 'several_addresses'],
  ['@relay.example:ana@example.com', 'several_addresses'],
  ['ana@example.com:25', 'several_addresses'],
  [' ana@example.com', 'surrounding_space'],
  ['ana@example.com ', 'surrounding_space'],
  ['ana@example.com\u00a0', 'surrounding_space'],
  ['ana pop@example.com', 'inner_space'],
  ['ana@example.com eve@example.com', 'inner_space'],
  ['ana\u3000pop@example.com', 'inner_space'],
  ['ana.example.com', 'no_at_sign'],
  ['ana＠example.com', 'no_at_sign'],
  ['ana@eve@example.com', 'several_at_signs'],
  ['@example.com', 'local_part_missing'],
  [`${long(65)}@example.com`, 'local_part_too_long'],
  ['ană@example.com', 'local_part_not_ascii'],
  ['аna@example.com', 'local_part_not_ascii'],
  ['ana\u200d@example.com', 'local_part_not_ascii'],
  ['=?utf-8?q?eve=40example.org=2C?=ana@example.com', 'encoded_word'],
  ['.ana@example.com', 'local_part_dots'],
  ['ana.@example.com', 'local_part_dots'],
  ['ana..pop@example.com', 'local_part_dots'],
  ['ana@', 'domain_missing'],
  ['ana@ex%61mple.com', 'domain_character'],
  ['ana@example.com#.eve.com', 'domain_character'],
  ['ana@example.com/.eve.com', 'domain_character'],
  ['ana@example.com?.eve.com', 'domain_character'],
  ['ana@exam_ple.com', 'domain_character'],
  ['ana@ex＿ample.com', 'domain_character'],
  ['ana@eve＠example.com', 'domain_invalid'],
  ['ana@ex％61mple.com', 'domain_invalid'],
  ['ana@example.com／eve.com', 'domain_invalid'],
  ['ana@xn--a.com', 'domain_invalid'],
  ['ana@xn---ihx.com', 'domain_invalid'],
  ['ana@xn--.com', 'domain_invalid'],
  ['ana@a\u200db.com', 'domain_invalid'],
  ['ana@.example.com', 'domain_dots'],
  ['ana@example.com.', 'domain_dots'],
  ['ana@example..com', 'domain_dots'],
  ['ana@example。。com', 'domain_dots'],
  ['ana@localhost', 'domain_one_label'],
  ['ana@-example.com', 'domain_label'],
  ['ana@example-.com', 'domain_label'],
  [`ana@${long(64)}.com`, 'domain_label'],
  [`a@${domainOf(254)}`, 'domain_too_long'],
];

describe('parseAddress', () => {
  test.each(good)('takes %j as %j', (text, canonical) => {
    expect(parseAddress(text)).toEqual({ ok: true, address: canonical });
  });

  test.each(bad)('refuses %j as %s', (text, code) => {
    expect(parseAddress(text)).toMatchObject({ ok: false, code });
  });

  test('fuzzer seed 965169234: an encoded word, in which another program finds a line break, is refused', () => {
    expect(parseAddress('=?utf-8?q?=0A?=a@0.a')).toMatchObject({ ok: false, code: 'encoded_word' });
  });

  test('a sentence neither quotes the address nor holds a control character', () => {
    for (const [text] of bad) {
      const parsed = parseAddress(text);
      if (parsed.ok) throw new Error('accepted');
      expect(parsed.sentence).toMatch(/^\P{Cc}+\.$/u);
      expect(parsed.sentence).not.toMatch(/\b(ana|eve)\b/i);
    }
  });

  test('a hostile megabyte is refused by its length alone', () => {
    for (const text of [
      `${'a.'.repeat(500_000)}@b.co`,
      `a@${'-'.repeat(1_000_000)}`,
      '@'.repeat(1_000_000),
    ]) {
      expect(parseAddress(text)).toMatchObject({ code: 'too_long' });
    }
  });
});

/** Texts near enough to addresses that a good share is accepted. */
const nearlyAddress = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...'aZ09.+_-%!"( ,\u00e9\r'), minLength: 1, maxLength: 8 }),
    fc.constantFrom('@', '@', '@', '＠', '@@'),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          'com',
          'COM',
          'xn--mnchen-3ya',
          'ß',
          'İ',
          '％',
          '1',
          '0x1',
          '。',
          '\u00ad',
          '＠',
          '<',
          '-',
        ),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
        fc.stringMatching(/^[a-zA-Z0-9-]{1,8}$/),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([local, at, labels]) => `${local}${at}${labels.join('.')}`);
const anything = fc.oneof(nearlyAddress, fc.emailAddress(), fc.string({ unit: 'binary' }), fc.anything());

describe('parseAddress, whatever it is given', () => {
  test('never throws, and what it accepts is one plain address that parses to itself', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anything, (text) => {
        const parsed = parseAddress(text);
        if (!parsed.ok) return;
        accepted += 1;
        expect(parsed.address).toMatch(/^[\x21-\x7e]+$/);
        expect(parsed.address).not.toMatch(/[,;:<>()[\]"\\\s]/);
        expect(parsed.address.split('@')).toHaveLength(2);
        expect(parsed.address.length).toBeLessThanOrEqual(254);
        expect(parseAddress(parsed.address)).toEqual(parsed);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  test('accepts half-broken UTF-16 never', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat({ max: 15 }), (unit, place) => {
        const text = 'ana@example.com';
        const broken = text.slice(0, place) + String.fromCharCode(unit) + text.slice(place);
        expect(parseAddress(broken)).toMatchObject({ code: 'broken_unicode' });
      }),
    );
  });
});

describe('addressKey', () => {
  test('is the same for every way of writing letters large or small', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.array(fc.boolean(), { minLength: 1 }), (text, larger) => {
        const parsed = parseAddress(text);
        const shouted = [...text].map((letter, at) =>
          larger[at % larger.length] ? letter.toUpperCase() : letter,
        );
        const other = parseAddress(shouted.join(''));
        fc.pre(parsed.ok);
        expect(other.ok && addressKey(other.address)).toBe(parsed.ok && addressKey(parsed.address));
      }),
    );
  });

  test('leaves the address itself as it was written', () => {
    const address: Address = requireAddress('Ana@Example.com');
    expect([address, addressKey(address)]).toEqual(['Ana@example.com', 'ana@example.com']);
  });
});

test('requireAddress refuses with a code for programs and a sentence for people', () => {
  const refusal = new Refusal('invalid_address', 'The address has no @; give one like name@example.com.', {
    problem: 'no_at_sign',
  });
  expect(() => requireAddress('ana')).toThrow(refusal);
  expect(requireAddress('ana@example.com')).toBe('ana@example.com');
  try {
    requireAddress('ana');
  } catch (error) {
    expect(error).toMatchObject({ code: refusal.code, details: refusal.details });
  }
});
