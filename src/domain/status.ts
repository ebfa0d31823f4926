/**
 * Where a delivery stands. Each status says who moves a row out of it: one without an answer would be a place to get
 * stuck in. What may follow is in `lifecycle.ts`.
 */

/** Whether a mail of the present round can exist, which decides who may send. */
type MailExists = 'no' | 'perhaps' | 'yes' | 'see sent_at';

interface StatusFacts {
  meaning: string;
  /** Who moves a row out of this status. A status without an answer here is a place to get stuck in. */
  movedOutBy: string;
  mailExists: MailExists;
  /** due_at is when somebody must look at the row next; a row without it waits for nobody. */
  isDue: boolean;
  isFinal: boolean;
}

export const statuses = {
  pending: {
    meaning: 'waits to be sent',
    movedOutBy: 'dispatch when due; gate; sweep; consent',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  claimed: {
    meaning: 'held by a worker, nothing on the wire yet',
    movedOutBy: 'its worker; sweep; consent',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  sending: {
    meaning: 'being handed to the provider',
    movedOutBy: 'its worker; sweep; evidence',
    mailExists: 'perhaps',
    isDue: true,
    isFinal: false,
  },
  sent: {
    meaning: 'accepted by the provider',
    movedOutBy: 'evidence; sweep (imported rows only)',
    mailExists: 'yes',
    isDue: false,
    isFinal: true,
  },
  delivered: {
    meaning: "reached the recipient's mail server",
    movedOutBy: 'evidence (a complaint)',
    mailExists: 'yes',
    isDue: false,
    isFinal: true,
  },
  failed_transient: {
    meaning: 'known not to have arrived; tried again when due',
    movedOutBy: 'dispatch when due; gate; sweep; consent; operator',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  reconciling: {
    meaning: 'a mail may exist; being settled',
    movedOutBy: 'reconcile; evidence',
    mailExists: 'perhaps',
    isDue: true,
    isFinal: false,
  },
  needs_review: {
    meaning: 'nobody can know; an operator decides',
    movedOutBy: 'operator; evidence',
    mailExists: 'perhaps',
    isDue: false,
    isFinal: false,
  },
  failed_permanent: {
    meaning: 'given up; the dead letters',
    movedOutBy: 'operator; evidence',
    mailExists: 'see sent_at',
    isDue: false,
    isFinal: true,
  },
  suppressed: {
    meaning: 'the address must not be mailed',
    movedOutBy: 'operator; evidence',
    mailExists: 'see sent_at',
    isDue: false,
    isFinal: true,
  },
  skipped_unsubscribed: {
    meaning: 'the recipient had unsubscribed',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  skipped_no_email: {
    meaning: 'the recipient has no address',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  skipped_ineligible: {
    meaning: 'the source said: not this one',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  expired: {
    meaning: 'too late to be of use',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
} as const satisfies Record<string, StatusFacts>;

export type Status = keyof typeof statuses;

export const statusNames = Object.keys(statuses) as Status[];
