import { Writable } from 'node:stream';
import fc from 'fast-check';
import DataStream from 'nodemailer/lib/smtp-connection/data-stream';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { type Mail, parseSender } from '../../src/domain/message.ts';
import { streamLetter, writeLetter } from '../../src/providers/smtp-letter.ts';
import { mailTo } from '../support/mails.ts';

const key = '11111111-1111-5111-8111-111111111111';
const at = Date.UTC(2026, 0, 15, 12);

function sender(text: string) {
  const parsed = parseSender(text);
  if (!parsed.ok) throw new Error(parsed.sentence);
  return parsed.sender;
}

async function headersOf(mail: Mail) {
  const { headers } = await PostalMime.parse((await writeLetter(key, mail, at)).bytes);
  return headers.map(({ key: name, value }) => [name, value]);
}

describe('a letter', () => {
  it('is the same bytes for the same key, mail and moment', async () => {
    const [one, two] = [await writeLetter(key, mailTo(1), at), await writeLetter(key, mailTo(1), at)];
    expect(one.bytes.equals(two.bytes)).toBe(true);
  });

  it('000-77 has a Message-ID that comes from delivery and round alone', async () => {
    const idOf = async (one: string, mail: Mail, when: number) =>
      (await writeLetter(one, mail, when)).messageId;
    expect(await idOf(key, mailTo(1), at)).toBe(`<${key}.r1@example.org>`);
    expect(await idOf(key, mailTo(2), at + 9999)).toBe(`<${key}.r1@example.org>`);
    expect(await idOf(`${key}-r2`, mailTo(1), at)).toBe(`<${key}.r2@example.org>`);
    const parsed = await PostalMime.parse((await writeLetter(`${key}-r12`, mailTo(1), at)).bytes);
    expect(parsed).toMatchObject({ messageId: `<${key}.r12@example.org>`, date: '2026-01-15T12:00:00.000Z' });
  });

  it('000-73 goes to one address, and reads as it was written in any script', async () => {
    const mail = mailTo(1, {
      from: sender('"Știri, Ltd. <ș>" <noreply@example.org>'),
      replyTo: sender('Căutare <help@example.org>'),
      subject: 'Ședința de mâine 🙂 '.repeat(6).trim(),
      text: `.\r\n..\n.dot\nFrom here\n${'long '.repeat(400)}\nțăran €`,
      html: `<p>țăran</p>\n.\n<p>${'x'.repeat(3000)}</p>`,
    });
    const letter = await writeLetter(key, mail, at);
    expect(letter).toMatchObject({ from: 'noreply@example.org', to: 'person-1@example.org' });
    const parsed = await PostalMime.parse(letter.bytes);
    expect(parsed.from).toMatchObject({ name: 'Știri, Ltd. <ș>', address: 'noreply@example.org' });
    expect(parsed.to).toEqual([{ name: '', address: 'person-1@example.org' }]);
    expect(parsed.replyTo).toEqual([{ name: 'Căutare', address: 'help@example.org' }]);
    expect(parsed.subject).toBe(mail.subject);
    expect(parsed.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(mail.text.replaceAll('\r\n', '\n'));
    expect(parsed.html?.replaceAll('\r\n', '\n').trimEnd()).toBe(mail.html);
    expect(letter.bytes.every((octet) => octet < 128)).toBe(true);
  });

  it('keeps the headers of the mail, long ones too', async () => {
    const url = `<https://example.org/u/${'a1'.repeat(400)}>`;
    const headers = { 'List-Unsubscribe': url, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
    const found = await headersOf(mailTo(1, { headers }));
    expect(found).toContainEqual(['list-unsubscribe', url]);
    expect(found).toContainEqual(['list-unsubscribe-post', 'List-Unsubscribe=One-Click']);
  });

  it('has the headers that it always has, and no others, whatever subject and name hold', async () => {
    const names = (list: (string | undefined)[][]) => list.map(([name]) => name).sort();
    const usual = names(await headersOf(mailTo(1)));
    const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }).filter((text) => {
      return !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) && text.trim() !== '';
    });
    await fc.assert(
      fc.asyncProperty(words, words, async (subject, name) => {
        const parsed = parseSender(`"${name.replace(/["\\]/g, '\\$&')}" <noreply@example.org>`);
        const from = parsed.ok ? parsed.sender : sender('noreply@example.org');
        expect(names(await headersOf(mailTo(1, { subject, from })))).toEqual(usual);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the stream of a letter', () => {
  const letterOf = (octets: number) => ({
    from: '',
    to: '',
    messageId: '',
    bytes: Buffer.alloc(octets, 'a.\r\n'),
  });

  /** As nodemailer reads it: through what writes the final dot, into a socket that takes only so much. */
  async function pour(octets: number, taken: number) {
    const letter = streamLetter(letterOf(octets));
    let received = Buffer.alloc(0);
    const socket = new Writable({
      highWaterMark: 1024,
      write(chunk: Buffer, _encoding, done) {
        received = Buffer.concat([received, chunk]);
        // The rest waits for ever, as on a network that has gone silent.
        if (received.length < taken) done();
      },
    });
    letter.stream.pipe(new DataStream()).pipe(socket);
    for (let turn = 0; turn < 400; turn++) await new Promise(setImmediate);
    return { letter, hasDot: () => received.subarray(-5).equals(Buffer.from('\r\n.\r\n')) };
  }

  it('says that it has ended before the dot is written, and only then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300_000), fc.nat(400_000), async (octets, taken) => {
        const { letter, hasDot } = await pour(octets + 1, taken);
        expect(letter.hasBegun).toBe(true);
        if (hasDot()) expect(letter.hasEnded).toBe(true);
        if (taken > octets * 2 + 10) expect(hasDot()).toBe(true);
        // Given up in the middle: the dot does not follow.
        const hadEnded = letter.hasEnded;
        letter.stream.destroy();
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        expect(letter.hasEnded).toBe(hadEnded);
        if (!hadEnded) expect(hasDot()).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  it('has not ended while a silent network holds more than the buffers on the way take', async () => {
    const { letter, hasDot } = await pour(1_000_000, 100_000);
    expect([letter.hasBegun, letter.hasEnded, hasDot()]).toEqual([true, false, false]);
  });

  it('has not begun before anybody reads it', async () => {
    const letter = streamLetter(letterOf(100));
    await new Promise(setImmediate);
    expect([letter.hasBegun, letter.hasEnded]).toEqual([false, false]);
    letter.stream.destroy();
  });
});
