import { describe, expect, it } from 'vitest';
import { applyEvidence, type DeliveryState, type EvidenceReport } from './transition.ts';

const sending: DeliveryState = {
  ...{ status: 'sending', evidence: 4, round: 1, attempts: 0, lapses: 0, lease: 1, dueAt: 0 },
  ...{ lockedBy: 'worker-1', lockedAt: 0, account: null, firstPossibleAcceptAt: 1, resubmitUntil: null },
  ...{ lastAttemptAt: 1, sentAt: null, deliveredAt: null, providerMessageId: null, lastError: null },
};

function stateAfter(state: DeliveryState, report: EvidenceReport): DeliveryState {
  const result = applyEvidence(state, report);
  return result.changed ? result.state : state;
}

describe('what is asked later', () => {
  const accepted: EvidenceReport = { event: 'accepted', round: 1, at: 5, messageId: 'm', dueAt: 99 };
  const sent = stateAfter(sending, accepted);

  it('an accepted mail may be asked about; whatever word of its fate comes ends that', () => {
    expect(sent).toMatchObject({ status: 'sent', dueAt: 99 });
    const confirmed = stateAfter(sent, { event: 'confirmed', round: 1, at: 6, dueAt: 7 });
    expect(confirmed).toMatchObject({ status: 'delivered', dueAt: null });
    const { dueAt: _, ...unasked } = accepted;
    expect(stateAfter(sending, unasked)).toMatchObject({ status: 'sent', dueAt: null });
  });

  it('word that comes again does not put the question off', () => {
    expect(stateAfter(sent, { ...accepted, at: 4, dueAt: 1_000 })).toMatchObject({ dueAt: 99, sentAt: 4 });
  });

  it('who has a mail is learnt once, from whoever knows it', () => {
    const found = stateAfter({ ...sending, status: 'reconciling' }, { ...accepted, account: 'resend:1' });
    expect(found).toMatchObject({ account: 'resend:1', firstPossibleAcceptAt: null });
    const again = stateAfter(found, { ...accepted, event: 'confirmed', account: 'resend:2' });
    expect(again).toMatchObject({ status: 'delivered', account: 'resend:1' });
  });
});
