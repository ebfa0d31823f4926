import { type EvidenceEvent, evidenceEvents, rankOf } from './evidence.ts';
import { type Arrow, arrow, type WorkEvent } from './lifecycle.ts';
import type { Status } from './status.ts';

/**
 * The life cycle applied: pure functions from a delivery's state and what was reported to its next state, or to
 * an answer why nothing changes. The outbox reads rows under a lock, asks here, and writes what comes back.
 */
export interface DeliveryState {
  status: Status;
  evidence: number;
  round: number;
  attempts: number;
  lapses: number;
  lease: number;
  dueAt: number | null;
  lockedBy: string | null;
  lockedAt: number | null;
  account: string | null;
  firstPossibleAcceptAt: number | null;
  resubmitUntil: number | null;
  lastAttemptAt: number | null;
  sentAt: number | null;
  deliveredAt: number | null;
  providerMessageId: string | null;
  lastError: DeliveryError | null;
}

/** Additive JSON: readers ignore fields they do not know, and no field changes its meaning (000-86). */
export interface DeliveryError {
  code: string;
  message?: string;
  provider?: string;
  retryAfterSeconds?: number;
}

export interface WorkReport {
  event: Exclude<WorkEvent, 'claimed'>;
  /** The number of the lease under which the reporter works; fenced arrows demand the present one. */
  lease?: number;
  /** When somebody must look at the row next; for `taken_up`, the end of the new lease. */
  dueAt?: number;
  error?: DeliveryError;
  /** False for what ended no sender call: 409 concurrent, a look-up without an answer, a mail of ours that is under way with the same key. */
  isAttempt?: boolean;
  worker?: string;
  /** `begun`: who holds the mail from now on; `resubmitted`: to whom it goes again. */
  account?: string;
  /** `begun` only: until when the provider knows the key; null where it has none. */
  resubmitUntil?: number | null;
}

export interface EvidenceReport {
  event: EvidenceEvent;
  round: number;
  /** When it happened by the provider's clock. */
  at: number;
  messageId?: string;
  error?: DeliveryError;
  /** Who has the mail, where nobody knew: an imported row may not say. */
  account?: string;
  /** Where a new round follows: when it is due. `accepted`: when to ask what became of it, if no word has come by then. */
  dueAt?: number;
  /** Where a new round follows: how many there may be. */
  roundsMax?: number;
}

export type Transition =
  | { changed: true; state: DeliveryState }
  | { changed: false; why: 'no arrow' | 'lease lost' | 'guard' | 'contradicts' | 'nothing new' };

const unchanged = (why: Extract<Transition, { changed: false }>['why']): Transition => ({
  changed: false,
  why,
});

export function applyWork(before: DeliveryState, report: WorkReport, now: number): Transition {
  const path = arrow(before.status, report.event);
  if (!path) return unchanged('no arrow');
  // Whoever speaks as a holder must be the holder, also where others may take the same arrow without a lease: a worker that
  // wakes up late must not move a row that has gone back to wait.
  const isHeld = report.lease === before.lease && before.lockedBy !== null;
  if ((path.isFenced || report.lease !== undefined) && !isHeld) return unchanged('lease lost');
  if (!guardHolds(path.guard, before, report, now)) return unchanged('guard');

  const state: DeliveryState = { ...before, status: path.to, ...effectOf(report, before, now) };
  if (path.countsAttempt && report.isAttempt !== false) state.attempts += 1;
  if (path.countsAttempt) state.lapses = 0;
  if (report.error) state.lastError = bounded(report.error);
  return { changed: true, state };
}

const messageLengthMax = 1000;

/**
 * Providers explain themselves at any length; the row keeps the beginning. Whole characters only: half of one is JSON that
 * PostgreSQL refuses to read, and then for all rows of a question.
 */
