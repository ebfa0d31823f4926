import { expect, test } from 'vitest';
import { type ExplainedDelivery, explain, tellNext } from './explain.ts';
import type { Circumstances } from './hindrances.ts';
import type { StoryRow } from './sentences.ts';
import { recipientActor, undoWithinMs } from './suppression.ts';

const now = Date.UTC(2026, 10, 17, 21, 23, 7);
const hourMs = 3_600_000;

const skipped: ExplainedDelivery = {
  ...{ seq: 12, id: 'an-id', source: 'plain', lane: 'normal', createdAt: now - hourMs, expiresAt: null },
  words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
  hasMail: false,
  state: {
    ...{ status: 'skipped_unsubscribed', evidence: 0, round: 0, attempts: 0, lapses: 0, lease: 1 },
    ...{ dueAt: null, lockedBy: null, lockedAt: null, account: null, firstPossibleAcceptAt: null },
    ...{ resubmitUntil: null, lastAttemptAt: null, sentAt: null, deliveredAt: null },
    ...{ providerMessageId: null, lastError: null },
  },
};
const stopped: StoryRow = {
  ...{ at: now, event: 'unsubscribed', status: 'skipped_unsubscribed', round: 0 },
  ...{ actor: 'the recipient', detail: JSON.stringify({ via: 'page' }) },
};
const everythingStopped = {
  ...{ scope: '*', by: recipientActor, note: null, at: now, deliverySeq: null },
  reason: 'unsubscribed',
} as const;

function told(
  around: Partial<Circumstances>,
  more: Partial<ExplainedDelivery> = {},
  story: readonly StoryRow[] = [stopped],
) {
  const calm = { suppression: null, unsubscribedAt: now, pauses: [], account: 'resend:1', pace: null };
  const { sentence, next } = explain({ ...skipped, ...more }, story, { now, ...calm, ...around });
  return [sentence, next];
}

const notAtAll = [
  expect.stringMatching(/^No, and it will not come: /),
  'Nothing, unless an operator puts it back.',
];

test('what its recipient can still take back is said to go out if they do, and until when', () => {
  expect(told({ now: now + 5_000 })).toEqual([
    'No, as it stands: the recipient had unsubscribed before it was to leave, 5 s ago, and can still take that back.',
    'It goes out if the recipient takes back the unsubscribe, until 18 November 2026, 21:23 UTC, or when an operator puts it back.',
  ]);
  expect(told({ now: now + undoWithinMs })[0]).toMatch(/^No, as it stands: /);
  expect(told({ now: now + undoWithinMs + 1 })).toEqual(notAtAll);
});

test('whoever stopped everything as well must be in time for both', () => {
  const later = now + 20 * hourMs;
  const both = { suppression: { ...everythingStopped, at: later } };
  expect(told({ ...both, now: later })[1]).toContain('until 18 November 2026, 21:23 UTC');
  expect(told({ ...both, now: now + undoWithinMs + 1 })).toEqual(notAtAll);
  // Of another source than that whose link it was.
  const [sentence, next] = told({ unsubscribedAt: null, suppression: everythingStopped });
  expect(sentence).toMatch(/before it was to leave and can still take that back\.$/);
  expect(next).toContain('until 18 November 2026, 21:23 UTC');
});

test('what would not go out although they took it back is not said to', () => {
  const noSuchMailbox = { ...everythingStopped, reason: 'bounced_for_good' } as const;
  expect(told({ suppression: noSuchMailbox })).toEqual(notAtAll);
  expect(told({ unsubscribedAt: null })).toEqual(notAtAll);
  const byOperator = { ...everythingStopped, by: 'operator ana' };
  expect(told({ unsubscribedAt: null, suppression: byOperator })).toEqual(notAtAll);
  expect(told({}, { expiresAt: now - 1 })).toEqual(notAtAll);
  expect(told({}, { expiresAt: now + hourMs })[1]).toContain('until 17 November 2026, 22:23 UTC');
  expect(told({}, {}, [{ ...stopped, at: now - 1 }])).toEqual(notAtAll);
  expect(told({}, {}, [{ ...stopped, actor: 'import' }])).toEqual(notAtAll);
  const forgotten = { ...stopped, event: 'forgotten', actor: 'sweep' };
  expect(told({}, {}, [stopped, forgotten])).toEqual([notAtAll[0], 'Nothing.']);
});

test('where nobody has asked when they left, the day is told without its end', () => {
  expect(tellNext(skipped, now)).toBe(
    'Nothing, unless the recipient takes back the unsubscribe within a day of it, or an operator puts it back.',
  );
});

test('what an operator stopped is nothing that its recipient takes back', () => {
  expect(told({}, {}, [{ ...stopped, actor: 'operator ana' }])[1]).toBe(notAtAll[1]);
});
