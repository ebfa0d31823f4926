import type { Database, Tx } from '../../../db/database.ts';
import type { ReviewJobRow } from '../../../db/reviews-schema.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import type { InTurn } from '../../../std/in-turn.ts';
import type { Log } from '../../../std/log.ts';
import { Refusal } from '../../../std/refusal.ts';
import { occasionOf, reviewSource } from '../occasion.ts';
import { differencesFrom } from './differences.ts';
import {
  holdChangelist,
  insertJob,
  insertRecipients,
  jobOfKey,
  latestJob,
  type ReviewJob,
  withRecipients,
} from './job-rows.ts';
import type { JobState } from './job-state.ts';
import {
  type ReadSubmission,
  readSubmission,
  type Submission,
  type SubmitRequest,
  submissionRefusal,
} from './submission.ts';

/**
 * A review comes in: its job, its recipients and their intents are one transaction, or there is nothing. A request that was made
 * before, or whose version is known, is answered with the job that there is; a version that is too late, or that nobody asked to be
 * told of again, is refused. Who is first is decided under the change list's lock, and where two use one key for different change
 * lists, by the key's own index.
 */
export interface SubmitAnswer {
  answer: (typeof submitAnswers)[number];
  job: ReviewJob;
  /** Names of fields: the request says something else than the job that answers it. */
  differences: readonly string[];
}

export const submitAnswers = [
  'created',
  'duplicate_idempotency',
  'already_succeeded_same_version',
  'already_running_same_version',
  'already_failed_same_version',
] as const;

export interface SubmitParts {
  db: Database;
  outbox: Outbox;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  log: Log;
  /** New deliveries are committed. */
  onSubmitted: () => void;
}

/** With how those wait who submit the same change list in this process. */
interface OwnParts extends SubmitParts {
  inTurn: InTurn;
}

export interface Submitter {
  by: string;
  traceId: string;
}

export async function submitReview(
  request: SubmitRequest,
  who: Submitter,
  parts: OwnParts,
): Promise<SubmitAnswer> {
  const { db, log } = parts;
  const read = readSubmission(request);
  const found = await findOrCreate(read, who, parts);
  const [job] = await withRecipients(db.read, db.dialect, [found.row]);
  if (!job) throw new Error('reviews: a job without itself');
  // By the job as it is shown: who reads both must not be told two things.
  const answer = found.answer === 'same_version' ? sameVersion[job.state] : found.answer;
  if (answer === 'created') parts.onSubmitted();
  const details = {
    jobId: job.row.job_id,
    version: job.row.review_version,
    recipients: job.recipients.length,
  };
  log.info('review.submitted', { answer, ...details, traceId: who.traceId });
  return { answer, job, differences: answer === 'created' ? [] : differencesFrom(job, read) };
}

type Found = { answer: 'created' | 'duplicate_idempotency' | 'same_version'; row: ReviewJobRow };

const sameVersion = {
  queued: 'already_running_same_version',
  in_progress: 'already_running_same_version',
  retryable_failed: 'already_running_same_version',
  succeeded: 'already_succeeded_same_version',
  failed: 'already_failed_same_version',
} as const satisfies Record<JobState, SubmitAnswer['answer']>;

/** A key that another transaction had is known by the time we have heard of it; who loses to two in a row has met a miracle. */
const triesMax = 3;

async function findOrCreate(
  { submission, problems }: ReadSubmission,
  who: Submitter,
  parts: OwnParts,
): Promise<Found> {
  const { db, ids, clock, inTurn } = parts;
  const jobId = ids.uuid();
  for (let tries = 0; tries < triesMax; tries++) {
    // First, and without a lock: most repeats come long after, and one with a bad address is a repeat as well.
    const known = await repeated(db, submission);
    if (known) return known;
    if (problems.length > 0) throw submissionRefusal(problems);
    // Whoever waits for the lock has a connection in hand: of those who wait for one change list, one at a time does.
    const order = { submission, jobId, who, now: clock.now() };
    const found = await inTurn(submission.changelistId, () =>
      db.transaction((tx) => decide(tx, order, parts)),
    );
    if (found) return found;
  }
  throw new Error('reviews: a key or a version is taken, and nobody has it');
}

async function repeated({ read }: Database, { idempotencyKey }: Submission): Promise<Found | undefined> {
  // Half of a character is stored as the sign for none: it would find the job of a key that has that sign.
  if (!idempotencyKey.isWellFormed()) return undefined;
  const row = await jobOfKey(read, idempotencyKey);
  return row && { answer: 'duplicate_idempotency', row };
}

interface Order {
  submission: Submission;
  jobId: string;
  who: Submitter;
  now: number;
}

/** In this order: the key, a version that is too late, the same version, a newer one. Undefined where somebody else was first. */
async function decide(tx: Tx, order: Order, parts: SubmitParts): Promise<Found | undefined> {
  const { submission, now } = order;
  const { changelistId, version, idempotencyKey, isRerun } = submission;
  const { dialect } = parts.db;
  await holdChangelist(tx, dialect, changelistId, now);
  const known = await jobOfKey(tx, idempotencyKey);
  if (known) return { answer: 'duplicate_idempotency', row: known };
  const latest = await latestJob(tx, changelistId);
  if (!latest) return create(tx, order, null, parts);
  if (version < latest.review_version) throw staleVersion(latest);
  if (version === latest.review_version) return { answer: 'same_version', row: latest };
  const [job] = await withRecipients(tx, dialect, [latest]);
  const hasSucceeded = job?.state === 'succeeded';
  if (hasSucceeded && !isRerun) throw rerunRequired(latest, version);
  return create(tx, order, latest.review_version, parts);
}

async function create(
  tx: Tx,
  { submission, jobId, who, now }: Order,
  previousVersion: number | null,
  { db, outbox }: SubmitParts,
): Promise<Found | undefined> {
  const { changelistId, version, locale, recipients } = submission;
  const row: ReviewJobRow = {
    ...{ job_id: jobId, idempotency_key: submission.idempotencyKey, changelist_id: changelistId },
    ...{ review_version: version, previous_version: previousVersion, is_rerun: submission.isRerun ? 1 : 0 },
    ...{ title: submission.title, url: submission.url, summary: submission.summary, locale },
    ...{ findings: JSON.stringify(submission.findings), findings_count: submission.findings.length },
    ...{ created_by: who.by, created_at: now, trace_id: who.traceId, forgotten_at: null },
  };
  if (!(await insertJob(tx, row))) return undefined;
  const made = await outbox.enqueue(
    recipients.map(({ recipient, address }) => ({
      ...{ source: reviewSource, occasion: occasionOf(changelistId, version), recipient, toEmail: address },
      ...{ lane: 'normal', traceId: who.traceId, ...(locale !== null && { locale }) },
    })),
    tx,
  );
  const linked = recipients.map((one, place) => ({ ...one, deliverySeq: made[place]?.seq ?? 0 }));
  await insertRecipients(tx, db.dialect, jobId, linked);
  return { answer: 'created', row };
}

function staleVersion({ review_version: latest, job_id }: ReviewJobRow): Refusal {
  const sentence = `This change list is at version ${latest} already, and an older one is told to nobody. Submit a version above ${latest}.`;
  return new Refusal('stale_review_version', sentence, { latest_version: latest, job_id });
}

function rerunRequired({ review_version: latest, job_id }: ReviewJobRow, version: number): Refusal {
  const sentence = `Version ${latest} of this change list has been told to all who must hear of it. To tell them of version ${version} as well, say "rerun": true.`;
  return new Refusal('rerun_required', sentence, { latest_version: latest, job_id });
}
