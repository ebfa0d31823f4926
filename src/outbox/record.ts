import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { seqsInBlocks } from '../db/in-blocks.ts';
import type { Address } from '../domain/address.ts';
import { evidenceEvents } from '../domain/evidence.ts';
import type { Status } from '../domain/status.ts';
import {
  applyEvidence,
  applyWork,
  type EvidenceReport,
  type Transition,
  type WorkReport,
} from '../domain/transition.ts';
import type { Log } from '../std/log.ts';
import { countMoves, type Move } from './counts.ts';
import { type FactListeners, factsOf, factsOfRefusal, tellFacts } from './facts.ts';
import { keepMessageIds } from './mails.ts';
import { type RoundsLeft, roundsLeftOf, roundsMaxOf } from './rounds-left.ts';
import { type LockedDelivery, lockAsKnown, lockDeliveries } from './rows.ts';
import { type StoryEvent, storyOf, writeStory } from './story.ts';
import { isFurtherWord, type Learnt, withAddresses, wordsTold } from './suppressing.ts';
import { type ChangedDelivery, type Frozen, writeDeliveries } from './write-rows.ts';

/** What somebody reports about one delivery: work that was done, or evidence that came in. */
export type Report = (WorkReport | EvidenceReport) & {
  seq: number;
  /** Said by whoever had the row in hand: in a database that went back in time the number may be another delivery's. */
  id?: string;
  /** The row's own, for whoever follows its path. */
  traceId?: string | null;
  /** Who says so: a worker's name, `sweep`, `webhook`, `operator …`. */
  actor: string;
  /** Goes into the story; never an address or a token. */
  detail?: Readonly<Record<string, unknown>>;
  /** What is fixed beside the state: by `begun`, where this round has no mail yet, and the address of who said no. */
  frozen?: Frozen;
  /** Evidence only: to whom the mail went by the provider's word, for when we have forgotten it. */
  address?: Address;
  /** The row as whoever reports has written it last. */
  known?: LockedDelivery | undefined;
};

export interface Recorded {
  seq: number;
  changed: boolean;
  /** After the report; null when there is no such delivery. */
  status: Status | null;
  lease: number;
  /** Why nothing changed: an answer, not an error. */
  why?: Extract<Transition, { changed: false }>['why'] | 'no such delivery' | 'forgotten';
  /** Word came that suppresses an address, and nobody knows which: nothing stands on the list. */
  isAddressLost?: true;
}

export interface RecordParts {
  dialect: DialectName;
  listeners: FactListeners;
  log: Log;
  /** How long a mail's fate may stay untold before the provider is asked; null where it cannot be. */
  healAfterMs?: number | null;
}

/**
 * What workers and providers bring, in one transaction: each report gets an answer, in the same order, and what changes nothing is
 * answered with the reason. Evidence is never refused for being late; a worker whose lease is over moves nothing.
 */
export async function recordReports(
  tx: Tx,
  reports: readonly Report[],
  now: number,
  parts: RecordParts,
): Promise<Recorded[]> {
  if (reports.length === 0) return [];
  const rows = await lockAsKnown(tx, parts.dialect, reports);
  const moved = await movedAmong(tx, parts.dialect, reports, rows);
  if (moved.size === 0) return applyReports(tx, rows, reports, now, parts);
  const more = await lockDeliveries(tx, parts.dialect, [...moved.values()]);
  const renumbered = reports.map((report) => ({ ...report, seq: moved.get(report.id ?? '') ?? report.seq }));
  return applyReports(tx, [...rows, ...more], renumbered, now, parts);
}

