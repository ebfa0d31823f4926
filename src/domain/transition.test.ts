import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceEventNames } from './evidence.ts';
import { arrow, arrows, workEvents } from './lifecycle.ts';
import { type Status, statuses, statusNames } from './status.ts';
import {
  applyEvidence,
  applyWork,
  type DeliveryState,
  type EvidenceReport,
  nextRound,
} from './transition.ts';

const fresh: DeliveryState = {
  status: 'pending',
  evidence: 0,
  round: 0,
  attempts: 0,
  lapses: 0,
  lease: 1,
  dueAt: 0,
  lockedBy: null,
  lockedAt: null,
  account: null,
  firstPossibleAcceptAt: null,
  resubmitUntil: null,
  lastAttemptAt: null,
  sentAt: null,
  deliveredAt: null,
  providerMessageId: null,
  lastError: null,
};
const inStatus = (status: Status, more: Partial<DeliveryState> = {}): DeliveryState => ({
  ...fresh,
  status,
  ...more,
});

function stateAfter(start: DeliveryState, reports: readonly EvidenceReport[]): DeliveryState {
  let state = start;
  for (const report of reports) {
    const result = applyEvidence(state, report);
    if (result.changed) state = result.state;
  }
  return state;
}

describe('evidence', () => {
  it.each(statusNames)('wins from %s if its rank is higher, and changes only facts if not', (status) => {
    for (const event of evidenceEventNames) {
      const report: EvidenceReport = { event, round: 2, at: 50, messageId: 'm', roundsMax: 3, dueAt: 60 };
      const low = applyEvidence(inStatus(status, { round: 2, evidence: 8 }), report);
      expect(low.changed && low.state.status, event).toBe(
        {
          accepted: 'sent',
          bounced_for_now: 'failed_transient',
          over_quota: 'failed_transient',
          provider_failed: 'failed_permanent',
          confirmed: 'delivered',
          bounced_for_good: 'suppressed',
          complained: 'suppressed',
          provider_suppressed: 'suppressed',
        }[event],
      );
      const high = applyEvidence(inStatus(status, { round: 2, evidence: 1_000_001 }), report);
      expect(high.changed ? high.state.status : status, event).toBe(status);
    }
  });

  it('closes an attempt under way, once, and releases the lease', () => {
    const sending = inStatus('sending', {
      round: 1,
      evidence: 4,
      lockedBy: 'w',
      firstPossibleAcceptAt: 1,
      lapses: 1,
    });
    const sent = stateAfter(sending, [{ event: 'accepted', round: 1, at: 5, messageId: 'm' }]);
    expect(sent).toMatchObject({
      status: 'sent',
      attempts: 1,
      lockedBy: null,
      firstPossibleAcceptAt: null,
      lapses: 0,
    });
    expect(stateAfter(sent, [{ event: 'confirmed', round: 1, at: 6 }])).toMatchObject({
      status: 'delivered',
      attempts: 1,
    });
    expect(applyWork(sent, { event: 'refused_for_now', lease: 1 }, 7)).toEqual({
      changed: false,
      why: 'no arrow',
    });
  });

  it('a soft bounce of the last round is final', () => {
    const sent = inStatus('sent', { round: 3, evidence: 13, sentAt: 1 });
    const report: EvidenceReport = { event: 'bounced_for_now', round: 3, at: 5, roundsMax: 3, dueAt: 6 };
    expect(stateAfter(sent, [report])).toMatchObject({ status: 'failed_permanent', dueAt: null });
  });

  it('an id that contradicts the known one of the same round changes nothing', () => {
    const sent = inStatus('sent', { round: 1, evidence: 5, sentAt: 1, providerMessageId: 'one' });
    const report: EvidenceReport = { event: 'complained', round: 1, at: 5, messageId: 'other' };
    expect(applyEvidence(sent, report)).toEqual({ changed: false, why: 'contradicts' });
  });

  it('refuses a round that cannot be', () => {
    for (const round of [0, -1, 1.5, Number.NaN, 10_001]) {
      expect(() => applyEvidence(fresh, { event: 'accepted', round, at: 1 })).toThrow(RangeError);
    }
  });
});

