import { describe, expect, it, test } from 'vitest';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { type Status, statusNames } from '../../../domain/status.ts';
import { type Circumstances, judge, type Sibling } from './verdict.ts';

const now = Date.UTC(2026, 0, 15, 15);
const minute = 60_000;

const watch = {
  ...{ status: 'active', notify_on: '["open"]', max_notifications: null, notifications_sent: 0 },
  ...{ window_start_minutes: null, window_end_minutes: null, snooze_until: null },
} as SubscriptionRow;

const event: NonNullable<Circumstances['event']> = {
  ...{ openEventId: 10, termId: '12026', eventAt: now - minute },
  ...{ closedBefore: null, closedAfter: null, openedAfter: null, isFanningOut: false, listClosedAt: null },
  ...{ isBooked: false, isPausedByCount: false },
};

function verdictOf(
  change: {
    watch?: Partial<SubscriptionRow>;
    event?: Partial<typeof event>;
    siblings?: readonly Sibling[];
    now?: number;
    verifiesAddresses?: boolean;
  } = {},
) {
  const verdict = judge({
    ...{ now: change.now ?? now, timeZone: 'America/New_York' },
    verifiesAddresses: change.verifiesAddresses ?? true,
    watch: { ...watch, ...change.watch },
    event: { ...event, ...change.event },
    siblings: change.siblings ?? [],
  });
  return verdict && [verdict.event, verdict.error?.code, verdict.dueAt].filter((part) => part !== undefined);
}

const sibling = (openEventId: number, status: Status = 'sent'): Sibling => ({
  ...{ openEventId, status, wasAccepted: status === 'sent' || status === 'delivered' },
});

it('lets pass what nothing speaks against', () => {
  expect(verdictOf()).toBeUndefined();
});

describe('the watch', () => {
  test.each([
    [{ status: 'unsubscribed' }, ['unsubscribed', 'unsubscribed']],
    [{ status: 'suppressed', verified_at: null }, ['ineligible', 'unverified']],
    [{ status: 'paused' }, ['ineligible', 'paused']],
    [{ status: 'pending' }, ['ineligible', 'unverified']],
    [{ notify_on: '[]' }, ['ineligible', 'not_wanted']],
    [{ notify_on: '["closed"]' }, ['ineligible', 'not_wanted']],
  ] as const)('004-52 %j is %j', (change, verdict) => {
    expect(verdictOf({ watch: change })).toEqual(verdict);
  });

  it('lets a later round of what is counted already pass a pause by that count, and no other', () => {
    const paused = { status: 'paused', max_notifications: 1, notifications_sent: 1 } as const;
    const later = { isBooked: true, isPausedByCount: true };
    expect(verdictOf({ watch: paused, event: later })).toBeUndefined();
    expect(verdictOf({ watch: { ...paused, status: 'active' }, event: later })).toBeUndefined();
    const no = ['ineligible', 'paused'];
    expect(verdictOf({ watch: paused, event: { ...later, isPausedByCount: false } })).toEqual(no);
    expect(verdictOf({ watch: paused, event: { ...later, isBooked: false } })).toEqual(no);
  });

  it('leaves it to consent whether a suppressed address may be mailed again', () => {
    expect(verdictOf({ watch: { status: 'suppressed', verified_at: 1 } })).toBeUndefined();
    expect(
      verdictOf({ watch: { status: 'suppressed', verified_at: null }, verifiesAddresses: false }),
    ).toBeUndefined();
  });

  it('8.5 lets pass who has not confirmed, where nobody is asked to', () => {
    expect(verdictOf({ watch: { status: 'pending' }, verifiesAddresses: false })).toBeUndefined();
  });

  it('is asked before the seat: who has left is told so, whatever became of it', () => {
    expect(verdictOf({ watch: { status: 'unsubscribed' }, event: { closedAfter: 11 } })).toEqual([
      'unsubscribed',
      'unsubscribed',
    ]);
  });
});

