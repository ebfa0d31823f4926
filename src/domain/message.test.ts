import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Address, requireAddress } from './address.ts';
import {
  bodyHash,
  checkMail,
  idempotencyKey,
  type Mail,
  type MailProblem,
  messageIdHeader,
  parseSender,
  requiredTags,
  type Sender,
  tagValue,
} from './message.ts';

const id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';

function sender(text: string): Sender {
  const parsed = parseSender(text);
  if (!parsed.ok) throw new Error(parsed.sentence);
  return parsed.sender;
}

const mail: Mail = {
  from: sender('Tidings <tidings@example.com>'),
  to: requireAddress('ana@example.org'),
  subject: 'A seat is open: Introducere în algebră',
  html: '<p>Section 09214 is open.</p>',
  text: 'Section 09214 is open.',
  headers: { 'List-Unsubscribe': '<https://example.com/u/1>', 'Auto-Submitted': 'auto-generated' },
  tags: requiredTags(id, 1, 'test'),
};

test('what has passed the check cannot be changed any more: the next door need not look again', () => {
  const copy = { ...mail, headers: { ...mail.headers }, tags: { ...mail.tags } };
  expect(checkMail(copy)).toEqual({ ok: true });
  expect(() => Object.assign(copy, { subject: 'a\r\nBcc: b@example.org' })).toThrow(TypeError);
  expect(() => Object.assign(copy.headers, { Bcc: 'b@example.org' })).toThrow(TypeError);
  expect(() => Object.assign(copy.tags, { a: ' ' })).toThrow(TypeError);
  expect(checkMail({ ...copy, subject: 'a\nb' })).toMatchObject({ code: 'subject_injection' });
});

describe('parseSender', () => {
  test.each([
    ['tidings@Example.com', 'tidings@example.com', ''],
    ['<tidings@example.com>', 'tidings@example.com', ''],
    ['"" <tidings@example.com>', 'tidings@example.com', ''],
    ['Tidings <tidings@EXAMPLE.com>', 'Tidings <tidings@example.com>', 'Tidings'],
    ['Tidings<tidings@example.com>', 'Tidings <tidings@example.com>', 'Tidings'],
    ['"Tidings" <tidings@example.com>', 'Tidings <tidings@example.com>', 'Tidings'],
    ["O'Neil & Co  <a@example.com>", "O'Neil & Co <a@example.com>", "O'Neil & Co"],
    ['Acme Inc. <a@example.com>', '"Acme Inc." <a@example.com>', 'Acme Inc.'],
    ['"Acme, Inc" <a@example.com>', '"Acme, Inc" <a@example.com>', 'Acme, Inc'],
    ['"The \\"A\\" \\\\ team" <a@example.com>', '"The \\"A\\" \\\\ team" <a@example.com>', 'The "A" \\ team'],
    ['"a <b@c.de>" <a@example.com>', '"a <b@c.de>" <a@example.com>', 'a <b@c.de>'],
    ['Transparență <a@münchen.de>', '"Transparență" <a@xn--mnchen-3ya.de>', 'Transparență'],
  ])('takes %j as %j', (text, canonical, name) => {
    expect(parseSender(text)).toMatchObject({ ok: true, sender: canonical, name });
  });

  test.each([
    [undefined, 'not_text'],
    ['', 'empty'],
    ['Tidings', 'no_at_sign'],
    ['Tidings tidings@example.com', 'inner_space'],
    ['Tidings <tidings>', 'no_at_sign'],
    ['Tidings <>', 'empty'],
    ['Tidings < a@example.com>', 'surrounding_space'],
    ['Tidings <a@example.com', 'display_name'],
    ['Tidings <a@example.com> ', 'display_name'],
    ['>', 'display_name'],
    ['Tidings <a@example.com, b@example.com>', 'several_addresses'],
    ['a@example.com, Tidings <b@example.com>', 'sender_name'],
    ['<a@example.com> <b@example.com>', 'sender_name'],
    ['Tidings\r\nBcc: eve@example.com <a@example.com>', 'sender_name'],
    ['Tidings\n<a@example.com>', 'sender_name'],
    ['Acme, Inc <a@example.com>', 'sender_name'],
    ['Tidings (news) <a@example.com>', 'sender_name'],
    ['"Tidings <a@example.com>', 'sender_name'],
    ['"Tid"ings" <a@example.com>', 'sender_name'],
    ['"Tidings\\" <a@example.com>', 'sender_name'],
    ['"\\r" <a@example.com>', 'sender_name'],
    [' Tidings <a@example.com>', 'sender_name'],
    ['=?utf-8?q?eve=40example.com?= <a@example.com>', 'sender_name'],
    ['Tid\ud800ings <a@example.com>', 'sender_name'],
    [`${'n'.repeat(201)} <a@example.com>`, 'sender_name'],
    [`"${'\\"'.repeat(500_000)}" <a@example.com>`, 'sender_name'],
  ])('refuses %j as %s', (text, code) => {
    expect(parseSender(text)).toMatchObject({ ok: false, code });
  });

  test('gives back any name that it accepts, in a form that it reads the same way again', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aB3 .,"\\<>()@;:=?\'ăé漢'), maxLength: 200 });
    fc.assert(
      fc.property(letters, (name) => {
        fc.pre(!name.includes('=?'));
        const first = parseSender(`"${name.replace(/["\\]/g, '\\$&')}" <a@example.com>`);
        if (!first.ok) throw new Error(first.sentence);
        expect(first.name).toBe(name.trim());
        expect(parseSender(first.sender)).toEqual(first);
      }),
    );
  });
});