describe('rounds', () => {
  it('keeps the key of a round that is known not to be accepted, and takes a new one after a bounce or a requeue', () => {
    expect([0, 4, 6, 7, 8, 10, 11].map((evidence) => nextRound({ evidence }))).toEqual([1, 1, 2, 2, 2, 3, 3]);
  });

  it('an operator closes the round that was begun, and one that never was stays closed to late evidence of none', () => {
    const dead = inStatus('failed_permanent', { round: 2, evidence: 8, attempts: 5, dueAt: null });
    const requeued = applyWork(dead, { event: 'requeued' }, 100);
    expect(requeued).toMatchObject({ state: { status: 'pending', evidence: 11, attempts: 0, dueAt: 100 } });
    const never = applyWork(inStatus('skipped_no_email', { dueAt: null }), { event: 'requeued' }, 100);
    expect(never).toMatchObject({ state: { status: 'pending', evidence: 0 } });
  });

  it('attempts count anew in a new round', () => {
    const claimed = inStatus('claimed', {
      round: 1,
      evidence: 6,
      attempts: 3,
      lockedBy: 'w',
      providerMessageId: 'one',
    });
    const begun = applyWork(claimed, { event: 'begun', lease: 1, account: 'a', resubmitUntil: 9 }, 5);
    expect(begun).toMatchObject({ state: { round: 2, evidence: 8, attempts: 0, providerMessageId: null } });
  });
});

describe('the table', () => {
  it('every arrow ends in a status, and every status that is due or held has a way out', () => {
    for (const row of Object.values(arrows)) {
      for (const { to } of Object.values(row)) expect(statusNames).toContain(to);
    }
    for (const status of statusNames) {
      if (!statuses[status].isFinal) expect(Object.keys(arrows[status]).length, status).toBeGreaterThan(0);
    }
  });

  it('no arrow leaves a status in which a mail may exist for one that says it does not, but on knowledge', () => {
    // Each of these is a definite answer: the provider refused, was never reached, was searched, or an operator said so.
    const knowing = ['deferred', 'refused_for_now', 'not_at_provider', 'resolved_not_sent'];
    for (const from of statusNames.filter((status) => statuses[status].mailExists === 'perhaps')) {
      for (const event of workEvents) {
        const to = arrow(from, event)?.to;
        if (to && statuses[to].mailExists === 'no') expect(knowing, `${from} × ${event}`).toContain(event);
      }
    }
  });

  it('whatever is reported in whatever order, the row keeps what the database checks', () => {
    const work = fc.record({
      event: fc.constantFrom(...workEvents.filter((event) => event !== 'claimed')),
      lease: fc.integer({ min: 1, max: 3 }),
      dueAt: fc.integer({ min: 0, max: 100 }),
      worker: fc.constant('w'),
      account: fc.constant('a'),
      resubmitUntil: fc.constantFrom(null, 50),
    });
    const evidence = fc.record({
      event: fc.constantFrom(...evidenceEventNames),
      round: fc.integer({ min: 1, max: 3 }),
      at: fc.integer({ min: 1, max: 100 }),
      roundsMax: fc.constant(3),
      dueAt: fc.constant(100),
    });
    const claim = fc.constant({ event: 'claimed' as const });
    fc.assert(
      fc.property(fc.array(fc.oneof(work, work, evidence, claim, claim), { maxLength: 30 }), (reports) => {
        let state = fresh;
        reports.forEach((report, now) => {
          if (report.event === 'claimed') {
            const isDue = state.dueAt !== null && state.dueAt <= now;
            if (!arrow(state.status, 'claimed') || !isDue) return;
            state = {
              ...state,
              status: 'claimed',
              lease: state.lease + 1,
              lockedBy: 'w',
              lockedAt: now,
              dueAt: now + 2,
            };
            return;
          }
          const result = 'at' in report ? applyEvidence(state, report) : applyWork(state, report, now);
          if (result.changed) state = result.state;
          const { status } = state;
          const inDoubt = state.firstPossibleAcceptAt !== null;
          if (status !== 'failed_permanent') {
            expect(inDoubt, status).toBe(['sending', 'reconciling', 'needs_review'].includes(status));
          }
          if (statuses[status].isDue) expect(state.dueAt, status).not.toBeNull();
          if (['claimed', 'sending'].includes(status)) expect(state.lockedBy, status).not.toBeNull();
          if (!['claimed', 'sending', 'reconciling'].includes(status))
            expect(state.lockedBy, status).toBeNull();
          if (['sent', 'delivered'].includes(status)) expect(state.sentAt, status).not.toBeNull();
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps of an error what can be stored: a bounded message of whole characters', () => {
    const message = `${'x'.repeat(999)}😀 and more`;
    const report = { event: 'refused_for_good', lease: 1, error: { code: 'c', message } } as const;
    const held = inStatus('sending', { lockedBy: 'w', firstPossibleAcceptAt: 1 });
    const result = applyWork(held, report, 1);
    if (!result.changed) throw new Error(result.why);
    expect(result.state.lastError?.message).toBe(`${'x'.repeat(999)}\ufffd…`);
  });
});
