import { describe, expect, test } from 'vitest';
import { type ExplainedDelivery, explain } from './explain.ts';
import type { Circumstances } from './hindrances.ts';
import { freshPace } from './pace.ts';
import type { StoryRow } from './sentences.ts';
import { type Status, statusNames } from './status.ts';
import type { DeliveryState } from './transition.ts';

const now = Date.UTC(2026, 6, 1, 12);

function delivery(
  status: Status,
  state: Partial<DeliveryState> = {},
  more: Partial<ExplainedDelivery> = {},
): ExplainedDelivery {
  return {
    ...{ seq: 12, id: 'an-id', source: 'plain', lane: 'normal', createdAt: now - 60_000, expiresAt: null },
    words: { recipient: 'ana@example.org', address: 'Ana@example.org' },
    hasMail: false,
    ...more,
    state: {
      ...{ status, evidence: 0, round: 1, attempts: 0, lapses: 0, lease: 1, dueAt: now + 5_000 },
      ...{ lockedBy: null, lockedAt: null, account: 'resend:1', firstPossibleAcceptAt: null },
      ...{ resubmitUntil: null, lastAttemptAt: null, sentAt: null, deliveredAt: null },
      ...{ providerMessageId: null, lastError: null },
      ...state,
    },
  };
}

const calm: Circumstances = {
  now,
  suppression: null,
  unsubscribedAt: null,
  pauses: [],
  account: 'resend:1',
  pace: null,
};

const row = (event: string, more: Partial<StoryRow> = {}, detail: object = {}): StoryRow => ({
  ...{ at: now - 30_000, event, status: 'pending', round: 1, actor: 'worker-1' },
  ...more,
  detail: JSON.stringify(detail),
});

const verdict = (one: ExplainedDelivery, story: StoryRow[] = [], circumstances = calm) =>
  explain(one, story, circumstances).sentence;