const headers = (name: string, value: string) => ({ headers: { [name]: value } });
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `X-${at}`);
const unsendable: readonly (readonly [string, Partial<Mail>, MailProblem])[] = [
  ['a sender that was never parsed', { from: 'Acme, Inc <a@example.com>' as Sender }, 'from_invalid'],
  [
    'a sender in another form than the canonical',
    { from: 'Acme Inc. <a@example.com>' as Sender },
    'from_invalid',
  ],
  [
    'a sender with a second header',
    { from: 'a@example.com\r\nBcc: b@example.com' as Sender },
    'from_invalid',
  ],
  ['two recipients', { to: 'ana@example.org,eve@example.org' as Address }, 'to_invalid'],
  ['a recipient in another form than the canonical', { to: 'ana@Example.org' as Address }, 'to_invalid'],
  ['a reply-to that was never parsed', { replyTo: 'Nobody' as Sender }, 'reply_to_invalid'],
  ['no subject', { subject: '' }, 'subject_empty'],
  ['a blank subject', { subject: ' \u00a0 ' }, 'subject_empty'],
  ['a subject of signs without a width', { subject: '\u200b\u3164' }, 'subject_empty'],
  ['an encoded word as subject', { subject: '=?UTF-8?B?SGVsbG8=?=' }, 'subject_encoded'],
  ['a second header in the subject', { subject: 'Hello\r\nBcc: eve@example.org' }, 'subject_injection'],
  ['a bare line feed in the subject', { subject: 'Hello\n' }, 'subject_injection'],
  ['a line separator in the subject', { subject: 'Hello\u2028there' }, 'subject_injection'],
  ['half a character in the subject', { subject: 'Hello \ud83d' }, 'subject_injection'],
  ['a subject of 999 octets', { subject: 'é'.repeat(499).concat('a') }, 'subject_too_long'],
  ['a header name with a colon', headers('X-A:', 'b'), 'header_name'],
  ['a header name with a line break', headers('X-A\r\nBcc', 'b'), 'header_name'],
  ['an empty header name', headers('', 'b'), 'header_name'],
  ['one header in two spellings', { headers: { 'X-A': '1', 'x-a': '2' } }, 'header_name'],
  ['a line break in a header', headers('X-A', 'b\r\nBcc: eve@example.org'), 'header_injection'],
  ['a folded header', headers('X-A', 'b\r\n c'), 'header_injection'],
  ['a NUL in a header', headers('X-A', 'b\0'), 'header_injection'],
  ['a header of 999 octets', headers('X-A', 'a'.repeat(994)), 'header_too_long'],
  ['76 tags', { tags: Object.fromEntries(numbered(76).map((name) => [name, 'a'])) }, 'tag_count'],
  ['a colon in a tag (002-P11-11)', { tags: { period_key: '2026:Q1' } }, 'tag_alphabet'],
  ['a letter outside ASCII in a tag', { tags: { name: 'ană' } }, 'tag_alphabet'],
  ['an empty tag', { tags: { name: '' } }, 'tag_alphabet'],
  ['a tag with a bad name', { tags: { 'na me': 'a' } }, 'tag_alphabet'],
  ['a tag of 257 characters', { tags: { name: 'a'.repeat(257) } }, 'tag_alphabet'],
  ['a body one octet too big', { text: 'é', html: 'a'.repeat(1_048_575) }, 'body_too_big'],
  ['a NUL in the text', { text: 'a\0' }, 'body_character'],
  ['half a character in the html', { html: '<p>\udc00</p>' }, 'body_character'],
  ['no text', { text: ' \n' }, 'text_empty'],
  ['no html', { html: '' }, 'html_empty'],
  [
    'headers without end',
    {
      html: 'a'.repeat(1_048_000),
      headers: Object.fromEntries(numbered(140).map((name) => [name, 'a'.repeat(950)])),
    },
    'mail_too_big',
  ],
];

