import { expect, test } from 'vitest';
import type { Circumstances } from './hindrances.ts';
import type { Moment } from './sentences.ts';
import type { Status } from './status.ts';
import type { DeliveryState } from './transition.ts';
import { verdictOf } from './verdict.ts';

const now = Date.UTC(2026, 0, 1, 12);
const hourMs = 3_600_000;

const moment = (event: string, status: Status, detail: Moment['detail']): Moment => ({
  ...{ at: now - hourMs, event, status, round: 1, actor: 'somebody', detail },
});

function sentenceOf(state: Partial<DeliveryState> & { status: Status }, moments: Moment[]): string {
  const circumstances: Circumstances = {
    now,
    pauses: [],
    pace: null,
    suppression: null,
    account: 'resend:1',
    unsubscribedAt: null,
  };
  const known: DeliveryState = {
    ...{
      evidence: 0,
      round: 1,
      attempts: 1,
      lapses: 0,
      lease: 1,
      dueAt: null,
      lockedBy: null,
      lockedAt: null,
    },
    ...{ account: 'resend:1', firstPossibleAcceptAt: null, resubmitUntil: null, lastAttemptAt: null },
    ...{ sentAt: null, deliveredAt: null, providerMessageId: null, lastError: null },
    ...state,
  };
  const one = { source: 'plain', expiresAt: null, state: known, moments, hindrances: [], circumstances };
  return verdictOf(one).sentence;
}

test('when it arrived is not known better than when the provider was asked', () => {
  const arrived = { status: 'delivered', sentAt: now - 7 * hourMs, deliveredAt: now - hourMs } as const;
  const asked = moment('confirmed', 'delivered', { evidence: 'look-up' });
  expect(sentenceOf(arrived, [asked])).toBe(
    "Yes: resend accepted it 7 h ago, and the recipient's mail server took it 6 h later at the latest.",
  );
  const told = moment('confirmed', 'delivered', {});
  expect(sentenceOf(arrived, [asked, told])).toMatch(/took it 6 h later\.$/);
});

test('a reconciler that dies is not why a delivery is in doubt', () => {
  const story = [
    moment('outcome_unknown', 'reconciling', { from: 'sending', error: { code: 'timeout' } }),
    moment('lease_expired', 'reconciling', { from: 'reconciling' }),
  ];
  expect(sentenceOf({ status: 'needs_review' }, story)).toContain('no clear answer came (timeout)');
  const died = moment('lease_expired', 'reconciling', { from: 'sending' });
  expect(sentenceOf({ status: 'needs_review' }, [died])).toContain('never came back');
});
