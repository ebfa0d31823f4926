import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { seqsOf } from '../../../db/dialect.ts';
import type { DeliveryRow } from '../../../db/schema.ts';
import { type Status, statuses, statusNames } from '../../../domain/status.ts';
import type { DeliveryError } from '../../../domain/transition.ts';
import type { OutboxQueries } from '../../../outbox/queries.ts';
import type { ReviewJob } from '../jobs/job-rows.ts';
import { reviewSource } from '../occasion.ts';
import { type Cause, causeOf } from './cause.ts';
import { codeOf, type Failures, readFailures } from './failures.ts';
import { sanitised } from './sanitised.ts';

/**
 * Dead letters: reviewers who have not heard and by themselves never will. A delivery that ended without its mail having arrived, or of
 * which nobody knows. Each says what went wrong and who can do something about it.
 */
export interface DeadLetter extends Cause {
  jobId: string;
  changelistId: string;
  version: number;
  recipient: string;
  isRequired: boolean;
  deliverySeq: number;
  /** Our status. */
  stage: Status;
  code: string;
  failures: number;
  firstFailedAt: number;
  lastFailedAt: number;
  /** It was tried again, and ended in the same way: an operator must decide. */
  isEscalated: boolean;
  /** Accepted by the provider all the same: it came back later. */
  notifiedAt: number | null;
  /** No addresses, no secrets. */
  context: { message: string | null; provider: string | null; attempts: number; rounds: number };
}

export interface DeadLetterPage {
  deadLetters: DeadLetter[];
  next: number | null;
}

/** What has ended otherwise than in somebody's mailbox, and what waits for a person. */
export const deadStatuses: readonly Status[] = statusNames.filter(
  (status) =>
    status === 'needs_review' || (statuses[status].isFinal && statuses[status].mailExists !== 'yes'),
);

interface DeadLetterParts {
  db: Database;
  queries: Pick<OutboxQueries, 'page'>;
}

/** Newest first. A page may be short although more follows: what arrived and was complained about is passed over. */
export async function readDeadLetters(
  { below, limit }: { below?: number | undefined; limit: number },
  { db, queries }: DeadLetterParts,
): Promise<DeadLetterPage> {
  const { rows, next } = await queries.page({
    ...{ source: reviewSource, status: deadStatuses, limit },
    ...(below !== undefined && { below }),
  });
  return { deadLetters: await deadAmong(rows, db), next };
}

/** Those of one job, for whoever asks about it: the caller is asked by them, too. By address. */
export async function deadLettersOf({ recipients }: ReviewJob, db: Database): Promise<DeadLetter[]> {
  const seqs = recipients
    .filter(({ status }) => deadStatuses.includes(status))
    .map(({ deliverySeq }) => deliverySeq);
  if (seqs.length === 0) return [];
  const rows = await db.read.selectFrom('deliveries').selectAll().where('seq', 'in', seqs).execute();
  const letters = await deadAmong(rows, db);
  return letters.sort((one, other) => (one.recipient < other.recipient ? -1 : 1));
}

async function deadAmong(rows: readonly DeliveryRow[], db: Database): Promise<DeadLetter[]> {
  const seqs = rows.map(({ seq }) => seq);
  const jobs = await readJobs(db, seqs);
  const failuresOf = await readFailures(db.read, db.dialect, seqs);
  return rows.flatMap((row) => {
    const job = jobs.get(row.seq);
    const failures = failuresOf(row.seq);
    return job && isDead(row, failures) ? [deadLetterOf(row, job, failures)] : [];
  });
}

/** Whoever complained has got it. */
export function isDead(row: Pick<DeliveryRow, 'status' | 'delivered_at'>, { hasArrived }: Failures): boolean {
  return deadStatuses.includes(row.status) && row.delivered_at === null && !hasArrived;
}

interface JobOf {
  delivery_seq: number;
  job_id: string;
  changelist_id: string;
  review_version: number;
  is_required: number;
}

async function readJobs(db: Database, seqs: readonly number[]): Promise<ReadonlyMap<number, JobOf>> {
  if (seqs.length === 0) return new Map();
  const input = seqsOf(db.dialect, seqs);
  const { rows } = await sql<JobOf>`
    SELECT recipients.delivery_seq, recipients.job_id, recipients.is_required, jobs.changelist_id, jobs.review_version
    FROM ${input} JOIN review_job_recipients AS recipients ON recipients.delivery_seq = input.seq
    JOIN review_jobs AS jobs ON jobs.job_id = recipients.job_id
  `.execute(db.read);
  return new Map(rows.map((row) => [row.delivery_seq, row]));
}

function deadLetterOf(row: DeliveryRow, job: JobOf, failures: Failures): DeadLetter {
  const lastError = row.last_error === null ? null : (JSON.parse(row.last_error) as DeliveryError);
  // Retention keeps stories; where there is none all the same, the row says what is left.
  const ending = failures.ending ?? { event: row.status, from: null, error: lastError };
  const error = ending.error ?? lastError;
  const cause = causeOf(ending);
  return {
    ...{ jobId: job.job_id, changelistId: job.changelist_id, version: job.review_version },
    ...{
      recipient: row.recipient,
      isRequired: job.is_required === 1,
      deliverySeq: row.seq,
      stage: row.status,
    },
    ...{ ...cause, asks: failures.isEscalated ? 'operator' : cause.asks, code: codeOf(ending) },
    ...{ failures: Math.max(1, failures.count), isEscalated: failures.isEscalated, notifiedAt: row.sent_at },
    firstFailedAt: failures.firstAt ?? row.created_at,
    lastFailedAt: failures.lastAt ?? row.created_at,
    context: {
      ...{ message: error?.message ? sanitised(error.message) : null, provider: error?.provider ?? null },
      ...{ attempts: row.attempts, rounds: row.round },
    },
  };
}
