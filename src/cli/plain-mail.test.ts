import { describe, expect, test } from 'vitest';
import { Refusal } from '../std/refusal.ts';
import { readRecipients, readText, requireSendable } from './plain-mail.ts';

async function refusal(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('readRecipients', () => {
  test('two spellings of one mailbox are one recipient, the first as it was written', () => {
    expect(readRecipients(['Ana@example.org', 'bob@example.org', 'ana@EXAMPLE.org'])).toEqual([
      'Ana@example.org',
      'bob@example.org',
    ]);
  });

  test('all mistakes are told at once, each with the address it is about', async () => {
    const { code, message } = await refusal(() =>
      readRecipients(['bad', 'ana@example.org', 'x y@example.org']),
    );
    expect(code).toBe('invalid_address');
    expect(message.split('\n')).toEqual([
      expect.stringMatching(/^--to "bad": .*@/),
      expect.stringMatching(/^--to "x y@example.org": .*white space/),
    ]);
  });

  test.each([
    ['nobody', []],
    ['a hundred and one', Array.from({ length: 101 }, (_, index) => `p${index}@example.org`)],
  ])('%s is refused', async (_, texts) => {
    expect((await refusal(() => readRecipients(texts))).message).toMatch(/Say who|At most 100/);
  });
});

describe('requireSendable', () => {
  const to = readRecipients(['ana@example.org']);
  const mail = { subject: 'Hello', text: 'It works.' };

  test('a good mail passes', async () => {
    await expect(requireSendable(mail, to)).resolves.toBeUndefined();
  });

  test.each([
    ['no subject', { ...mail, subject: '' }, 'subject_missing'],
    ['a subject with a line break', { ...mail, subject: 'Hello\r\nBcc: x@example.org' }, 'invalid_variable'],
    ['a blank text', { ...mail, text: ' \n' }, 'text_missing'],
    ['a text too big', { ...mail, text: 'x'.repeat(512 * 1024 + 1) }, 'text_too_big'],
    ['a text whose html is too big', { ...mail, text: '"'.repeat(400 * 1024) }, 'body_too_big'],
    ['a text with a NUL', { ...mail, text: 'a\0b' }, 'invalid_variable'],
  ])('%s is refused at the door', async (_, bad, code) => {
    expect((await refusal(() => requireSendable(bad, to))).code).toBe(code);
  });
});

test('readText: a text must come from exactly one place', async () => {
  await expect(readText({})).rejects.toMatchObject({ code: 'text_missing' });
  await expect(readText({ text: 'a', textFile: 'b' })).rejects.toMatchObject({ code: 'text_missing' });
  await expect(readText({ text: 'a' })).resolves.toBe('a');
  await expect(readText({ textFile: 'no/such/file' })).rejects.toMatchObject({ code: 'text_unreadable' });
  await expect(readText({ textFile: '.' })).rejects.toMatchObject({ code: 'text_unreadable' });
  await expect(readText({ textFile: '/dev/zero' })).rejects.toMatchObject({ code: 'text_too_big' });
});
