/**
 * The life cycle of a delivery, as data. The types, the outbox's compare-and-set, the CHECK constraints, the
 * diagram in the docs and the tests all come from here; `transition.ts` beside it applies it. Nothing else in
 * the program decides what may follow a status.
 *
 * Two kinds of events move a delivery. **Work events** are what we do: they follow `arrows`, and a cell that is
 * not listed changes nothing. **Evidence events** are what the provider says: they carry a rank, the higher
 * rank wins from every status, and so any order and any duplication of the same evidence ends the same.
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
  // Moved out by dispatch when due, by the gate, the sweep, or consent's own transaction.
  pending: {
    meaning: 'waits to be sent',
    movedOutBy: 'dispatch when due; gate; sweep; consent',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  // Moved out by the worker that holds the lease, by the sweep when the lease is over, or by consent.
  claimed: {
    meaning: 'held by a worker, nothing on the wire yet',
    movedOutBy: 'its worker; sweep; consent',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  // Moved out by the worker that holds the lease, by the sweep when the lease is over, or by evidence.
  sending: {
    meaning: 'being handed to the provider',
    movedOutBy: 'its worker; sweep; evidence',
    mailExists: 'perhaps',
    isDue: true,
    isFinal: false,
  },
  // Moved out by evidence (delivered, bounced, complained); imported rows without evidence by the sweep.
  sent: {
    meaning: 'accepted by the provider',
    movedOutBy: 'evidence; sweep (imported rows only)',
    mailExists: 'yes',
    isDue: false,
    isFinal: true,
  },
  // Moved out by evidence only: a complaint.
  delivered: {
    meaning: "reached the recipient's mail server",
    movedOutBy: 'evidence (a complaint)',
    mailExists: 'yes',
    isDue: false,
    isFinal: true,
  },
  // Moved out by dispatch when due, by the gate, the sweep, consent, or an operator.
  failed_transient: {
    meaning: 'known not to have arrived; tried again when due',
    movedOutBy: 'dispatch when due; gate; sweep; consent; operator',
    mailExists: 'no',
    isDue: true,
    isFinal: false,
  },
  // Moved out by reconcile (look-up, resubmission under the same key) or by evidence. Nobody sends meanwhile.
  reconciling: {
    meaning: 'a mail may exist; being settled',
    movedOutBy: 'reconcile; evidence',
    mailExists: 'perhaps',
    isDue: true,
    isFinal: false,
  },
  // Moved out by an operator or by late evidence.
  needs_review: {
    meaning: 'nobody can know; an operator decides',
    movedOutBy: 'operator; evidence',
    mailExists: 'perhaps',
    isDue: false,
    isFinal: false,
  },
  // Moved out by an operator (unless a mail may exist) or by evidence.
  failed_permanent: {
    meaning: 'given up; the dead letters',
    movedOutBy: 'operator; evidence',
    mailExists: 'see sent_at',
    isDue: false,
    isFinal: true,
  },
  // Moved out by an operator or by evidence.
  suppressed: {
    meaning: 'the address must not be mailed',
    movedOutBy: 'operator; evidence',
    mailExists: 'see sent_at',
    isDue: false,
    isFinal: true,
  },
  // Moved out by an operator or by evidence.
  skipped_unsubscribed: {
    meaning: 'the recipient had unsubscribed',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  // Moved out by an operator or by evidence.
  skipped_no_email: {
    meaning: 'the recipient has no address',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  // Moved out by an operator or by evidence.
  skipped_ineligible: {
    meaning: 'the source said: not this one',
    movedOutBy: 'operator; evidence',
    mailExists: 'no',
    isDue: false,
    isFinal: true,
  },
  // Moved out by an operator or by evidence.
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

export const lanes = ['urgent', 'normal', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

export interface Arrow {
  to: Status;
  by: string;
  /** The write carries the lease number, so that a worker which wakes up late changes nothing. */
  isFenced?: true;
  /** An attempt ends here: attempts + 1, unless the report says that it was none (409 concurrent). */
  countsAttempt?: true;
  guard?: 'lease over' | 'due' | 'no mail in doubt' | 'within key window' | 'no evidence';
  effect: string;
}

