import { type Status, statusNames } from './status.ts';

/**
 * The life cycle of a delivery, as data. The types, the outbox's compare-and-set, the diagram in the docs and the tests all
 * come from here; `transition.ts` applies it. Nothing else in the program decides what may follow a status.
 *
 * Two kinds of events move a delivery. **Work events** are what we do: they follow `arrows`, and a cell that is not listed
 * changes nothing. **Evidence events** (`evidence.ts`) are what the provider says: they carry a rank, from every status.
 */

export interface Arrow {
  to: Status;
  by: string;
  /** The write carries the lease number, so that a worker which wakes up late changes nothing. */
  isFenced?: true;
  /**
   * An attempt ends here: attempts + 1, unless the report says that it was none (409 concurrent). A last verdict of the gate
   * on what a worker holds is one (000-62, 004-52); consent's own hand is none.
   */
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

const verdict = { countsAttempt: true, effect: 'lease released; an attempt, if the gate says so' } as const;

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
    unsubscribed: { ...waiting.unsubscribed, ...verdict },
    address_suppressed: { ...waiting.address_suppressed, ...verdict },
    no_address: { ...waiting.no_address, isFenced: true, ...verdict },
    ineligible: { ...waiting.ineligible, isFenced: true, ...verdict },
    expired: { ...waiting.expired, isFenced: true, ...verdict },
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
      by: 'dispatch (409: the key was used with another body; no attempt where we saw that ourselves)',
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
    taken_up: {
      to: 'reconciling',
      by: 'reconcile',
      guard: 'due',
      effect: 'lease + 1; due at lease end; an operator may have it done early, if nobody holds it',
    },
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
    key_conflict: {
      to: 'reconciling',
      by: 'reconcile (409: the key was used with another body; no attempt where we saw that ourselves)',
      isFenced: true,
      countsAttempt: true,
      effect: 'resubmission barred',
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
  skipped_unsubscribed: {
    requeued,
    resumed: {
      to: 'pending',
      by: 'consent (the unsubscribe is taken back)',
      effect: 'due as it was; evidence, round and attempts as they were: what may leave is the same mail',
    },
  },
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
