import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, forUpdate, rowsOf } from '../../../db/dialect.ts';
import type { ReviewJobRow } from '../../../db/reviews-schema.ts';
import type { Status } from '../../../domain/status.ts';
import type { DeliveryError } from '../../../domain/transition.ts';
import type { Finding } from '../mail/review-props.ts';
import { type JobState, jobState } from './job-state.ts';

/** The rows of jobs, with their recipients as their deliveries stand. */
type Executor = Tx | Database['read'];

/** Without its findings, which are large, and which nobody reads in a list. */
export type JobHead = Omit<ReviewJobRow, 'findings'>;

const headColumns = [
  ...([
    'job_id',
    'idempotency_key',
    'changelist_id',
    'review_version',
    'previous_version',
    'is_rerun',
  ] as const),
  ...([
    'title',
    'url',
    'summary',
    'findings_count',
    'locale',
    'created_by',
    'created_at',
    'trace_id',
    'forgotten_at',
  ] as const),
] as const satisfies readonly (keyof JobHead)[];

export interface JobStanding<Row extends JobHead = JobHead> {
  row: Row;
  recipients: readonly JobRecipient[];
  state: JobState;
}

export type ReviewJob = JobStanding<ReviewJobRow>;

export const findingsOf = ({ row }: ReviewJob) => JSON.parse(row.findings) as Finding[];

export interface JobRecipient {
  recipient: string;
  isRequired: boolean;
  deliverySeq: number;
  deliveryId: string;
  status: Status;
  claims: number;
  attempts: number;
  sentAt: number | null;
  notificationId: string | null;
  lastError: DeliveryError | null;
}

/** Whoever has it is the only one who submits for this change list, until the transaction ends. */
export async function holdChangelist(
  tx: Tx,
  dialect: DialectName,
  changelistId: string,
  now: number,
): Promise<void> {
  await sql`
    INSERT INTO review_changelists (changelist_id, created_at) VALUES (${changelistId}, ${now}) ON CONFLICT DO NOTHING
  `.execute(tx);
  await sql`
    SELECT changelist_id FROM review_changelists WHERE changelist_id = ${changelistId} ${forUpdate(dialect)}
  `.execute(tx);
}

export const jobOfKey = (executor: Executor, key: string) =>
  executor.selectFrom('review_jobs').selectAll().where('idempotency_key', '=', key).executeTakeFirst();

export const jobOfId = (executor: Executor, jobId: string) =>
  executor.selectFrom('review_jobs').selectAll().where('job_id', '=', jobId).executeTakeFirst();

export const latestJob = (executor: Executor, changelistId: string) =>
  executor
    .selectFrom('review_jobs')
    .selectAll()
    .where('changelist_id', '=', changelistId)
    .orderBy('review_version', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Those of them that there are, in the same order. */
export async function headsOf(
  executor: Executor,
  dialect: DialectName,
  jobIds: readonly string[],
): Promise<JobHead[]> {
  const input = rowsOf(
    dialect,
    { job_id: 'text' },
    jobIds.map((job_id) => ({ job_id })),
  );
  const heads = await executor
    .selectFrom('review_jobs')
    .select(headColumns)
    .where('job_id', 'in', sql<string>`(SELECT job_id FROM ${input})`)
    .execute();
  const byId = new Map(heads.map((head) => [head.job_id, head]));
  return jobIds.flatMap((jobId) => byId.get(jobId) ?? []);
}

/** False where another job has its key, or is that version: the table's own word, and the last one. */
export async function insertJob(tx: Tx, row: ReviewJobRow): Promise<boolean> {
  const made = await tx
    .insertInto('review_jobs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('job_id')
    .execute();
  return made.length > 0;
}

export async function insertRecipients(
  tx: Tx,
  dialect: DialectName,
  jobId: string,
  recipients: readonly { recipient: string; isRequired: boolean; deliverySeq: number }[],
): Promise<void> {
  const columns = { recipient: 'text', is_required: 'number', delivery_seq: 'number' } as const;
  const rows = recipients.map(({ recipient, isRequired, deliverySeq }) => ({
    ...{ recipient, is_required: isRequired ? 1 : 0, delivery_seq: deliverySeq },
  }));
  await sql`
    INSERT INTO review_job_recipients (job_id, recipient, is_required, delivery_seq)
    SELECT ${jobId}, recipient, is_required, delivery_seq FROM ${rowsOf(dialect, columns, rows)}
  `.execute(tx);
}

/** Many at once, in the same order. */
export async function withRecipients<Row extends JobHead>(
  executor: Executor,
  dialect: DialectName,
  rows: readonly Row[],
): Promise<JobStanding<Row>[]> {
  const all = await recipientsOf(
    executor,
    dialect,
    rows.map(({ job_id }) => job_id),
  );
  return rows.map((row) => {
    const recipients = all.get(row.job_id) ?? [];
    return { row, recipients, state: jobState(recipients) };
  });
}

/**
 * The recipients of the jobs of `input`, job by job. PostgreSQL is told to: of some hundred jobs it would read the whole table, as long as
 * that seems small, and a list that is asked for every few seconds should not grow slower until it changes its mind.
 */
export const joinRecipients = (dialect: DialectName) =>
  dialect === 'postgres'
    ? sql`CROSS JOIN LATERAL (SELECT * FROM review_job_recipients AS own WHERE own.job_id = input.job_id OFFSET 0) AS recipients`
    : sql`JOIN review_job_recipients AS recipients ON recipients.job_id = input.job_id`;

interface RecipientRow {
  job_id: string;
  recipient: string;
  is_required: number;
  delivery_seq: number;
  id: string;
  status: Status;
  claims: number;
  attempts: number;
  sent_at: number | null;
  notification_id: string | null;
  last_error: string | null;
}

async function recipientsOf(
  executor: Executor,
  dialect: DialectName,
  jobIds: readonly string[],
): Promise<Map<string, JobRecipient[]>> {
  const byJob = new Map<string, JobRecipient[]>();
  if (jobIds.length === 0) return byJob;
  const input = rowsOf(
    dialect,
    { job_id: 'text' },
    jobIds.map((job_id) => ({ job_id })),
  );
  const { rows } = await sql<RecipientRow>`
    SELECT recipients.job_id, recipients.recipient, recipients.is_required, recipients.delivery_seq, deliveries.id, deliveries.status,
      deliveries.claims, deliveries.attempts, deliveries.sent_at, deliveries.last_error,
      COALESCE(deliveries.provider_message_id, (
        SELECT mails.provider_message_id FROM delivery_mails AS mails
        WHERE mails.delivery_seq = recipients.delivery_seq AND mails.provider_message_id IS NOT NULL
        ORDER BY mails.round DESC LIMIT 1
      )) AS notification_id
    FROM ${input} ${joinRecipients(dialect)}
    JOIN deliveries ON deliveries.seq = recipients.delivery_seq
  `.execute(executor);
  // Not by the database: PostgreSQL sorts by the rules of its language, in which a dot may not count.
  rows.sort((one, other) => (one.recipient < other.recipient ? -1 : 1));
  for (const row of rows) {
    const list = byJob.get(row.job_id) ?? [];
    list.push(recipientOf(row));
    byJob.set(row.job_id, list);
  }
  return byJob;
}

const recipientOf = (row: RecipientRow): JobRecipient => ({
  recipient: row.recipient,
  isRequired: row.is_required === 1,
  deliverySeq: row.delivery_seq,
  deliveryId: row.id,
  status: row.status,
  claims: row.claims,
  attempts: row.attempts,
  sentAt: row.sent_at,
  notificationId: row.notification_id,
  lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as DeliveryError),
});
