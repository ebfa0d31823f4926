import { describe, expect, test } from 'vitest';
import { explain } from './explain.ts';
import type { Status } from './status.ts';

const now = Date.UTC(2026, 6, 1, 12);

/** What is said of a delivery whose rounds ended so. */
function verdict(status: Status, dueAt: number | null, ends: readonly string[]): string {
  const delivery = {
    ...{ seq: 12, id: 'an-id', source: 'plain', lane: 'normal', createdAt: now - 60_000, expiresAt: null },
    words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
    hasMail: false,
    state: {
      ...{ status, evidence: 6, round: ends.length, attempts: 1, lapses: 0, lease: 1, dueAt },
      ...{ lockedBy: null, lockedAt: null, account: 'resend:1', firstPossibleAcceptAt: null },
      ...{ resubmitUntil: null, lastAttemptAt: null, sentAt: null, deliveredAt: null },
      ...{ providerMessageId: null, lastError: null },
    },
  };
  const story = ends.map((event, index) => ({
    ...{ at: now - 30_000, event, status, round: index + 1, actor: 'webhook', detail: '{}' },
  }));
  const circumstances = {
    suppression: null,
    unsubscribedAt: null,
    pauses: [],
    account: 'resend:1',
    pace: null,
  };
  return explain(delivery, story, { now, ...circumstances }).sentence;
}

describe('a full quota', () => {
  test('is told while its end is waited for', () => {
    expect(verdict('failed_transient', now + 12 * 3_600_000, ['over_quota'])).toBe(
      'Not yet: the quota of the day was full at resend; a new mail leaves in 12 h.',
    );
  });

  test('is told where it was the end', () => {
    expect(verdict('failed_permanent', null, ['bounced_for_now', 'over_quota'])).toBe(
      'No, and it will not come: the quota of the day was full at resend again and again.',
    );
  });

  test('is not counted among the mails that bounced', () => {
    const ends = ['over_quota', 'bounced_for_now', 'over_quota', 'bounced_for_now'];
    expect(verdict('failed_permanent', null, ends)).toBe(
      'No, and it will not come: resend accepted it twice, and it bounced each time.',
    );
  });
});
