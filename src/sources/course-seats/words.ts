import { mailboxUnknown } from '../../domain/outcome.ts';
import type { Status } from '../../domain/status.ts';
import type { Source } from '../source.ts';

/** Spec 000's words. The view `open_event_notifications` says the same in SQL, and a test compares the two. */
export type FanoutStatus = 'pending' | 'sent' | 'skipped' | 'failed' | 'expired';

/** Failures about which an operator can do nothing (000-58, 000-59, 000-61, 000-63): the row is skipped, and alarms nobody. */
export const skippedCodes: readonly string[] = [
  'invalid_recipient',
  'not_email',
  'missing_locale',
  'missing_variable',
  'invalid_mail_job',
  mailboxUnknown,
];

type Told = Parameters<Source['words']>[0];

const words: Readonly<Record<Status, FanoutStatus | ((told: Told) => FanoutStatus)>> = {
  pending: 'pending',
  claimed: 'pending',
  sending: 'pending',
  failed_transient: 'pending',
  reconciling: 'pending',
  sent: 'sent',
  delivered: 'sent',
  // What bounced or was complained about has been sent, all the same.
  suppressed: ({ wasAccepted }) => (wasAccepted ? 'sent' : 'skipped'),
  skipped_unsubscribed: 'skipped',
  skipped_no_email: 'skipped',
  skipped_ineligible: 'skipped',
  failed_permanent: ({ errorCode }) => (skippedCodes.includes(errorCode ?? '') ? 'skipped' : 'failed'),
  needs_review: 'failed',
  expired: 'expired',
};

export function seatWords(told: Told): FanoutStatus {
  const word = words[told.status];
  return typeof word === 'function' ? word(told) : word;
}