describe('the verdict says no more than the evidence does', () => {
  test.each([
    ['sent', {}],
    ['delivered', { deliveredAt: now - 3_000 }],
  ] as const)('what the built-in inbox took is there, and has not reached anybody: %s', (status, more) => {
    const { answer, sentence, remedies } = explain(
      delivery(status, { account: 'capture', sentAt: now - 4_000, dueAt: null, ...more }),
      status === 'sent' ? [] : [row('confirmed', { actor: 'webhook', status }, { account: 'capture' })],
      calm,
    );
    expect([answer, sentence]).toEqual([
      'no',
      'In the built-in inbox: it came there 4 s ago, and no real mail leaves this machine.',
    ]);
    expect(remedies[0]?.sentence).toContain('MAIL_PROVIDER');
  });

  test('an operator’s word is not put into the provider’s mouth', () => {
    const story = [row('accepted', { actor: 'operator ana', status: 'sent' })];
    const sentence = verdict(delivery('sent', { sentAt: now - 4_000, dueAt: null }), story);
    expect(sentence).toBe(
      'Yes: operator ana said 4 s ago that it was sent; the provider itself has not said so.',
    );
  });

  test('closed in doubt is not a no, and is never put back', () => {
    const story = [row('resolved_closed', { actor: 'operator ana' }, { reason: 'nobody knows.' })];
    const closed = delivery('failed_permanent', { firstPossibleAcceptAt: 1, dueAt: null });
    const { answer, sentence, isDoubt, remedies } = explain(closed, story, calm);
    expect([answer, isDoubt]).toEqual(['unknown', true]);
    expect(sentence).toBe(
      "We don't know: operator ana closed it in doubt: nobody knows. It may have been sent; nothing more will be.",
    );
    expect(remedies.map(({ command }) => command)).toEqual([null]);
  });

  test('a complaint means that it arrived', () => {
    const story = [row('complained', { actor: 'webhook', status: 'suppressed' })];
    expect(verdict(delivery('suppressed', { sentAt: 1, dueAt: null }), story)).toMatch(/^Yes: it arrived/);
  });

  test.each(['expired', 'suppressed', 'skipped_unsubscribed', 'pending'] as const)(
    'what arrived has arrived, also when it was put back and is %s now',
    (status) => {
      const story = [
        row('accepted', { status: 'sent' }),
        row('complained', { actor: 'webhook', status: 'suppressed' }),
        row('requeued', { actor: 'operator ana' }),
        ...(status === 'suppressed' ? [row('address_suppressed')] : []),
      ];
      const { answer, sentence } = explain(delivery(status, { sentAt: 1 }), story, calm);
      expect(answer).toBe('yes');
      expect(sentence).toMatch(
        /^Yes: an earlier mail arrived, and the recipient reported it as spam\. As for another one: n/,
      );
      expect(sentence).not.toContain('bounced');
    },
  );

  test('an earlier mail that bounced did not arrive, whatever had been confirmed before', () => {
    const story = [
      row('confirmed', { actor: 'webhook', status: 'delivered' }),
      row('bounced_for_good', { actor: 'webhook', status: 'suppressed' }),
      row('requeued', { actor: 'operator ana' }),
    ];
    const { answer, sentence } = explain(delivery('expired', { sentAt: 1, dueAt: null }), story, calm);
    expect([answer, sentence.includes('an earlier mail bounced')]).toEqual(['no', true]);
    expect(verdict(delivery('expired', { sentAt: 1, dueAt: null }))).toContain(
      'was accepted and is not known to have arrived, and it was not sent again',
    );
  });

  test('a worker on a host that is called operator is no person', () => {
    const accepted = { actor: 'operator-7.example.org:1', status: 'sent' } as const;
    const { sentence, why } = explain(
      delivery('sent', { sentAt: now - 4_000, dueAt: null }),
      [row('accepted', accepted)],
      calm,
    );
    expect(sentence).toMatch(/^Yes: resend accepted it/);
    expect(why[1]?.sentence).not.toContain('decided');
    expect(why[1]?.evidence).toBe("the provider's answer");
  });

  test('of smtp no later word is promised, and it is not said to be asked', () => {
    const state = { account: 'smtp:1', sentAt: now - 4_000, dueAt: null };
    const sent = explain(delivery('sent', state), [], calm);
    expect(sent.next).toBe('Nothing more is sent.');
    expect(sent.sentence).not.toContain('so far');
    const held = { ...state, lockedBy: 'host:7', lockedAt: now - 4_000, dueAt: now + 60_000 };
    expect(explain(delivery('sending', held), [], calm).next).toBe(
      'Worker host:7, which has had it since 11:59:56Z, writes down what smtp answers. If it does not come back, the sweep takes over in 60 s; smtp cannot be asked what became of a mail, so a person will have to decide.',
    );
    expect(explain(delivery('sending', { ...held, account: 'resend:1' }), [], calm).next).toContain(
      'and resend is asked before anything is sent again.',
    );
  });

  test('evidence that contradicts what is known decides nothing', () => {
    const story = [
      row('bounced_for_good', { actor: 'webhook', status: 'suppressed' }, { error: { code: 'no user' } }),
      row('complained', { actor: 'webhook', status: 'suppressed' }, { ignored: 'contradicts' }),
    ];
    expect(verdict(delivery('suppressed', { sentAt: 1, dueAt: null }), story)).toMatch(
      /^No,.*\(no user\)\.$/,
    );
  });

  test('each way to be given up has its own words', () => {
    const given = (event: string, detail: object = {}, state: Partial<DeliveryState> = {}) =>
      verdict(delivery('failed_permanent', { dueAt: null, ...state }), [row(event, {}, detail)]);
    expect(given('unsendable', { error: { code: 'missing_variable' } })).toContain(
      'it cannot be sent as it is (missing_variable). Nothing left.',
    );
    expect(given('gave_up', { from: 'sending' }, { attempts: 5 })).toContain('resend refused it 5 times');
    expect(given('gave_up', { from: 'claimed' }, { lapses: 4 })).toContain('the worker died 5 times over it');
    expect(given('bounced_for_now', {}, { round: 3 })).toContain(
      'accepted it 3 times, and it bounced each time',
    );
    expect(given('provider_failed')).toContain('could not send it on');
  });

  test('a bounce of the first round waits for the second', () => {
    const story = [
      row('bounced_for_now', { actor: 'webhook' }, { error: { code: 'full', message: 'mailbox full.' } }),
    ];
    const waiting = delivery('failed_transient', { sentAt: 1, dueAt: now + 4 * 3_600_000 });
    expect(verdict(waiting, story)).toBe(
      'Not yet: it bounced for now (mailbox full); a new mail leaves in 4 h.',
    );
  });
});

