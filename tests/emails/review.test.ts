import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkMail } from '../../src/domain/message.ts';
import { reviewReady } from '../../src/emails/templates/review-ready.tsx';
import type { ReviewReadyProps } from '../../src/emails/templates/review-ready-props.ts';
import { reviewProps } from '../../src/sources/code-reviews/mail/review-props.ts';
import { mailTo } from '../support/mails.ts';
import { mailOf, pageOf } from './mails.ts';

const sample = (name: string) => reviewReady.samples[name] as ReviewReadyProps;
const mail = (locale: string, props: Readonly<Record<string, unknown>>) =>
  mailOf({ template: 'review-ready', locale, props });
const textsOf = (html: string, wanted: readonly string[]) =>
  pageOf(html).texts.filter((one) => wanted.includes(one));

describe('a review', () => {
  it('tells a later version: what there is, what changed, then the findings, and last what is gone', async () => {
    const { subject, text } = await mail('en', sample('later'));
    expect(subject).toBe('Review ready: Retry an upload when the connection drops, version 3');
    expect(text.split('\n')).toEqual([
      'Retry an upload when the connection drops',
      'Change list: CL-48213',
      'Version: 3',
      '',
      'Findings',
      '  Critical: 0',
      '  Major: 2',
      '  Minor: 0',
      '  Info: 1',
      '',
      'Since version 2',
      '  New: 1',
      '  Gone: 2',
      '  Still there: 2',
      '',
      'Open the review:',
      'https://review.example.org/changes/48213',
      '',
      'Major: 2',
      '- The wait after a time-out is longer than the test allows.',
      '  New · src/upload/retry.ts:44',
      '- Retries have no upper bound: a server that always answers 503 is asked for ever.',
      '  src/upload/retry.ts:36',
      '',
      'Info: 1',
      '- The changelog does not mention this change.',
      '',
      'Gone: 2',
      '- The file handle is not closed when the second attempt throws.',
      '  Critical · src/upload/attempt.ts',
      '- `data2` says nothing about what it holds.',
      '  Minor · src/upload/attempt.ts',
      '',
      '----',
      'You get this mail because you were named to be told of the reviews of this change.',
      'Stop all mails about code reviews: https://mail.example.org/stop/5f0c2f4e9a',
    ]);
  });

  it.each([
    ['en', ['Critical: 1', 'Major: 2', 'Minor: 1', 'Info: 1'], 'Review ready: ', ', version 1'],
    ['ro', ['Critice: 1', 'Majore: 2', 'Minore: 1', 'Info: 1'], 'Revizuire gata: ', ', versiunea 1'],
    ['zh-CN', ['严重：1', '重要：2', '次要：1', '提示：1'], '评审完成：', '（第 1 版）'],
  ])(
    'groups the findings of the first version by severity, in %s',
    async (locale, headings, before, after) => {
      const props = sample('first');
      // In whatever order they come.
      const { subject, html, text } = await mail(locale, { ...props, findings: props.findings.toReversed() });
      expect(subject).toBe(`${before}Retry an upload when the connection drops${after}`);
      expect(textsOf(html, headings)).toEqual(headings);
      expect(text.split('\n').filter((one) => headings.includes(one))).toEqual(headings);
      expect(text).not.toMatch(/Since|Față|相比/);
    },
  );

  it('says that nothing was found', async () => {
    const { html, text } = await mail('en', sample('clean'));
    expect(text).toMatch(/^Sort imports\n.*\n.*\n\nThis version has no findings\.\n\n----\nYou get/);
    expect(html).toMatch(/<div style="display:none[^>]*>This version has no findings\.\u00a0/);
    const gone = { previousVersion: '1', added: '0', gone: '3', remaining: '0' };
    const later = await mail('en', { ...sample('clean'), version: '2', changes: gone });
    expect(later.text).toContain('This version has no findings.\n\nSince version 1\n  New: 0\n  Gone: 3\n');
  });

  it('has a preheader of what there is some of', async () => {
    const { html } = await mail('ro', sample('later'));
    expect(html).toMatch(
      /<div style="display:none[^>]*>Majore 2 · Info 1 · Noi 1 · Dispărute 2 · Rămase 2\u00a0/,
    );
  });

  it('marks what is critical with more than a colour, and says how many are not listed', async () => {
    const { html, text } = await mail('en', sample('many'));
    const marks = pageOf(html).elements.filter(({ attributes }) => attributes.class === 'mark');
    expect(marks.map(({ attributes }) => attributes.style)).toEqual([
      expect.stringMatching(/border-left:3px solid/),
    ]);
    expect(text).toContain('\n\nNot listed in this mail: 970\n\nGone: 64\n');
    expect(text).toContain('\n\nNot listed in this mail: 54\n\n----\n');
  });
});

describe('from what a bot writes', () => {
  const words = fc.string({ unit: 'binary', maxLength: 40 });
  const findings = fc.array(
    fc.record({
      severity: fc.constantFrom('critical', 'major', 'minor', 'info'),
      message: words,
      file: fc.option(words),
      line: fc.option(fc.nat()),
    }),
    { maxLength: 45 },
  );
  const link = fc.option(
    fc.oneof(
      words,
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      words.map((one) => `https://r.example/${one}`),
      words.map((one) => `https://${one}`),
    ),
  );

  it('a mail is made, whatever it is, and may leave', async () => {
    const reviews = fc.record({
      ...{ changelistId: words, title: words, url: link, summary: fc.option(words), findings },
      version: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      previous: fc.option(fc.record({ version: fc.integer({ min: 1 }), findings }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(reviews, fc.constantFrom('en', 'ro', 'zh-CN'), async (review, locale) => {
        const { subject, html, text } = await mail(locale, reviewProps(review));
        expect(checkMail(mailTo(1, { subject, html, text }))).toEqual({ ok: true });
      }),
      { numRuns: 150 },
    );
  });

  it('the longest in any script is shown whole by Gmail', async () => {
    const long = Array.from({ length: 1000 }, (_, index) => ({
      ...{ severity: 'critical' as const, message: `${index}${'漢'.repeat(999)}`, file: '漢'.repeat(999) },
      line: index,
    }));
    const [now, before] = [long.slice(0, 500), long.slice(500)];
    const props = reviewProps({
      ...{ changelistId: '漢'.repeat(999), title: '漢'.repeat(999), summary: '漢'.repeat(9999) },
      ...{ version: Number.MAX_SAFE_INTEGER, url: `https://r.example/${'x'.repeat(2000)}`, findings: now },
      previous: { version: 1, findings: before },
    });
    const { subject, html } = await mail('en', props);
    expect(props.findings).toHaveLength(30);
    expect(props.changes?.goneFindings).toHaveLength(10);
    expect(Buffer.byteLength(html)).toBeLessThan(102 * 1024);
    expect(Buffer.byteLength(subject)).toBeLessThan(998);
  });
});
