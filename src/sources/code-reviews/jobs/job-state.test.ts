import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusNames } from '../../../domain/status.ts';
import { jobState, jobStates, type RecipientState } from './job-state.ts';

const one = (more: Partial<RecipientState> = {}): RecipientState => ({
  ...{ isRequired: true, status: 'pending', sentAt: null, claims: 0 },
  ...more,
});
const told = one({ status: 'sent', sentAt: 1, claims: 1 });
const lost = one({ status: 'failed_permanent', claims: 1 });

describe('the state of a job', () => {
  test.each([
    ['queued before the first claim', [one(), one()], 'queued'],
    ['in progress from the first claim on', [one({ status: 'claimed', claims: 1 }), one()], 'in_progress'],
    ['in progress when one of two is told', [told, one()], 'in_progress'],
    [
      'in progress while it is not known whether a mail exists',
      [told, one({ status: 'reconciling', claims: 1 })],
      'in_progress',
    ],
    ['to be tried again', [told, one({ status: 'failed_transient', claims: 1 })], 'retryable_failed'],
    ['a person must decide', [told, one({ status: 'needs_review', claims: 1 })], 'retryable_failed'],
    ['all are told', [told, told], 'succeeded'],
    ['one is lost', [told, lost, one()], 'failed'],
    [
      'what is lost weighs more than what is tried again',
      [lost, one({ status: 'failed_transient' })],
      'failed',
    ],
    ['an optional one that is lost', [told, { ...lost, isRequired: false }], 'succeeded'],
    ['an optional one that waits', [told, one({ isRequired: false })], 'succeeded'],
    ['only an optional one is told', [one(), { ...told, isRequired: false }], 'in_progress'],
    [
      'a bounce that is tried again does not take back that they were told',
      [one({ status: 'failed_transient', sentAt: 1, claims: 1 })],
      'succeeded',
    ],
    ['nor does a complaint', [one({ status: 'suppressed', sentAt: 1, claims: 1 })], 'succeeded'],
    ['nobody', [], 'queued'],
  ] as const)('%s', (_, recipients, state) => {
    expect(jobState(recipients)).toBe(state);
  });

  const anyone = fc.record({
    isRequired: fc.boolean(),
    status: fc.constantFrom(...statusNames),
    sentAt: fc.option(fc.nat(), { nil: null }),
    claims: fc.nat({ max: 2 }),
  });
  const job = fc.array(anyone, { maxLength: 6 });

  test('is what somebody would say who goes through the list by hand', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(job, (recipients) => {
        const state = jobState(recipients);
        seen.add(state);
        expect(state).toBe(byHand(recipients));
      }),
      { numRuns: 5_000 },
    );
    expect([...seen].sort()).toEqual([...jobStates].sort());
  });

  test('does not depend on the order, nor on what becomes of optional recipients once one is claimed', () => {
    fc.assert(
      fc.property(job, anyone, (recipients, extra) => {
        const state = jobState(recipients);
        expect(jobState([...recipients].reverse())).toBe(state);
        const more = jobState([...recipients, { ...extra, isRequired: false }]);
        expect(more === state || (state === 'queued' && more === 'in_progress')).toBe(true);
      }),
    );
  });
});

const ended = [
  ...['failed_permanent', 'suppressed', 'expired'],
  ...['skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible', 'sent', 'delivered'],
];

/** Spec 003-6.5 and the two states that were added to it, one recipient after the other. */
function byHand(recipients: readonly RecipientState[]): string {
  let waiting = 0;
  let required = 0;
  let isLost = false;
  let isToBeTriedAgain = false;
  let isTouched = false;
  for (const { isRequired, status, sentAt, claims } of recipients) {
    if (claims > 0 || sentAt !== null) isTouched = true;
    if (!isRequired) continue;
    required += 1;
    if (sentAt !== null) continue;
    waiting += 1;
    if (ended.includes(status)) isLost = true;
    if (['failed_transient', 'needs_review'].includes(status)) isToBeTriedAgain = true;
  }
  if (required > 0 && waiting === 0) return 'succeeded';
  if (isLost) return 'failed';
  if (isToBeTriedAgain) return 'retryable_failed';
  return isTouched ? 'in_progress' : 'queued';
}
