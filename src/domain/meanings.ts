import type { Status } from './status.ts';

/** The four meanings that a colour may have. */
export type Meaning = 'good' | 'in hand' | 'needs a person' | 'stopped on purpose';

export const meanings = {
  pending: 'in hand',
  claimed: 'in hand',
  sending: 'in hand',
  sent: 'good',
  delivered: 'good',
  failed_transient: 'in hand',
  reconciling: 'in hand',
  needs_review: 'needs a person',
  failed_permanent: 'needs a person',
  suppressed: 'stopped on purpose',
  skipped_unsubscribed: 'stopped on purpose',
  skipped_no_email: 'stopped on purpose',
  skipped_ineligible: 'stopped on purpose',
  expired: 'stopped on purpose',
} as const satisfies Record<Status, Meaning>;
