import { expect, test } from 'vitest';
import { type ExplainedDelivery, explain } from './explain.ts';
import type { Circumstances } from './hindrances.ts';
import type { Status } from './status.ts';

const now = Date.UTC(2026, 6, 1, 12);

const calm: Circumstances = {
  ...{ now, suppression: null, unsubscribedAt: null, pauses: [], account: 'resend:1', pace: null },
};

const ended = (status: Status): ExplainedDelivery => ({
  ...{ seq: 12, id: 'an-id', source: 'plain', lane: 'normal', createdAt: now - 60_000, expiresAt: null },
  words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
  hasMail: false,
  state: {
    ...{ status, evidence: 0, round: 1, attempts: 0, lapses: 0, lease: 1, dueAt: null, lockedBy: null },
    ...{ lockedAt: null, account: 'resend:1', firstPossibleAcceptAt: null, resubmitUntil: null },
    ...{ lastAttemptAt: null, sentAt: null, deliveredAt: null, providerMessageId: null, lastError: null },
  },
});

test('what takes somebody off a list names them', () => {
  const commands = (status: Status, circumstances: Circumstances, more: Partial<ExplainedDelivery> = {}) =>
    explain({ ...ended(status), ...more }, [], circumstances).remedies.map(({ command }) => command);
  const suppression = {
    ...{ scope: '*', by: 'webhook', note: null, at: now, deliverySeq: null },
    reason: 'bounced_for_good',
  } as const;
  expect(commands('skipped_unsubscribed', { ...calm, unsubscribedAt: now })[0]).toBe(
    'npx tidings suppressions remove ana@example.org --unsubscribed-from plain --because "…"',
  );
  expect(commands('suppressed', { ...calm, suppression })).toEqual([
    'npx tidings suppressions remove Ana@example.org --because "…"',
  ]);
  const ofOne = { ...suppression, scope: 'plain' };
  expect(commands('suppressed', { ...calm, suppression: ofOne })).toEqual([
    'npx tidings suppressions remove Ana@example.org --scope plain --because "…"',
  ]);
  const theirOwn = { ...suppression, reason: 'unsubscribed' } as const;
  expect(commands('skipped_unsubscribed', { ...calm, suppression: theirOwn })).toEqual([
    'npx tidings suppressions remove Ana@example.org --their-own --because "…"',
    'npx tidings deliveries requeue 12 --reason "…"',
  ]);
  const forgotten = { words: { recipient: 'ana@example.org', address: null } };
  expect(commands('suppressed', { ...calm, suppression }, forgotten)).toEqual([
    'npx tidings suppressions remove <address> --because "…"',
  ]);
});