describe('the seat', () => {
  const closed = ['expired', 'seat_closed'];

  it('8.7 has closed since', () => {
    expect(verdictOf({ event: { closedAfter: 11 } })).toEqual(closed);
    expect(verdictOf({ event: { closedAfter: 12, openedAfter: 11 } })).toEqual(closed);
    expect(verdictOf({ event: { listClosedAt: now } })).toEqual(closed);
  });

  it('was not in the list before: an operator, or the catalog, knew of it all the same', () => {
    expect(verdictOf({ event: { listClosedAt: event.eventAt - minute } })).toBeUndefined();
  });

  it('is no longer to be had when the term is over', () => {
    expect(verdictOf({ now: Date.UTC(2026, 5, 1) })).toEqual(['expired', 'term_over']);
    expect(verdictOf({ now: Date.UTC(2026, 5, 1) - 1 })).toBeUndefined();
  });

  test.each(statusNames)('8.13 is told by a later mail that is %s, or not', (status) => {
    const isOut =
      ['failed_permanent', 'suppressed', 'expired'].includes(status) || status.startsWith('skipped');
    expect(verdictOf({ event: { openedAfter: 11 }, siblings: [sibling(11, status)] })).toEqual(
      isOut ? undefined : ['expired', 'superseded'],
    );
  });

  it('waits a moment while a later opening is just being told, and then goes by what came of that', () => {
    const openedAfter = { closedAfter: 11, openedAfter: 12 };
    expect(verdictOf({ event: { ...openedAfter, isFanningOut: true } })).toEqual([
      'deferred',
      'newer_opening',
      now + 2_000,
    ]);
    expect(verdictOf({ event: openedAfter })).toBeUndefined();
  });

  it('004-39 They were told of this opening: not again', () => {
    expect(verdictOf({ siblings: [sibling(9)] })).toEqual(['ineligible', 'already_told']);
    expect(verdictOf({ event: { closedBefore: 8 }, siblings: [sibling(9)] })).toEqual([
      'ineligible',
      'already_told',
    ]);
  });

  it('004-56 A reopening after a recorded closing is another, whoever was told of the one before', () => {
    expect(verdictOf({ event: { closedBefore: 9 }, siblings: [sibling(8), sibling(3)] })).toBeUndefined();
  });

  it('an earlier mail that never left told nobody anything', () => {
    for (const status of ['failed_permanent', 'expired', 'skipped_ineligible', 'needs_review'] as const)
      expect(verdictOf({ siblings: [sibling(9, status)] })).toBeUndefined();
  });

  it('waits until an earlier mail about the same opening is settled, and not for one about another', () => {
    for (const status of ['sending', 'reconciling'] as const) {
      expect(verdictOf({ siblings: [sibling(9, status)] })).toEqual([
        ...['deferred', 'told_in_doubt', now + 30_000],
      ]);
      expect(verdictOf({ event: { closedBefore: 9 }, siblings: [sibling(8, status)] })).toBeUndefined();
    }
  });
});

describe('the count', () => {
  it('004-43 As many mails as they want', () => {
    expect(verdictOf({ watch: { max_notifications: 2, notifications_sent: 2 } })).toEqual([
      'ineligible',
      'max_notifications',
    ]);
    expect(verdictOf({ watch: { max_notifications: 2, notifications_sent: 1 } })).toBeUndefined();
  });

  it('waits for a mail of which nobody knows yet whether it was the last', () => {
    const last = { max_notifications: 1 };
    const before = { closedBefore: 9 };
    expect(verdictOf({ watch: last, event: before, siblings: [sibling(8, 'reconciling')] })).toEqual([
      'deferred',
      'count_in_doubt',
      now + 30_000,
    ]);
    expect(verdictOf({ watch: last, event: before, siblings: [sibling(8, 'needs_review')] })).toBeUndefined();
  });
});

describe('the hour', () => {
  // 15:00 UTC is 10:00 at the campus.
  const from = (start: number, end: number) => ({
    window_start_minutes: start * 60,
    window_end_minutes: end * 60,
  });

  it('004-42 Outside the window it waits for its beginning', () => {
    expect(verdictOf({ watch: from(12, 20) })).toEqual(['deferred', 'quiet_hours', now + 120 * minute]);
    expect(verdictOf({ watch: from(20, 9) })).toEqual(['deferred', 'quiet_hours', now + 600 * minute]);
    expect(verdictOf({ watch: from(9, 20) })).toBeUndefined();
    expect(verdictOf({ watch: from(20, 11) })).toBeUndefined();
  });

  it('004-44 Snoozed, it waits until then, and then for the window', () => {
    const until = now + 30 * minute;
    expect(verdictOf({ watch: { snooze_until: until } })).toEqual(['deferred', 'snoozed', until]);
    expect(verdictOf({ watch: { snooze_until: now } })).toBeUndefined();
    expect(verdictOf({ watch: { snooze_until: until, ...from(12, 20) } })).toEqual([
      'deferred',
      'snoozed',
      now + 120 * minute,
    ]);
  });

  it('is asked last: what is of no use any more does not wait for the morning', () => {
    expect(verdictOf({ watch: from(12, 20), event: { closedAfter: 11 } })).toEqual([
      'expired',
      'seat_closed',
    ]);
  });
});