describe('what stands in the way', () => {
  const pause = { reason: 'wrong text.', by: 'ana', at: now - 120_000 };

  test('a pause of everything or of its source, and not of another', () => {
    const pauses = [
      { ...pause, scope: 'other' },
      { ...pause, scope: '*' },
    ];
    const { sentence, hindrances, next, remedies } = explain(delivery('pending'), [], { ...calm, pauses });
    expect(sentence).toBe('Not yet: everything is paused by ana.');
    expect(hindrances).toEqual(['Everything has been paused for 2 min by ana: wrong text.']);
    expect(next).toBe('It goes on when that is over.');
    expect(remedies).toEqual([expect.objectContaining({ command: 'npx tidings resume' })]);
  });

  test('an open circuit, with its reason, and when the provider is asked again', () => {
    const pace = {
      ...freshPace,
      ...{ openSince: now - 180_000, openReason: 'unauthorised', probeAt: now + 20_000 },
    };
    const { sentence, hindrances } = explain(delivery('pending'), [], { ...calm, pace });
    expect(sentence).toBe('Not yet: resend takes no mail at present (it refuses our key or our sender).');
    expect(hindrances[0]).toBe(
      'No mail has been handed to resend for 3 min: it refuses our key or our sender. It is asked again in 20 s; no attempt is counted meanwhile.',
    );
  });

  test('a pause that the provider asked for, until it is over', () => {
    const pace = { ...freshPace, pausedUntil: now + 30_000 };
    expect(verdict(delivery('pending'), [], { ...calm, pace })).toBe(
      'Not yet: resend asked us to wait 30 s.',
    );
    const over = { ...calm, pace: { ...freshPace, pausedUntil: now } };
    expect(explain(delivery('pending'), [], over).hindrances).toEqual([]);
  });

  test('an address that must not be mailed, before anything else', () => {
    const suppression = {
      scope: '*',
      by: 'webhook',
      reason: 'bounced_for_good',
      note: null,
      at: now - 3 * 86_400_000,
      deliverySeq: 7,
    } as const;
    const circumstances = { ...calm, suppression, pauses: [{ ...pause, scope: '*' }] };
    const { sentence, hindrances, next } = explain(delivery('pending'), [], circumstances);
    expect(sentence).toBe('Not yet: the address must not be mailed, and it will end as suppressed.');
    expect(hindrances[0]).toBe(
      'The address must not be mailed: a mail to it bounced for good 3 d ago (delivery 7).',
    );
    expect(next).toContain('ends as suppressed');
    expect(verdict(delivery('suppressed', { dueAt: null }), [row('address_suppressed')], circumstances)).toBe(
      'No, and it will not come: the address must not be mailed: a mail to it bounced for good 3 d ago (delivery 7).',
    );
  });

  test('nobody at work, for what waits and for what somebody has left', () => {
    const late = { dueAt: now - 60_000 };
    expect(verdict(delivery('pending', late))).toContain('due for 60 s, and no worker has taken it');
    const held = { ...late, lockedBy: 'host:7', lockedAt: 1, firstPossibleAcceptAt: 1 };
    expect(verdict(delivery('sending', held))).toBe(
      "We don't know: the worker host:7 should have been done 60 s ago, and nobody has taken over; resend may have got the mail.",
    );
    expect(explain(delivery('pending', { dueAt: now - 9_000 }), [], calm).hindrances).toEqual([]);
  });

  test('what has ended is held up by nothing', () => {
    const circumstances = { ...calm, pauses: [{ ...pause, scope: '*' }] };
    for (const status of ['sent', 'needs_review', 'expired'] as const) {
      expect(explain(delivery(status, { dueAt: null, sentAt: 1 }), [], circumstances).hindrances).toEqual([]);
    }
  });
});

test('many of a kind in a row are told as the first, how many, and the last', () => {
  const story = [
    row('refused_for_now', { at: 1 }),
    ...[2, 3, 4, 5].map((at) => row('deferred', { at })),
    row('refused_for_now', { at: 6 }),
  ];
  const { why } = explain(delivery('failed_transient'), story, calm);
  expect(why.map(({ at, repeated }) => [at, repeated])).toEqual([
    [now - 60_000, 0],
    [1, 0],
    [2, 2],
    [5, 0],
    [6, 0],
  ]);
});

test('what retention has emptied is not offered to be put back', () => {
  for (const status of ['failed_permanent', 'expired', 'skipped_unsubscribed'] as const) {
    const story = [row('forgotten', { actor: 'sweep', status })];
    const { next, remedies } = explain(delivery(status, { dueAt: null }), story, calm);
    expect(next).toBe('Nothing.');
    expect(remedies).toEqual([{ sentence: expect.stringContaining('was deleted'), command: null }]);
  }
});

test('put back, what has expired would expire again; so another way is told', () => {
  const gone = delivery('expired', { dueAt: null }, { expiresAt: now - 1 });
  expect(explain(gone, [], calm).remedies[0]?.command).toBeNull();
  const bySource = delivery('expired', { dueAt: null });
  expect(explain(bySource, [], calm).remedies[0]?.command).toContain('requeue 12');
});

test('every status has a whole explanation, however little is known', () => {
  for (const status of statusNames) {
    for (const state of [{}, { account: null, dueAt: null }, { dueAt: now - 60_000, lockedBy: 'host:7' }]) {
      const { sentence, next, why, remedies } = explain(delivery(status, state), [], calm);
      for (const text of [sentence, next, ...why.map((one) => one.sentence)]) {
        expect(text, status).toMatch(/^[A-Z].*\.$/);
        expect(text, status).not.toMatch(/undefined|null|NaN/);
      }
      for (const remedy of remedies) expect(remedy.sentence, status).toMatch(/^[A-Z].*[.:]$/);
    }
  }
});
