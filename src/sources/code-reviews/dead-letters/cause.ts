import { mailboxUnknown, recipientInactive } from '../../../domain/outcome.ts';
import type { DeliveryError } from '../../../domain/transition.ts';

/**
 * Why a delivery has ended, or cannot go on, from the event that ended it: what kind of error, at which step, and who can do something
 * about it. The caller mends what the caller has sent: an address, a text. Everything else is for an operator (003-8.1-4).
 */
export const errorClasses = [
  'permanent_recipient',
  'permanent_content',
  'permanent_policy',
  'bounced',
  'suppressed',
  'unsubscribed',
  'expired',
  'exhausted',
  'crashed',
  'unknown_outcome',
] as const;
type ErrorClass = (typeof errorClasses)[number];

export const steps = ['compose', 'gate', 'send', 'delivery', 'reconcile'] as const;

export interface Cause {
  errorClass: ErrorClass;
  /** Where on its way it ended. */
  step: (typeof steps)[number];
  asks: 'caller' | 'operator';
}

/** Events that end a delivery without its mail having arrived, or leave it to a person. */
export const endings = [
  ...['unsendable', 'refused_for_good', 'gave_up', 'provider_failed', 'bounced_for_now', 'over_quota'],
  ...['bounced_for_good', 'provider_suppressed', 'address_suppressed', 'unsubscribed', 'no_address'],
  ...['ineligible', 'expired', 'undecidable', 'resolved_closed'],
] as const;

export interface Ending {
  event: string;
  /** The status that it came from. */
  from: string | null;
  error: DeliveryError | null;
}

export function causeOf({ event, from, error }: Ending): Cause {
  switch (event) {
    case 'unsendable':
      return { ...ofUnsendable(error), step: 'compose' };
    case 'refused_for_good':
      return { ...ofRefusal(error), step: 'send' };
    case 'gave_up':
      return from === 'claimed'
        ? { errorClass: 'crashed', step: 'compose', asks: 'operator' }
        : { errorClass: 'exhausted', step: 'send', asks: 'operator' };
    case 'provider_failed':
      return { ...ofRefusal(error), step: 'delivery' };
    case 'bounced_for_now':
    case 'bounced_for_good':
      return { errorClass: 'bounced', step: 'delivery', asks: 'caller' };
    case 'over_quota':
      return { errorClass: 'exhausted', step: 'delivery', asks: 'operator' };
    case 'provider_suppressed':
      return { errorClass: 'suppressed', step: 'delivery', asks: 'operator' };
    case 'address_suppressed':
      return { errorClass: 'suppressed', step: 'gate', asks: 'operator' };
    case 'unsubscribed':
      return { errorClass: 'unsubscribed', step: 'gate', asks: 'caller' };
    case 'no_address':
      return { errorClass: 'permanent_recipient', step: 'compose', asks: 'caller' };
    case 'expired':
      return { errorClass: 'expired', step: 'gate', asks: 'operator' };
    case 'undecidable':
    case 'resolved_closed':
      return { errorClass: 'unknown_outcome', step: 'reconcile', asks: 'operator' };
    default:
      return { errorClass: 'permanent_policy', step: 'gate', asks: 'operator' };
  }
}

type Who = Omit<Cause, 'step'>;
const recipient: Who = { errorClass: 'permanent_recipient', asks: 'caller' };
const policy: Who = { errorClass: 'permanent_policy', asks: 'operator' };

/** What a template or the check of a mail says of values that came with the review. */
const contentCodes: ReadonlySet<string> = new Set([
  ...['missing_variable', 'variable_too_long', 'invalid_variable', 'missing_locale'],
  ...['subject_too_long', 'subject_empty', 'subject_injection', 'subject_encoded'],
  ...['body_too_big', 'body_character', 'mail_too_big', 'message_too_big', 'review_forgotten'],
]);
const recipientCodes: ReadonlySet<string> = new Set([
  ...[
    mailboxUnknown,
    recipientInactive,
    'invalid_recipient',
    'to_invalid',
    'invalid_to_address',
    'no_address',
  ],
]);

function ofUnsendable(error: DeliveryError | null): Who {
  const code = error?.code ?? '';
  if (recipientCodes.has(code)) return recipient;
  return { errorClass: 'permanent_content', asks: contentCodes.has(code) ? 'caller' : 'operator' };
}

/** Resend has one name for all that it finds wrong with a mail, and says of which field in a sentence: "Invalid `to` field". */
const aboutRecipient = /`to`|\bto field\b|\brecipients?\b|\bmailbox\b/i;

function ofRefusal(error: DeliveryError | null): Who {
  const code = error?.code ?? '';
  if (recipientCodes.has(code)) return recipient;
  if (contentCodes.has(code)) return { errorClass: 'permanent_content', asks: 'caller' };
  const isAboutRecipient = code === 'validation_error' && aboutRecipient.test(error?.message ?? '');
  return isAboutRecipient ? recipient : policy;
}
