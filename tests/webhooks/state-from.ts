import type { DeliveryState } from '../../src/domain/transition.ts';

/** A whole state out of what matters of it. */
export function stateFrom(
  state: Partial<DeliveryState> & Pick<DeliveryState, 'status' | 'round' | 'evidence'>,
): DeliveryState {
  return {
    ...{ attempts: 0, lapses: 0, lease: 7, dueAt: null, lockedBy: null, lockedAt: null, account: 'resend' },
    ...{ firstPossibleAcceptAt: null, resubmitUntil: null, lastAttemptAt: null, lastError: null },
    ...{ sentAt: null, deliveredAt: null, providerMessageId: null, ...state },
  };
}
