import { type Status, statuses } from '../../domain/status.ts';

/** Spec 003's words for a row. The view `review_deliveries` says the same in SQL, and a test compares the two. */
type ReviewWord = 'sent' | 'failed' | 'unsent';

/**
 * Whoever was told stays told, whatever became of the mail later: `notified_at` is `sent_at`. What has ended without that is failed,
 * also where nobody was to blame: `unsent` would say that it is still to come. The status itself stands beside it, as the stage.
 */
export function reviewWord({ status, wasAccepted }: { status: Status; wasAccepted: boolean }): ReviewWord {
  if (wasAccepted) return 'sent';
  return statuses[status].isFinal ? 'failed' : 'unsent';
}
