import { describe, expect, test } from 'vitest';
import { heldAt } from './delivery.ts';
import { evidenceEventNames } from './evidence.ts';
import { workEvents } from './lifecycle.ts';
import { type StoryRow, tellStory } from './sentences.ts';
import { type Status, statuses } from './status.ts';

const startAt = Date.UTC(2026, 6, 1, 12, 3, 10);
const delivery = { source: 'plain', lane: 'normal', createdAt: startAt };

function row(event: string, status: Status, more: Partial<StoryRow> & { facts?: object } = {}): StoryRow {
  const { facts = {}, ...rest } = more;
  return { at: startAt, event, status, round: 1, actor: 'host:7', detail: JSON.stringify(facts), ...rest };
}

const sentences = (...rows: StoryRow[]) => tellStory(delivery, rows).map(({ sentence }) => sentence);
const attempt = { from: 'sending', worker: 'host:7', beganAt: startAt - 12, account: 'capture', attempts: 1 };

describe('tellStory', () => {
  test('begins with who asked for it', () => {
    expect(sentences()).toEqual(['The source plain asked for it, in the normal lane.']);
  });

  test('an accepted attempt names worker, time taken, number and message id', () => {
    const accepted = row('accepted', 'sent', { facts: { ...attempt, messageId: 'm-1' } });
    expect(sentences(accepted)[1]).toBe(
      'Capture accepted it as m-1 (attempt 1, by worker host:7, after 12 ms).',
    );
  });

  test('what its source holds back, and lets go, is told as that', () => {
    const put = (facts: object) =>
      sentences(row('deferred', 'pending', { facts: { from: 'pending', ...facts } }))[1];
    expect(put({ dueAt: heldAt, reason: 'its run was paused' })).toBe(
      'Put off: its run was paused; it is held back.',
    );
    expect(put({ dueAt: startAt, reason: 'composed' })).toBe('Its words are written; it may leave.');
    expect(put({ dueAt: startAt, reason: 'its run goes on' })).toBe('It may leave: its run goes on.');
    expect(put({ dueAt: startAt + 5_000, reason: 'quiet hours' })).toBe('Put off: quiet hours; next in 5 s.');
  });

  test('a refusal says why and when it is tried again', () => {
    const error = { code: 'mailbox_full', message: 'The mailbox is full.' };
    const refused = row('refused_for_now', 'failed_transient', {
      facts: { ...attempt, error, dueAt: startAt + 5_000 },
    });
    expect(sentences(refused)[1]).toBe(
      'Capture refused it for now (attempt 1, by worker host:7, after 12 ms): The mailbox is full (mailbox_full); next in 5 s.',
    );
  });

  test('the time between two sentences is told', () => {
    const rows = [
      row('lapsed', 'pending', { at: startAt + 7_000 }),
      row('lapsed', 'pending', { at: startAt + 7_500 }),
    ];
    expect(tellStory(delivery, rows).map(({ waitedMs }) => waitedMs)).toEqual([0, 7_000, 500]);
  });

  test('doubt is told as doubt, and only doubt', () => {
    const facts = { ...attempt, error: { code: 'timeout', message: 'no answer in 10 s' } };
    const [, unknown, found] = tellStory(delivery, [
      row('outcome_unknown', 'reconciling', { facts }),
      row('accepted', 'sent', { facts: { from: 'reconciling', evidence: 'look-up', messageId: 'm-1' } }),
    ]);
    expect(unknown).toMatchObject({ isDoubt: true, meaning: 'in hand' });
    expect(unknown?.sentence).toContain("We don't know yet whether it was accepted.");
    expect(found).toMatchObject({ isDoubt: false, meaning: 'good' });
    expect(found?.sentence).toBe('The provider was asked and has it as m-1: it was accepted after all.');
  });

  test('what the built-in inbox reports has reached nobody, and is not said to have', () => {
    const facts = { evidence: 'email.delivered', account: 'capture' };
    expect(sentences(row('confirmed', 'delivered', { actor: 'webhook', facts }))[1]).toBe(
      'The built-in inbox reported it as delivered; no mail left this machine.',
    );
  });

  test('what a webhook told is told with its own name, and its reason once', () => {
    const told = (event: string, status: Status, evidence: string, code?: string, message?: string) =>
      row(event, status, {
        actor: 'webhook',
        facts: { from: 'sent', messageId: 'm-1', evidence, ...(code && { error: { code, message } }) },
      });
    expect(
      sentences(
        told('accepted', 'sent', 'email.sent'),
        told('confirmed', 'delivered', 'email.delivered'),
        told('bounced_for_good', 'suppressed', 'email.bounced', 'bounced', 'bounced: General'),
        told('over_quota', 'failed_permanent', 'email.failed', 'failed', 'email.failed: reached_daily_quota'),
        told('provider_failed', 'failed_permanent', 'email.failed', 'failed', 'email.failed: invalid_from'),
        told(
          'provider_suppressed',
          'suppressed',
          'email.suppressed',
          'suppressed',
          'email.suppressed: on a list.',
        ),
        row('complained', 'sent', {
          actor: 'webhook',
          facts: { evidence: 'email.complained', ignored: 'contradicts' },
        }),
      ).slice(1),
    ).toEqual([
      'Word came (email.sent) that the provider has accepted it as m-1.',
      "It reached the recipient's mail server.",
      'It bounced for good: General (bounced); the address is not mailed again.',
      "The provider's quota of the day was full, and it was not sent on: reached_daily_quota (failed); it is not tried again.",
      'The provider could not send it on: invalid_from (failed).',
      'The provider does not mail this address: on a list (suppressed); nor do we from now on.',
      'Word came (email.complained) under another message id than the one we know; it is kept here and changed nothing.',
    ]);
  });

  test('002-P9-03 a send whose worker never came back is told as such, not as a failure', () => {
    const lost = row('lease_expired', 'reconciling', { actor: 'sweep', facts: attempt });
    expect(sentences(lost)[1]).toBe(
      "Worker host:7 had begun to hand it to capture and never came back. We don't know yet whether it was accepted.",
    );
  });

  test('an operator is named with the reason', () => {
    const reason = { reason: 'the mailbox is back' };
    const actor = 'operator ana';
    expect(
      sentences(
        row('requeued', 'pending', { actor, facts: { from: 'failed_permanent', ...reason } }),
        row('accepted', 'sent', { actor, facts: { from: 'needs_review', ...reason } }),
      ).slice(1),
    ).toEqual([
      'Operator ana put it back to be sent: the mailbox is back.',
      'Operator ana decided that it was sent: the mailbox is back.',
    ]);
  });

  test('evidence that contradicts what is known is told, with what came of it', () => {
    const other = row('accepted', 'sent', {
      facts: { from: 'sent', messageId: 'm-2', ignored: 'contradicts' },
    });
    expect(sentences(other)[1]).toContain('changed nothing');
  });

  test('a later round is named', () => {
    const accepted = row('accepted', 'sent', { round: 2, facts: attempt });
    expect(sentences(accepted)[1]).toContain('attempt 1 of round 2');
  });

  test('the last soft bounce promises no further round', () => {
    const last = row('bounced_for_now', 'failed_permanent', { round: 3 });
    const first = row('bounced_for_now', 'failed_transient', { facts: { dueAt: startAt + 4 * 3_600_000 } });
    expect(sentences(first, last).slice(1)).toEqual([
      'It bounced for now; next in 4 h.',
      'It bounced for now; that was the last round.',
    ]);
  });

  test('every event in every status has a sentence of its own, with nothing undefined in it', () => {
    for (const event of [...workEvents, ...evidenceEventNames]) {
      for (const status of Object.keys(statuses) as Status[]) {
        for (const detail of ['{}', null, JSON.stringify({ ...attempt, error: { code: 'x' } })]) {
          const [, told = ''] = sentences(row(event, status, { detail }));
          expect(told, event).toMatch(/^[A-Z].*\.$/);
          expect(told, event).not.toMatch(/undefined|null|NaN|\.\./);
        }
      }
    }
  });

  test('an event that a newer version wrote is told plainly', () => {
    expect(sentences(row('taken_elsewhere', 'pending'))[1]).toBe('Taken elsewhere, by host:7.');
  });
});
