import { describe, expect, test } from 'vitest';
import { readSubmission, type SubmitRequest, submissionRefusal } from './submission.ts';

const request = (more: Partial<SubmitRequest> = {}): SubmitRequest => ({
  ...{ idempotency_key: 'k', changelist_id: 'CL-1', review_version: 1, title: 'A title' },
  ...{ recipients: [{ email: 'ana@example.org' }], ...more },
});
const fieldsOf = (more: Partial<SubmitRequest>) =>
  readSubmission(request(more)).problems.map(({ field }) => field);

describe('what a bot posts', () => {
  test('recipients are one each, in order, and the required one wins', () => {
    const recipients = [
      { email: 'Zoe@example.org', required: false },
      { email: 'ANA@example.org' },
      { email: 'zoe@EXAMPLE.org' },
      { email: 'ana@example.org', required: false },
    ];
    expect(readSubmission(request({ recipients })).submission.recipients).toEqual([
      { recipient: 'ana@example.org', address: 'ANA@example.org', isRequired: true },
      { recipient: 'zoe@example.org', address: 'Zoe@example.org', isRequired: true },
    ]);
  });

  test('all bad addresses are named at once, by their places and never by their words', () => {
    const recipients = [
      { email: 'ana@example.org' },
      { email: 'no address' },
      { email: 'x@y@z' },
      ...Array.from({ length: 100 }, () => ({ email: 'also none' })),
    ];
    const { problems } = readSubmission(request({ recipients }));
    expect(problems).toHaveLength(102);
    expect(problems[0]?.field).toBe('recipients[1].email');
    const refusal = submissionRefusal(problems);
    expect(refusal.message).toMatch(/^recipients\[1\]\.email: .* And 101 more: see details\.$/);
    expect(refusal.details?.problems).toHaveLength(102);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain('no address at');
    expect(JSON.stringify(refusal.details)).not.toContain('also none');
  });

  test('somebody must be required', () => {
    expect(fieldsOf({ recipients: [{ email: 'a@example.org', required: false }] })).toEqual(['recipients']);
  });

  test.each([
    ['https://review.example.org/CL-1?x=1#y', 'https://review.example.org/CL-1?x=1#y'],
    ['HTTP://Example.org', 'http://example.org/'],
    ['https://example.org/ä b|c"<', 'https://example.org/%C3%A4%20b%7Cc%22%3C'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ])('the link %s is kept as %s', (url, kept) => {
    expect(readSubmission(request({ url }))).toMatchObject({ problems: [], submission: { url: kept } });
  });

  test.each([
    'javascript:alert(1)',
    'mailto:ana@example.org',
    'ftp://x',
    '/relative',
    'https://u:p@x.org',
    'data:,x',
  ])('%s is no link', (url) => {
    expect(fieldsOf({ url })).toEqual(['url']);
  });

  test('a link that is too long is told so: only when it is encoded, where it has other letters', () => {
    for (const url of [`https://x/${'a'.repeat(2_048)}`, `https://x/${'界'.repeat(400)}`])
      expect(readSubmission(request({ url })).problems).toEqual([
        { field: 'url', problem: 'url has more than 2048 characters, as it would stand in a mail.' },
      ]);
  });

  test.each([
    ['blanks', ' \t\n\u00a0\u3000'],
    ['signs without width', '\u200b\u200c\u200d\u2060\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['signs that turn others round', '\u202e\u2066\u200f'],
    ['fillers', '\u3164\u115f\uffa0\u2800'],
    ['variations of nothing', '\ufe0f\u{e0100}'],
  ])('of %s nothing can be seen', (_, text) => {
    const findings = [{ severity: 'info', message: text }] as const;
    expect(fieldsOf({ title: text, changelist_id: text, idempotency_key: text, findings })).toEqual([
      ...['idempotency_key', 'changelist_id', 'title', 'findings[0].message'],
    ]);
  });

  test.each(['.', '界', '👍🏽', 'a\u200d', '\u0301', '\ue000', '\u0378'])('%j can', (title) => {
    expect(fieldsOf({ title })).toEqual([]);
  });

  test('half of a character, and texts with nothing in them', () => {
    expect(
      fieldsOf({
        ...{ title: '\u202e \u200b', summary: 'half \ud800' },
        findings: [
          { severity: 'info', message: '\n\t ' },
          { severity: 'info', message: 'fine', file: '\udc00' },
        ],
      }),
    ).toEqual(['title', 'summary', 'findings[0].message', 'findings[1].file']);
  });

  test('what is empty is as good as left out', () => {
    const { submission } = readSubmission(
      request({ summary: '', findings: [{ severity: 'minor', message: 'm', file: '' }] }),
    );
    expect(submission).toMatchObject({ summary: null, findings: [{ severity: 'minor', message: 'm' }] });
    expect(submission.findings[0]).not.toHaveProperty('file');
  });
});