describe('checkMail', () => {
  test.each(unsendable)('refuses %s', (_, change, code) => {
    expect(checkMail({ ...mail, ...change })).toMatchObject({
      ok: false,
      code,
      sentence: expect.stringMatching(/\.$/),
    });
  });

  test.each([
    ...[
      'From',
      'to',
      'CC',
      'Bcc',
      'Subject',
      'Date',
      'Message-ID',
      'Sender',
      'Reply-To',
      'Return-Path',
      'Received',
    ],
    ...['MIME-Version', 'Content-Type', 'content-transfer-encoding', 'Resent-To'],
  ])('refuses a header %s of its own', (name) => {
    expect(checkMail({ ...mail, headers: { [name]: 'x' } })).toMatchObject({ code: 'header_forbidden' });
  });

  test.each<[string, Partial<Mail>]>([
    ['an ordinary mail', {}],
    ['a reply-to', { replyTo: sender('"Help, please" <help@example.com>') }],
    ['a subject of 998 octets', { subject: 'é'.repeat(499) }],
    ['a header of 998 octets', headers('X-A', 'a'.repeat(993))],
    ['75 tags', { tags: Object.fromEntries(numbered(75).map((name) => [name, 'a'.repeat(256)])) }],
    ['a body of exactly 1 MiB, all quotes', { text: 'é', html: '"'.repeat(1_048_574) }],
    ['line breaks and tabs in the bodies', { text: 'a\r\n\tb', html: '<p>\n</p>' }],
  ])('passes %s', (_, change) => {
    expect(checkMail({ ...mail, ...change })).toEqual({ ok: true });
  });
});

const record = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }));
const anyMail = fc.record({
  ...{ from: fc.string(), to: fc.string(), subject: fc.string(), html: fc.string(), text: fc.string() },
  ...{ headers: record, tags: record },
}) as unknown as fc.Arbitrary<Mail>;
const shuffled = (entries: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(entries).reverse());

describe('bodyHash', () => {
  test('does not depend on the order in which headers and tags were added', () => {
    fc.assert(
      fc.property(anyMail, (one) => {
        const other = { ...one, tags: shuffled(one.tags), headers: shuffled(one.headers) };
        expect(bodyHash(other)).toBe(bodyHash(one));
      }),
    );
  });

  test('differs as soon as two fields change places or share their words out differently', () => {
    const fields = ['from', 'to', 'subject', 'html', 'text'] as const;
    fc.assert(
      fc.property(anyMail, fc.constantFrom(...fields), fc.constantFrom(...fields), (one, a, b) => {
        fc.pre(one[a] !== one[b]);
        expect(bodyHash({ ...one, [a]: one[b], [b]: one[a] } as Mail)).not.toBe(bodyHash(one));
        expect(bodyHash({ ...one, [a]: one[a] + one[b], [b]: '' } as Mail)).not.toBe(
          bodyHash({ ...one, [a]: '', [b]: one[a] + one[b] } as Mail),
        );
      }),
    );
  });

  test('differs when a header becomes a tag, a name a value, or one pair two', () => {
    const hashes = [
      { headers: { a: 'b' }, tags: {} },
      { headers: {}, tags: { a: 'b' } },
      { headers: { b: 'a' }, tags: {} },
      { headers: { A: 'b' }, tags: {} },
      { headers: { a: 'b","c' }, tags: {} },
      { headers: { a: 'b', c: '' }, tags: {} },
      { headers: {}, tags: {} },
      { headers: {}, tags: {}, replyTo: mail.from },
    ].map((change) => bodyHash({ ...mail, ...change }));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('is the same for ever: rows written by an earlier release are compared with it', () => {
    expect(bodyHash(mail)).toBe('f8b5ee09dcb2e71d3cb54af399c7e04d52a670e395324d28debb310f7f716f58');
  });
});

describe('keys of a round', () => {
  test('the idempotency key is the id in the first round and tells later ones apart', () => {
    expect([1, 2, 13].map((round) => idempotencyKey(id, round))).toEqual([id, `${id}-r2`, `${id}-r13`]);
  });

  test('the Message-ID is the same for every attempt of a round', () => {
    expect(messageIdHeader(id, 1, 'example.com')).toBe(`<${id}.r1@example.com>`);
    expect(messageIdHeader(id, 2, 'MÜNCHEN.de')).toBe(`<${id}.r2@xn--mnchen-3ya.de>`);
    expect(() => messageIdHeader(id, 1, 'example.com>\r\nBcc: eve@example.org')).toThrow(/control_character/);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2'])('%s is no round', (round) => {
    expect(() => idempotencyKey(id, round as number)).toThrow(RangeError);
    expect(() => messageIdHeader(id, round as number, 'example.com')).toThrow(RangeError);
    expect(() => requiredTags(id, round as number, 'test')).toThrow(RangeError);
  });
});

describe('tags', () => {
  test('requiredTags names the delivery, the round and the deployment', () => {
    expect(requiredTags(id, 2, 'staging.eu')).toEqual({ delivery_id: id, round: '2', env: 'staging-eu' });
  });

  test.each([
    ['2026-Q1', '2026-Q1'],
    ['2026-03', '2026-03'],
    ['a:b c', 'a-b-c'],
    ['ană😀', 'an--'],
    ['', '-'],
    ['a'.repeat(300), 'a'.repeat(256)],
  ])('tagValue(%j) is %j', (text, value) => {
    expect(tagValue(text)).toBe(value);
  });

  test('whatever tagValue gives is a tag, and stays the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const value = tagValue(text);
        expect(checkMail({ ...mail, tags: { value } })).toEqual({ ok: true });
        expect(tagValue(value)).toBe(value);
      }),
    );
  });
});
