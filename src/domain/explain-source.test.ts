import { expect, test } from 'vitest';
import { heldAt } from './delivery.ts';
import { explain } from './explain.ts';
import type { StoryRow } from './sentences.ts';
import type { Status } from './status.ts';

const now = Date.UTC(2026, 6, 1, 12);
const minuteMs = 60_000;

/** A seat mail with one event, and what its source says of its recipient now. */
function told(
  status: Status,
  event: Partial<StoryRow> | null,
  detail: object = {},
  more: { sourceSays?: string; expiresAt?: number; dueAt?: number } = {},
) {
  const { sourceSays, expiresAt = null, dueAt = now + 63 * minuteMs } = more;
  const row = { at: now - 1_000, event: '', status, round: 0, actor: 'worker-1', ...event };
  return explain(
    {
      ...{
        seq: 27,
        id: 'an-id',
        source: 'course-seats',
        lane: 'urgent',
        createdAt: now - minuteMs,
        expiresAt,
      },
      words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
      hasMail: false,
      state: {
        ...{ status, evidence: 0, round: 0, attempts: 0, lapses: 0, lease: 1, dueAt },
        ...{ lockedBy: null, lockedAt: null, account: null, firstPossibleAcceptAt: null },
        ...{ resubmitUntil: null, lastAttemptAt: null, sentAt: null, deliveredAt: null },
        ...{ providerMessageId: null, lastError: null },
      },
    },
    event ? [{ ...row, detail: JSON.stringify(detail) }] : [],
    {
      ...{ now, suppression: null, unsubscribedAt: null, pauses: [], account: 'resend:1', pace: null },
      ...(sourceSays !== undefined && { sourceSays }),
    },
  );
}

const quiet = { error: { code: 'quiet_hours', message: 'Mail is not welcome at this hour.' } };

test('what the last look put off says why', () => {
  expect(told('pending', { event: 'deferred' }, { from: 'claimed', ...quiet }).sentence).toBe(
    'Not yet: it waits to be sent: mail is not welcome at this hour; it is due in 63 min.',
  );
});

test('what was made for later says what its source says now, and nothing more once it is due', () => {
  const sourceSays = 'They asked for silence until then.';
  expect(told('pending', null, {}, { sourceSays }).sentence).toBe(
    'Not yet: it waits to be sent: they asked for silence until then; it is due in 63 min.',
  );
  expect(told('pending', null).sentence).toBe('Not yet: it waits to be sent; it is due in 63 min.');
  expect(told('pending', null, {}, { sourceSays, dueAt: now }).sentence).toBe(
    'Not yet: it waits to be sent; it is due now.',
  );
});

test('what the source saw no use in any more says why; what came to its own end says when that was', () => {
  const closed = { error: { code: 'seat_closed', message: 'The section has closed again.' } };
  const late = 'No, and it will not come: it had become too late for it to be of use';
  expect(told('expired', { event: 'expired' }, closed).sentence).toBe(
    `${late}: the section has closed again.`,
  );
  const over = { error: { code: 'expired', message: 'Its last moment has passed.' } };
  expect(told('expired', { event: 'expired' }, over, { expiresAt: now - minuteMs }).sentence).toBe(
    `${late}. It had to leave before 1 July 2026, 11:59 UTC.`,
  );
});

test('what an operator ended for somebody is not said to be their own doing', () => {
  const { sentence, why } = told(
    'skipped_unsubscribed',
    { event: 'unsubscribed', actor: 'operator eve' },
    { via: 'operator', reason: 'she asked on the phone' },
  );
  expect(sentence).toBe(
    'No, and it will not come: operator eve stopped it for them: she asked on the phone.',
  );
  expect(why.at(-1)?.sentence).toBe(
    'Stopped while it waited: operator eve ended it for them: she asked on the phone.',
  );
});

test('what its source holds back is due when that lets it go, and not in thousands of years', () => {
  const held = told('pending', null, {}, { sourceSays: 'Its run is paused: wrong figures.', dueAt: heldAt });
  expect(held.sentence).toBe(
    'Not yet: it waits to be sent: its run is paused: wrong figures; it is due when its source lets it go.',
  );
  expect(held.next).toBe('A worker takes it when its source lets it go.');
});