/** What may happen before a claim and after a failure; the same for `pending` and `failed_transient`. */
const waiting = {
  claimed: {
    to: 'claimed',
    by: 'dispatch',
    guard: 'due',
    effect: 'lease + 1, claims + 1, locked; due at lease end',
  },
  unsubscribed: { to: 'skipped_unsubscribed', by: "consent's own transaction; gate", effect: '' },
  address_suppressed: { to: 'suppressed', by: "consent's own transaction; gate", effect: '' },
  no_address: { to: 'skipped_no_email', by: 'gate', effect: '' },
  ineligible: { to: 'skipped_ineligible', by: 'gate', effect: '' },
  expired: { to: 'expired', by: 'gate; sweep', effect: '' },
} as const satisfies Record<string, Arrow>;

const requeued = {
  to: 'pending',
  by: 'operator',
  guard: 'no mail in doubt',
  effect: 'attempts = 0, lapses = 0, due now; a round that was begun is closed, the next has a new key',
} as const satisfies Arrow;

/**
 * Status → work event → arrow. `satisfies` below is the proof that every row is a status and every arrow ends
 * in one; a status without a row does not compile.
 */
export const arrows = {
  pending: {
    ...waiting,
    deferred: { to: 'pending', by: 'a paused run', effect: 'due later' },
  },
  failed_transient: {
    ...waiting,
    deferred: { to: 'failed_transient', by: 'a paused run', effect: 'due later' },
    requeued: { to: 'pending', by: 'operator', effect: 'attempts = 0, due now' },
  },
  claimed: {
    begun: {
      to: 'sending',
      by: 'dispatch',
      isFenced: true,
      effect:
        'the write-ahead: mail frozen, round, account and key window fixed, first_possible_accept_at = now',
    },
    deferred: {
      to: 'pending',
      by: 'dispatch (quiet hours, no permit, shutdown)',
      isFenced: true,
      effect: 'due later; nothing counted',
    },
    unsubscribed: { ...waiting.unsubscribed, effect: 'lease released' },
    address_suppressed: { ...waiting.address_suppressed, effect: 'lease released' },
    no_address: { ...waiting.no_address, isFenced: true, effect: 'lease released' },
    ineligible: { ...waiting.ineligible, isFenced: true, effect: 'lease released' },
    expired: { ...waiting.expired, isFenced: true, effect: 'lease released' },
    unsendable: {
      to: 'failed_permanent',
      by: 'compose (missing variable, bad address, body too big)',
      isFenced: true,
      countsAttempt: true,
      effect: '',
    },
    lapsed: { to: 'pending', by: 'sweep', guard: 'lease over', effect: 'lapses + 1; no attempt' },
    gave_up: {
      to: 'failed_permanent',
      by: 'sweep (five lapses, claimed alone)',
      guard: 'lease over',
      effect: '`crashes_worker`',
    },
  },
  sending: {
    deferred: {
      to: 'pending',
      by: 'dispatch (429, quota, 401 or 403, refused connection: known not accepted)',
      isFenced: true,
      effect: 'not counted; the doubt ends',
    },
    refused_for_now: {
      to: 'failed_transient',
      by: 'dispatch',
      isFenced: true,
      countsAttempt: true,
      effect: 'due by policy; the doubt ends',
    },
    gave_up: {
      to: 'failed_permanent',
      by: 'dispatch (refused for now, on the last attempt)',
      isFenced: true,
      countsAttempt: true,
      effect: 'the doubt ends',
    },
    refused_for_good: {
      to: 'failed_permanent',
      by: 'dispatch',
      isFenced: true,
      countsAttempt: true,
      effect: 'the doubt ends',
    },
    outcome_unknown: {
      to: 'reconciling',
      by: 'dispatch (time-out, 5xx, reset, 200 without id, 409 concurrent)',
      isFenced: true,
      countsAttempt: true,
      effect: 'due soon; a 409 concurrent is not counted',
    },
    key_conflict: {
      to: 'reconciling',
      by: 'dispatch (409: the key was used with another body)',
      isFenced: true,
      countsAttempt: true,
      effect: 'resubmission barred',
    },
    lease_expired: {
      to: 'reconciling',
      by: 'sweep',
      guard: 'lease over',
      countsAttempt: true,
      effect: 'lease released',
    },
  },
  reconciling: {
    taken_up: { to: 'reconciling', by: 'reconcile', guard: 'due', effect: 'lease + 1; due at lease end' },
    resubmitted: {
      to: 'reconciling',
      by: 'reconcile',
      isFenced: true,
      guard: 'within key window',
      effect: 'the same bytes under the same key',
    },
    still_unknown: {
      to: 'reconciling',
      by: 'reconcile (any answer but accepted)',
      isFenced: true,
      countsAttempt: true,
      effect: 'due by back-off; a look-up or wait that called no sender is not counted',
    },
    not_at_provider: {
      to: 'failed_transient',
      by: 'reconcile (complete look-up, after the indexing delay)',
      isFenced: true,
      effect: 'the doubt ends; same round, same key, same bytes; alert',
    },
    undecidable: { to: 'needs_review', by: 'reconcile', isFenced: true, effect: 'alert' },
    lease_expired: { to: 'reconciling', by: 'sweep', guard: 'lease over', effect: 'lease released' },
  },
  needs_review: {
    resolved_not_sent: {
      to: 'failed_transient',
      by: 'operator',
      effect: 'due now, attempts = 0; same round and key',
    },
    resolved_closed: {
      to: 'failed_permanent',
      by: 'operator',
      effect: 'the doubt stays on the row: it may have been sent',
    },
  },
  sent: {
    doubted: {
      to: 'reconciling',
      by: 'sweep (imported rows only)',
      guard: 'no evidence',
      effect: 'first_possible_accept_at = sent_at; alert',
    },
  },
  delivered: {},
  failed_permanent: { requeued },
  suppressed: { requeued },
  skipped_unsubscribed: { requeued },
  skipped_no_email: { requeued },
  skipped_ineligible: { requeued },
  expired: { requeued },
} as const satisfies Record<Status, Record<string, Arrow>>;