/** After a database went back in time the same delivery may have come again under another number; what was heard of it stays true. */
async function movedAmong(
  tx: Tx,
  dialect: DialectName,
  reports: readonly Report[],
  rows: readonly LockedDelivery[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map(rows.map(({ seq, id }) => [seq, id]));
  const ids = reports.flatMap(({ seq, id }) => (id !== undefined && numbers.get(seq) !== id ? [id] : []));
  if (ids.length === 0) return new Map();
  return seqsInBlocks(tx, dialect, 'id', ids);
}

/** On rows that this transaction has locked: pure decisions, then one write, the story, and the facts. */
export async function applyReports(
  tx: Tx,
  rows: readonly LockedDelivery[],
  reports: readonly Report[],
  now: number,
  { dialect, listeners, log, healAfterMs = null }: RecordParts,
): Promise<Recorded[]> {
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  const changes = new Map<number, ChangedDelivery>();
  const story: StoryEvent[] = [];
  const learnt: Learnt[] = [];
  const roundsLeft = await roundsLeftOf(tx, dialect, reports);
  const told = await wordsTold(tx, dialect, reports);
  const answers = reports.map((report): Recorded => {
    const row = rowOf(report, bySeq);
    if (!row) return { seq: report.seq, changed: false, status: null, lease: 0, why: 'no such delivery' };
    if (isOthers(report, row)) {
      const { status, lease } = row.state;
      return { seq: report.seq, changed: false, status, lease, why: 'lease lost' };
    }
    const found = isEvidence(report)
      ? applyEvidence(row.state, completed(report, row, roundsLeft, healAfterMs, now))
      : applyWork(row.state, report, now);
    const isFurther = isEvidence(report) && isFurtherWord(report, row.state, found, told);
    const result: Transition = isFurther && !found.changed ? { changed: true, state: row.state } : found;
    const after = result.changed ? result.state : row.state;
    story.push(...storyOf(isFurther ? withItsError(report) : report, row.state, result, now));
    const answer = { seq: report.seq, status: after.status, lease: after.lease };
    if (!result.changed) return { ...answer, changed: false, why: result.why };
    const facts = isEvidence(report)
      ? factsOf(row, after, report, isFurther)
      : report.event === 'refused_for_good'
        ? factsOfRefusal(row, report.error?.code ?? '', now)
        : [];
    const { round } = isEvidence(report) ? report : after;
    learnt.push(...facts.map((fact) => ({ fact, round, address: report.address ?? null })));
    const { before = row.state, frozen } = changes.get(row.seq) ?? {};
    const fixed = report.frozen ?? frozen;
    changes.set(row.seq, {
      ...{ seq: row.seq, id: row.id, toEmailBefore: row.toEmail, before, after },
      ...(fixed && { frozen: fixed }),
    });
    // Several reports about one delivery in a batch are applied one after the other and written once.
    row.state = after;
    return { ...answer, changed: true };
  });
  await writeDeliveries(tx, dialect, [...changes.values()]);
  await countMoves(tx, dialect, movesOf(changes, bySeq));
  await keepMessageIds(tx, dialect, [...earlierIds(reports, bySeq), ...replacedIds(changes)]);
  await writeStory(tx, dialect, story);
  const facts = await withAddresses(tx, dialect, learnt);
  await tellFacts(tx, facts, { dialect, listeners, log, now });
  const lost = facts.filter(({ kind, delivery }) => kind === 'suppressed' && delivery.toEmail === null);
  for (const { event, delivery } of lost) {
    log.warn('suppression.address_lost', { deliveryId: delivery.id, traceId: delivery.traceId, event });
  }
  const isLost = new Set(lost.map(({ delivery }) => delivery.seq));
  return answers.map((answer) => (isLost.has(answer.seq) ? { ...answer, isAddressLost: true } : answer));
}

function rowOf(
  { seq, id }: Pick<Report, 'seq' | 'id'>,
  rows: ReadonlyMap<number, LockedDelivery>,
): LockedDelivery | undefined {
  const row = rows.get(seq);
  return id === undefined || row?.id === id ? row : undefined;
}

/** The number alone would do, if a database never went back in time and gave out the same number once more. */
function isOthers(report: Report, { state: { lockedBy } }: LockedDelivery): boolean {
  return !isEvidence(report) && report.lease !== undefined && lockedBy !== null && lockedBy !== report.actor;
}

function isEvidence(report: Report): report is Extract<Report, EvidenceReport> {
  return report.event in evidenceEvents;
}

/** With what the row and its story add to what was said. */
function completed(
  report: Extract<Report, EvidenceReport>,
  row: LockedDelivery,
  roundsLeft: ReadonlyMap<number, RoundsLeft>,
  healAfterMs: number | null,
  now: number,
): EvidenceReport {
  const left = roundsLeft.get(row.seq);
  const asked = withQuestion(report, row, healAfterMs, now);
  return left ? { ...asked, roundsMax: roundsMaxOf(report, left) } : asked;
}

/** The row keeps the error of the word that moved it; a further one has its own. */
function withItsError(report: Report): Report {
  return report.error ? { ...report, detail: { error: report.error, ...report.detail } } : report;
}

/** Whoever learnt that it was accepted: if no word of its fate comes, the provider is asked. It knows mails by its own ids. */
function withQuestion(
  report: Extract<Report, EvidenceReport>,
  { state }: LockedDelivery,
  healAfterMs: number | null,
  now: number,
): EvidenceReport {
  if (report.event !== 'accepted' || healAfterMs === null) return report;
  const isNamed = (report.messageId ?? state.providerMessageId) !== null;
  return isNamed ? { ...report, dueAt: now + healAfterMs } : report;
}

function movesOf(changes: ReadonlyMap<number, ChangedDelivery>, rows: ReadonlyMap<number, LockedDelivery>) {
  return [...changes.values()].map(
    ({ seq, before, after }): Move => ({
      source: rows.get(seq)?.source ?? '',
      before: before.status,
      after: after.status,
    }),
  );
}

/** Late evidence about a round that is over: the provider's id belongs to that round's mail. */
function earlierIds(reports: readonly Report[], rows: ReadonlyMap<number, LockedDelivery>) {
  return reports.flatMap((report) => {
    if (!isEvidence(report) || report.messageId === undefined) return [];
    const isEarlier = report.round < (rowOf(report, rows)?.state.round ?? 0);
    return isEarlier ? [{ seq: report.seq, round: report.round, messageId: report.messageId }] : [];
  });
}

/** A new round has begun: the id on the row was the last round's. */
function replacedIds(changes: ReadonlyMap<number, ChangedDelivery>) {
  return [...changes.values()].flatMap(({ seq, before, after }) =>
    after.round > before.round && before.providerMessageId !== null
      ? [{ seq, round: before.round, messageId: before.providerMessageId }]
      : [],
  );
}
