import { describe, expect, test } from 'vitest';
import { type ExplainedDelivery, explain } from './explain.ts';
import type { Circumstances } from './hindrances.ts';

const now = Date.UTC(2026, 6, 1, 12);
const calm: Circumstances = {
  ...{ now, suppression: null, unsubscribedAt: null, pauses: [], account: 'resend:1', pace: null },
};

/** Accepted, and the provider is to be asked about it at that moment. */
const sent = (dueAt: number | null): ExplainedDelivery => ({
  ...{ seq: 12, id: 'an-id', source: 'plain', lane: 'normal', createdAt: now - 60_000, expiresAt: null },
  words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
  hasMail: false,
  state: {
    ...{ status: 'sent', evidence: 5, round: 1, attempts: 1, lapses: 0, lease: 1, dueAt, lockedBy: null },
    ...{ lockedAt: null, account: 'resend:1', firstPossibleAcceptAt: null, resubmitUntil: null },
    ...{ lastAttemptAt: now - 5_000, sentAt: now - 4_000, deliveredAt: null, providerMessageId: 'm' },
    lastError: null,
  },
});

describe('what was accepted waits for nobody', () => {
  test('when the provider will be asked about it is said, and nothing holds it up', () => {
    const { next, hindrances, sentence } = explain(sent(now + 3 * 3_600_000), [], {
      ...calm,
      pauses: [{ scope: '*', reason: 'x', by: 'ana', at: now }],
    });
    expect(next).toBe(
      'Nothing more is sent. Word may still come that it arrived, or bounced; if none has, resend is asked in 3 h.',
    );
    expect(hindrances).toEqual([]);
    expect(sentence).toMatch(/^Yes: /);
  });

  test('it is never late: an hour past that moment nothing is missing', () => {
    const { next, hindrances } = explain(sent(now - 3_600_000), [], calm);
    expect(next).toBe('Nothing more is sent. Word may still come that it arrived, or bounced.');
    expect(hindrances).toEqual([]);
  });
});
