import { expect, test } from 'vitest';
import { subjectOf } from './subject.ts';

const octetsMax = 998; // What a mail's own check allows.

test('a name of usual length stands in it as it is', () => {
  expect(subjectOf('Budget for 2025: ', 'Orașul Lunca Mare')).toBe('Budget for 2025: Orașul Lunca Mare');
});

test('a long one is cut between characters', () => {
  const subject = subjectOf('Alert: ', '👩'.repeat(300), `, ${'漢'.repeat(60)}`);
  expect(subject).toBe(`Alert: ${'👩'.repeat(119)}…, ${'漢'.repeat(60)}`);
  expect(Buffer.byteLength(subject)).toBeLessThan(octetsMax);
  expect(subjectOf('', 'x'.repeat(120))).toBe('x'.repeat(120));
});

test('nothing in it is read as an encoded word, wherever it comes together', () => {
  expect(subjectOf('Alert=', '?=?utf-8?q?Bcc?=', '?')).toBe('Alert= ?= ?utf-8?q?Bcc?= ?');
});
