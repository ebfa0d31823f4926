import { describe, expect, it } from 'vitest';
import { type EvidenceEvent, evidenceEventNames } from './evidence.ts';
import { applyEvidence, type DeliveryState, type EvidenceReport } from './transition.ts';

const pending: DeliveryState = {
  ...{ status: 'pending', evidence: 0, round: 0, attempts: 0, lapses: 0, lease: 1, dueAt: 0 },
  ...{ lockedBy: null, lockedAt: null, account: null, firstPossibleAcceptAt: null, resubmitUntil: null },
  ...{ lastAttemptAt: null, sentAt: null, deliveredAt: null, providerMessageId: null, lastError: null },
};

function stateAfter(...reports: readonly EvidenceReport[]): DeliveryState {
  return reports.reduce((state, report) => {
    const result = applyEvidence(state, report);
    return result.changed ? result.state : state;
  }, pending);
}

/** Bounces end with round 2, full quotas long after that. */
const said = (event: EvidenceEvent, round: number): EvidenceReport => ({
  ...{ event, round, at: 1000 * round, messageId: `message-${round}`, dueAt: 9 },
  roundsMax: event === 'over_quota' ? 16 : 2,
});

describe('a full quota', () => {
  it('is no sign that anything was accepted, and a new mail follows', () => {
    expect(stateAfter(said('over_quota', 2))).toMatchObject({
      ...{ status: 'failed_transient', evidence: 10, sentAt: null, dueAt: 9 },
    });
  });

  it('yields to a bounce of the last round, whichever came first', () => {
    const [quota, bounce] = [said('over_quota', 2), said('bounced_for_now', 2)];
    const end = { status: 'failed_permanent', evidence: 10, dueAt: null };
    expect(stateAfter(quota, bounce)).toMatchObject(end);
    expect(stateAfter(bounce, quota)).toMatchObject(end);
  });

  it('ends the same with any other two words, in every order', () => {
    const all = [1, 2].flatMap((round) => evidenceEventNames.map((event) => said(event, round)));
    const decided = (...reports: readonly EvidenceReport[]) => {
      const { status, evidence, round, sentAt, deliveredAt } = stateAfter(...reports);
      return `${status} ${evidence} ${round} ${sentAt} ${deliveredAt}`;
    };
    for (const quota of [said('over_quota', 1), said('over_quota', 2)]) {
      for (const one of all) {
        for (const other of all) {
          const ends = [
            decided(quota, one, other),
            decided(one, quota, other),
            decided(one, other, quota),
            decided(other, one, quota, one),
          ];
          expect(new Set(ends).size, `${one.event} ${one.round}, ${other.event} ${other.round}`).toBe(1);
        }
      }
    }
  });
});
