import type { Status } from '../../domain/status.ts';

/** Spec 002's nine words. The view `notification_deliveries` says the same in SQL, and a test compares the two. */
type DeliveryWord = Exclude<
  Status,
  'claimed' | 'reconciling' | 'needs_review' | 'skipped_ineligible' | 'expired'
>;

const words: Readonly<Record<Status, DeliveryWord>> = {
  pending: 'pending',
  claimed: 'sending',
  sending: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  failed_transient: 'failed_transient',
  // What the specification calls a send that got stuck (002-P9-02).
  reconciling: 'failed_transient',
  needs_review: 'failed_permanent',
  failed_permanent: 'failed_permanent',
  suppressed: 'suppressed',
  skipped_unsubscribed: 'skipped_unsubscribed',
  skipped_no_email: 'skipped_no_email',
  skipped_ineligible: 'skipped_unsubscribed',
  expired: 'skipped_unsubscribed',
};

export const newsletterWords = ({ status }: { status: Status }): DeliveryWord => words[status];