function bounded(error: DeliveryError): DeliveryError {
  const { code, message } = error;
  if (message === undefined) return { ...error, code: code.toWellFormed() };
  const short = message.length > messageLengthMax ? `${message.slice(0, messageLengthMax)}…` : message;
  return { ...error, code: code.toWellFormed(), message: short.toWellFormed() };
}

function guardHolds(guard: Arrow['guard'], state: DeliveryState, report: WorkReport, now: number): boolean {
  switch (guard) {
    case undefined:
      return true;
    case 'due':
      return state.dueAt !== null && state.dueAt <= now;
    case 'lease over':
      return state.lockedBy !== null && state.dueAt !== null && state.dueAt <= now;
    case 'no mail in doubt':
      return state.firstPossibleAcceptAt === null;
    case 'within key window':
      return canResubmit(state, report.account);
    case 'no evidence':
      return state.evidence === 0 && state.providerMessageId === null;
  }
}

/** The same key may go out once more: to the account that holds the round, and only while it knows the key. */
function canResubmit(state: DeliveryState, account: string | undefined): boolean {
  if (state.resubmitUntil === null || state.dueAt === null || state.account !== account) return false;
  // The end of the lease, not now: it is the last instant at which bytes can leave.
  return state.dueAt < state.resubmitUntil;
}

const released = { lockedBy: null, lockedAt: null } as const;
const settled = { firstPossibleAcceptAt: null, resubmitUntil: null } as const;
const closed = { ...released, dueAt: null } as const;

function effectOf(report: WorkReport, before: DeliveryState, now: number): Partial<DeliveryState> {
  const dueAt = report.dueAt ?? now;
  switch (report.event) {
    case 'begun':
      return begin(report, before, now);
    case 'deferred':
    case 'refused_for_now':
      return { ...released, ...settled, dueAt };
    case 'lapsed':
      return { ...released, dueAt, lapses: before.lapses + 1 };
    case 'unsubscribed':
    case 'address_suppressed':
    case 'no_address':
    case 'ineligible':
    case 'expired':
    case 'unsendable':
    case 'gave_up':
    case 'refused_for_good':
      return { ...closed, ...settled };
    case 'outcome_unknown':
    case 'lease_expired':
    case 'still_unknown':
      return { ...released, dueAt };
    case 'key_conflict':
      return { ...released, dueAt, resubmitUntil: null };
    case 'taken_up':
      return { lease: before.lease + 1, lockedBy: report.worker ?? null, lockedAt: now, dueAt };
    case 'resubmitted':
      return { lastAttemptAt: now };
    case 'not_at_provider':
      // An imported row that claimed to be sent without evidence is now known not to be (003-8.2-8).
      return { ...released, ...settled, dueAt, ...(before.evidence === 0 && { sentAt: null }) };
    case 'undecidable':
    case 'resolved_closed':
      return closed;
    case 'resolved_not_sent':
      return { ...settled, dueAt: now, attempts: 0, ...(before.evidence === 0 && { sentAt: null }) };
    case 'doubted':
      return { firstPossibleAcceptAt: before.sentAt, dueAt };
    case 'resumed':
      return { dueAt };
    case 'requeued':
      return requeue(before, now);
  }
}

function begin(report: WorkReport, before: DeliveryState, now: number): Partial<DeliveryState> {
  const round = nextRound(before);
  return {
    round,
    evidence: Math.max(before.evidence, 4 * round),
    account: report.account ?? null,
    resubmitUntil: report.resubmitUntil ?? null,
    firstPossibleAcceptAt: now,
    lastAttemptAt: now,
    // Attempts are per round, and so is the provider's id: the earlier round's stays with its mail.
    ...(round > before.round && { attempts: 0, providerMessageId: null }),
  };
}

/** The round that the next `begun` opens or reopens; a reopened round keeps its key and its bytes. */
export function nextRound({ evidence }: Pick<DeliveryState, 'evidence'>): number {
  if (evidence === 0) return 1;
  const last = Math.floor(evidence / 4);
  return evidence % 4 === 0 ? last : last + 1;
}

