import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
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
import { type Fact, type FactListeners, factsOf, factsOfRefusal, tellFacts } from './facts.ts';
import { keepMessageIds } from './mails.ts';
import {
  type ChangedDelivery,
  type Frozen,
  type LockedDelivery,
  lockDeliveries,
  writeDeliveries,
} from './rows.ts';
import { type StoryEvent, storyOf, writeStory } from './story.ts';

/** What somebody reports about one delivery: work that was done, or evidence that came in. */
export type Report = (WorkReport | EvidenceReport) & {
  seq: number;
  /** Who says so: a worker's name, `sweep`, `webhook`, `operator …`. */
  actor: string;
  /** Goes into the story; never an address or a token. */
  detail?: Readonly<Record<string, unknown>>;
  /** What is fixed beside the state: by `begun`, where this round has no mail yet, and the address of who said no. */
  frozen?: Frozen;
};

export interface Recorded {
  seq: number;
  changed: boolean;
  /** After the report; null when there is no such delivery. */
  status: Status | null;
  lease: number;
  /** Why nothing changed: an answer, not an error. */
  why?: Extract<Transition, { changed: false }>['why'] | 'no such delivery' | 'forgotten';
}

export interface RecordParts {
  dialect: DialectName;
  listeners: FactListeners;
  log: Log;
  /** How long a mail's fate may stay untold before the provider is asked; null where it cannot be. */
  healAfterMs?: number | null;
}

export async function recordReports(
  tx: Tx,
  reports: readonly Report[],
  now: number,
  parts: RecordParts,
): Promise<Recorded[]> {
  if (reports.length === 0) return [];
  const rows = await lockDeliveries(
    tx,
    parts.dialect,
    reports.map(({ seq }) => seq),
  );
  return applyReports(tx, rows, reports, now, parts);
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
  const facts: Fact[] = [];
  const answers = reports.map((report): Recorded => {
    const row = bySeq.get(report.seq);
    if (!row) return { seq: report.seq, changed: false, status: null, lease: 0, why: 'no such delivery' };
    const result = isEvidence(report)
      ? applyEvidence(row.state, withQuestion(report, row, healAfterMs, now))
      : applyWork(row.state, report, now);
    const after = result.changed ? result.state : row.state;
    story.push(...storyOf(report, row.state, result, now));
    const answer = { seq: report.seq, status: after.status, lease: after.lease };
    if (!result.changed) return { ...answer, changed: false, why: result.why };
    if (isEvidence(report)) facts.push(...factsOf(row, after, report.event, report.at));
    else if (report.event === 'refused_for_good') {
      facts.push(...factsOfRefusal(row, report.error?.code ?? '', now));
    }
    const { before = row.state, frozen } = changes.get(row.seq) ?? {};
    const fixed = report.frozen ?? frozen;
    changes.set(row.seq, { seq: row.seq, before, after, ...(fixed && { frozen: fixed }) });
    // Several reports about one delivery in a batch are applied one after the other and written once.
    row.state = after;
    return { ...answer, changed: true };
  });
  await writeDeliveries(tx, dialect, [...changes.values()]);
  await countMoves(tx, dialect, movesOf(changes, bySeq));
  await keepMessageIds(tx, dialect, [...earlierIds(reports, bySeq), ...replacedIds(changes)]);
  await writeStory(tx, dialect, story);
  await tellFacts(tx, facts, { dialect, listeners, log, now });
  return answers;
}

function isEvidence(report: Report): report is Extract<Report, EvidenceReport> {
  return report.event in evidenceEvents;
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
    const isEarlier = report.round < (rows.get(report.seq)?.state.round ?? 0);
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
