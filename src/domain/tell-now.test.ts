import { describe, expect, test } from 'vitest';
import { type Status, statusNames } from './status.ts';
import { tellNow } from './tell-now.ts';
import type { DeliveryState } from './transition.ts';

const now = Date.UTC(2026, 6, 1, 12, 3, 10);

function state(status: Status, more: Partial<DeliveryState> = {}): DeliveryState {
  return {
    status,
    evidence: 0,
    round: 1,
    attempts: 0,
    lapses: 0,
    lease: 1,
    dueAt: null,
    lockedBy: null,
    lockedAt: null,
    account: 'capture',
    firstPossibleAcceptAt: null,
    resubmitUntil: null,
    lastAttemptAt: null,
    sentAt: null,
    deliveredAt: null,
    providerMessageId: null,
    lastError: null,
    ...more,
  };
}

const sentence = (status: Status, more: Partial<DeliveryState> = {}) =>
  tellNow(state(status, more), now).sentence;

describe('tellNow', () => {
  test('what is under way is told from the row: since when, who, to whom, which attempt', () => {
    const held = { lockedBy: 'host:7', lockedAt: now - 4_000, dueAt: now + 100_000, attempts: 1 };
    expect(sentence('sending', held)).toBe(
      'Since 12:03:06Z worker host:7 has been handing it to capture (attempt 2). If it does not come back, the sweep takes over in 2 min.',
    );
    expect(sentence('claimed', held)).toBe(
      'Since 12:03:06Z worker host:7 has had it in hand; nothing has left yet. If it does not come back, the sweep takes over in 2 min.',
    );
  });

  test('what counts as sent by an operator’s word is not put into the provider’s mouth', () => {
    expect(sentence('sent', { sentAt: now, providerMessageId: null })).not.toContain('accepted');
    expect(sentence('sent', { sentAt: now, providerMessageId: 'm' })).toContain('accepted');
  });

  test('a worker whose time is up is said to be probably gone', () => {
    const lost = { lockedBy: 'host:7', lockedAt: now - 200_000, dueAt: now - 80_000 };
    expect(sentence('sending', lost)).toContain('Its time was up 80 s ago: the worker is probably gone');
  });

  test('what waits says for when', () => {
    expect(sentence('pending', { dueAt: now - 3_000 })).toBe('It waits to be sent, due for 3 s.');
    expect(sentence('failed_transient', { dueAt: now + 5_000 })).toContain('due in 5 s');
  });

  test('a mail that may exist is doubt, also after an operator closed it', () => {
    expect(tellNow(state('needs_review', { firstPossibleAcceptAt: now }), now).isDoubt).toBe(true);
    const closed = tellNow(state('failed_permanent', { firstPossibleAcceptAt: now }), now);
    expect(closed).toMatchObject({ isDoubt: true, sentence: 'Given up in doubt: it may have been sent.' });
  });

  test('given up tells apart what was never accepted and what was accepted and bounced', () => {
    const lastError = { code: 'unknown_user', message: 'No such mailbox.' };
    expect(sentence('failed_permanent', { lastError })).toBe('Given up: No such mailbox. It was not sent.');
    expect(sentence('failed_permanent', { lastError, sentAt: now, evidence: 6 })).toContain(
      'It had been accepted, and did not arrive.',
    );
    // Put back after a complaint, and refused then: the first mail did arrive.
    expect(sentence('failed_permanent', { lastError, sentAt: now, evidence: 8, round: 2 })).toContain(
      'It had been accepted before.',
    );
    expect(sentence('suppressed')).toContain('Not sent');
    expect(sentence('suppressed', { sentAt: now })).toContain('It was accepted');
  });

  test.each(['skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible', 'expired'] as const)(
    '%s tells apart what never left and what an earlier round had sent',
    (status) => {
      expect(sentence(status)).toMatch(/^Not sent: /);
      expect(sentence(status, { sentAt: now, round: 1 })).toMatch(
        /^An earlier mail was accepted; it was not sent again: /,
      );
      expect(sentence(status, { sentAt: now, deliveredAt: now, round: 1 })).toMatch(
        /^An earlier mail was accepted and arrived; it was not sent again: /,
      );
    },
  );

  test('every status has a sentence, with nothing undefined in it', () => {
    for (const status of statusNames) {
      for (const more of [{}, { account: null }, { dueAt: now, lockedBy: 'host:7' }]) {
        expect(sentence(status, more), status).toMatch(/^[A-Z].*\.$/);
        expect(sentence(status, more), status).not.toMatch(/undefined|null|NaN/);
      }
    }
  });
});