function requeue(before: DeliveryState, now: number): Partial<DeliveryState> {
  const restart = { ...released, dueAt: now, attempts: 0, lapses: 0, lastError: null };
  if (before.status === 'failed_transient') return restart;
  // The operator closes the round: late evidence about it is a fact and no longer moves the row, but for the top ranks. Those
  // are about the address: an old bounce for good that is told again, as another event, suppresses it again.
  return { ...restart, evidence: before.round >= 1 ? 4 * before.round + 3 : 0 };
}

export function applyEvidence(before: DeliveryState, report: EvidenceReport): Transition {
  const rank = rankOf(report.event, report.round);
  if (contradicts(before, report)) return unchanged('contradicts');
  const wins = rank > before.evidence || isTheLastWord(before, report, rank);
  const state: DeliveryState = {
    ...before,
    ...factsOf(before, report),
    ...(wins && verdictOf(before, report, rank)),
  };
  return wins || isNew(before, state) ? { changed: true, state } : unchanged('nothing new');
}

/** A bounce and a full quota have one rank. Where only one of them is the end it holds, whichever came first. */
function isTheLastWord(before: DeliveryState, report: EvidenceReport, rank: number): boolean {
  return rank === before.evidence && before.status === 'failed_transient' && isLastRound(report);
}

/** Of what would open a new round, where there is to be none. */
function isLastRound({ event, round, roundsMax = 1 }: EvidenceReport): boolean {
  return evidenceEvents[event].next === 'failed_transient' && round >= roundsMax;
}

function contradicts(before: DeliveryState, { round, messageId }: EvidenceReport): boolean {
  if (messageId === undefined || before.providerMessageId === null) return false;
  return round === before.round && messageId !== before.providerMessageId;
}

/** Facts do not depend on rank; the earliest time wins, so that they do not depend on order either. */
function factsOf(before: DeliveryState, report: EvidenceReport): Partial<DeliveryState> {
  const round = Math.max(before.round, report.round);
  const facts: Partial<DeliveryState> = { round };
  if (evidenceEvents[report.event].impliesAccepted) facts.sentAt = earliest(before.sentAt, report.at);
  if (before.account === null && report.account !== undefined) facts.account = report.account;
  if (report.event === 'confirmed') facts.deliveredAt = earliest(before.deliveredAt, report.at);
  // The row carries the id of its latest round; an earlier round's stays with that round's mail.
  if (report.round === round && (report.messageId !== undefined || round > before.round)) {
    facts.providerMessageId = report.messageId ?? null;
  }
  return facts;
}

function earliest(known: number | null, at: number): number {
  return known === null ? at : Math.min(known, at);
}

function verdictOf(before: DeliveryState, report: EvidenceReport, rank: number): Partial<DeliveryState> {
  const next: Status = isLastRound(report) ? 'failed_permanent' : evidenceEvents[report.event].next;
  return {
    ...closed,
    ...settled,
    evidence: rank,
    status: next,
    dueAt: dueAfter(next, report),
    lastError: report.error ? bounded(report.error) : null,
    // Evidence that reaches a row in `sending` closes the attempt; the worker's own record then finds it closed.
    ...(before.status === 'sending' && { attempts: before.attempts + 1, lapses: 0 }),
  };
}

/** A new round waits for its time; of what was accepted somebody may ask later; everything else waits for nobody. */
function dueAfter(next: Status, { dueAt, at }: EvidenceReport): number | null {
  if (next === 'failed_transient') return dueAt ?? at;
  return next === 'sent' ? (dueAt ?? null) : null;
}

function isNew(before: DeliveryState, after: DeliveryState): boolean {
  return (
    before.sentAt !== after.sentAt ||
    before.deliveredAt !== after.deliveredAt ||
    before.providerMessageId !== after.providerMessageId ||
    before.round !== after.round
  );
}
