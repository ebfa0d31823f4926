import { recipientActor, undoWithinMs } from './suppression.ts';
import type { Case } from './verdict.ts';

/**
 * Until when the recipient can take back what stopped it, so that it goes out after all; null where they cannot, or it would not.
 * Whoever has left its source, and then stopped everything, must be in time for both.
 */
export function undoUntil({ state, expiresAt, moments, circumstances }: Case): number | null {
  const { now, suppression, unsubscribedAt } = circumstances;
  // Whatever else is against its address holds on, and so does what somebody else wrote down for them.
  if (suppression && (suppression.reason !== 'unsubscribed' || suppression.by !== recipientActor))
    return null;
  const never = Number.POSITIVE_INFINITY;
  const leftAt = Math.min(unsubscribedAt ?? never, suppression?.at ?? never);
  const stopped = moments.findLast(({ event }) => event === 'unsubscribed' || event === 'forgotten');
  // What another system or an earlier wish had ended stays ended, and of what is forgotten nothing is left to send.
  if (stopped?.event !== 'unsubscribed' || stopped.at < leftAt) return null;
  if (stopped.actor === 'import' || stopped.actor.startsWith('operator ')) return null;
  const until = Math.min(leftAt + undoWithinMs, expiresAt ?? never);
  return state.status === 'skipped_unsubscribed' && now <= until ? until : null;
}
