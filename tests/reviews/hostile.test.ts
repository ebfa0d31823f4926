import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitBody } from '../../src/http/routes/review-shapes.ts';
import { createValidator } from '../../src/http/validate.ts';
import type { SubmitRequest } from '../../src/sources/code-reviews/jobs/submission.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, createReviewWorld, type ReviewWorld, request, submitter, to } from './review-world.ts';

const evil = [
  '<script>alert(1)</script>',
  "'; DROP TABLE review_jobs; --",
  '=?utf-8?B?aGVsbG8=?=',
  'a\r\nBcc: eve@example.org',
  '\u202egnp.exe',
  '💥'.repeat(50),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what somebody hopes that another program fills.
  '{{7*7}} ${7*7} %s %n',
  '\u0000',
  '\ud800',
  ' ',
  '../../etc/passwd',
  '__proto__',
];

/** Whatever a bot passes on from whoever wrote the change: it is taken or refused, and what is taken can be told. */
onBothDatabases('hostile reviews', (dialect) => {
  let world: ReviewWorld;
  const check = createValidator(submitBody, 'body');
  let number = 0;
  beforeAll(async () => {
    world = await createReviewWorld(dialect);
  });
  afterAll(() => world.close());

  /** As the server does: its shape, then its values. */
  async function submit(body: unknown) {
    try {
      return await world.reviews.submit(check(body) as SubmitRequest, submitter);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  const text = fc.oneof(fc.constantFrom(...evil), fc.string({ unit: 'binary', maxLength: 400 }));
  const review = fc.record(
    {
      title: text,
      changelist_id: text,
      idempotency_key: text,
      summary: text,
      url: fc.oneof(text, fc.webUrl()),
      findings: fc.array(
        fc.record(
          {
            severity: fc.constantFrom('critical', 'major', 'minor', 'info'),
            message: text,
            file: text,
            line: fc.integer({ min: 1, max: 9_999 }),
          },
          { requiredKeys: ['severity', 'message'] },
        ),
        { maxLength: 4 },
      ),
    },
    { requiredKeys: [] },
  );

  test('whatever is taken is sent, to those it was for and to nobody else; everything else is refused with a sentence', async () => {
    let taken = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(review, async (more) => {
        number += 1;
        const own = { idempotency_key: `key-${number}`, changelist_id: `CL-${number}` };
        const answer = await submit(request({ ...own, ...more } as Partial<SubmitRequest>));
        if (answer instanceof Refusal) {
          refused += 1;
          expect(answer.message).toMatch(/\.$|see details\.$/);
          return;
        }
        taken += 1;
        const before = world.provider.ledger.length;
        await world.turn();
        const sent = world.provider.ledger.slice(before);
        const { state } = await world.reviews.get(answer.job.row.job_id);
        expect(state).toBe('succeeded');
        for (const { mail } of sent) {
          expect(mail.to).toBe(ana);
          expect(mail.subject).not.toMatch(/[\r\n]/);
          expect(mail.html).not.toContain('<script>');
          expect(Object.keys(mail.headers)).not.toContain('Bcc');
        }
      }),
      // About every fifth is taken: of so many never as few as twenty by chance.
      { numRuns: 300 },
    );
    expect([taken > 20, refused > 5]).toEqual([true, true]);
  });

  // A key that was used before is answered with its job, whatever else comes with it.
  const fresh = { idempotency_key: 'never used before' };

  test.each([
    ['nothing', undefined],
    ['a list', []],
    ['a text', 'x'],
    ['no fields', {}],
    ['a prototype', JSON.parse('{"__proto__": {"recipients": []}}')],
    ['deep nesting', request({ findings: [[[[[]]]]] as never })],
    ['recipients that are texts', request({ recipients: [ana] as never })],
    ['recipients that are many', request({ recipients: { length: 3 } as never })],
    [
      'a header in an address',
      request({ ...fresh, recipients: to('ana@example.org\r\nBcc: eve@example.org') }),
    ],
    ['two addresses in one', request({ ...fresh, recipients: to('ana@example.org, eve@example.org') })],
    ['a version that is no number', request({ review_version: Number.NaN })],
    ['a version without end', request({ review_version: Number.POSITIVE_INFINITY })],
    [
      'a finding of a megabyte',
      request({ findings: [{ severity: 'info', message: 'x'.repeat(1_000_000) }] }),
    ],
    [
      'a thousand and one findings',
      request({ findings: Array(1_001).fill({ severity: 'info', message: 'x' }) }),
    ],
  ])('%s', async (_, body) => {
    expect(await submit(body)).toBeInstanceOf(Refusal);
  });

  test('the most that is taken: 500 recipients, 1,000 long findings, the longest names', async () => {
    const answer = await submit(
      request({
        ...{ idempotency_key: 'k'.repeat(200), changelist_id: '界'.repeat(200), title: 'T'.repeat(300) },
        ...{ review_version: Number.MAX_SAFE_INTEGER, summary: 'ș'.repeat(10_000) },
        recipients: Array.from({ length: 500 }, (_, place) => ({
          email: `r${place}@${'d'.repeat(60)}.example.org`,
        })),
        findings: Array.from({ length: 1_000 }, (_, place) => ({
          ...{ severity: 'minor', message: `${place} ${'m'.repeat(1_990)}`, file: 'f'.repeat(500) },
        })),
      }),
    );
    if (answer instanceof Refusal) throw answer;
    expect(answer.job.recipients).toHaveLength(500);
    const state = () => world.state(answer.job.row.job_id);
    for (let turn = 0; turn < 200 && (await state()) !== 'succeeded'; turn++) await world.turn();
    expect(await state()).toBe('succeeded');
  });
});