type EventsOf<Row> = Row extends unknown ? keyof Row : never;
export type WorkEvent = EventsOf<(typeof arrows)[Status]> & string;

export const workEvents = [
  ...new Set(Object.values(arrows).flatMap((row) => Object.keys(row))),
] as WorkEvent[];

export function arrow(status: Status, event: WorkEvent): Arrow | undefined {
  return (arrows[status] as Partial<Record<WorkEvent, Arrow>>)[event];
}

/** The statuses from which an event moves a row: what a compare-and-set lists. */
export function statusesBefore(event: WorkEvent): Status[] {
  return statusNames.filter((status) => arrow(status, event));
}

interface EvidenceFacts {
  /** Added to 4 × round; `'top'` ranks stand above every round. */
  rank: 1 | 2 | 3 | { top: number };
  next: Status;
  /** The provider had the mail: the delivery counts as told, whatever became of it later. */
  impliesAccepted: boolean;
  comesFrom: string;
}

export const evidenceEvents = {
  accepted: {
    rank: 1,
    next: 'sent',
    impliesAccepted: true,
    comesFrom: "the provider's answer, late or not; sent and delivery_delayed webhooks; look-up; operator",
  },
  bounced_for_now: {
    rank: 2,
    next: 'failed_transient',
    impliesAccepted: true,
    comesFrom: 'a bounce that is not permanent; a failure by quota',
  },
  provider_failed: {
    rank: 3,
    next: 'failed_permanent',
    impliesAccepted: false,
    comesFrom: 'a failed webhook with any other reason',
  },
  confirmed: {
    rank: { top: 1_000_000 },
    next: 'delivered',
    impliesAccepted: true,
    comesFrom: 'delivered, opened and clicked webhooks',
  },
  bounced_for_good: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: true,
    comesFrom: 'a permanent bounce',
  },
  complained: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: true,
    comesFrom: 'a complaint',
  },
  provider_suppressed: {
    rank: { top: 1_000_001 },
    next: 'suppressed',
    impliesAccepted: false,
    comesFrom: 'a suppressed webhook',
  },
} as const satisfies Record<string, EvidenceFacts>;

export type EvidenceEvent = keyof typeof evidenceEvents;

export const evidenceEventNames = Object.keys(evidenceEvents) as EvidenceEvent[];

/** Rounds whose ranks stay below the top ones; far more than any policy allows. */
const roundsLimit = 10_000;

export function rankOf(event: EvidenceEvent, round: number): number {
  if (!Number.isInteger(round) || round < 1 || round > roundsLimit) {
    throw new RangeError(`rankOf: round must be an integer from 1 to ${roundsLimit}, not ${round}`);
  }
  const { rank }: EvidenceFacts = evidenceEvents[event];
  return typeof rank === 'number' ? 4 * round + rank : rank.top;
}
