import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { Status } from '../../../domain/status.ts';
import { joinRecipients } from './job-rows.ts';
import { type JobState, jobState, type RecipientState } from './job-state.ts';

/**
 * How these jobs stand, without reading who is told: a state depends on which kinds of recipients there are, and not on how many. A few
 * rows a job, however many it is for.
 */
export async function statesOf(
  { read, dialect }: Database,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, JobState>> {
  const input = rowsOf(
    dialect,
    { job_id: 'text' },
    jobIds.map((job_id) => ({ job_id })),
  );
  const { rows } = await sql<KindRow>`
    SELECT DISTINCT recipients.job_id, recipients.is_required, deliveries.status,
      CASE WHEN deliveries.sent_at IS NULL THEN 0 ELSE 1 END AS is_told,
      CASE WHEN deliveries.claims = 0 THEN 0 ELSE 1 END AS is_claimed
    FROM ${input} ${joinRecipients(dialect)}
    JOIN deliveries ON deliveries.seq = recipients.delivery_seq
  `.execute(read);
  const kinds = new Map<string, RecipientState[]>(jobIds.map((jobId) => [jobId, []]));
  for (const { job_id, is_required, status, is_told, is_claimed } of rows) {
    kinds.get(job_id)?.push({
      ...{ isRequired: is_required === 1, status, claims: is_claimed },
      sentAt: is_told === 1 ? 1 : null,
    });
  }
  return new Map([...kinds].map(([jobId, recipients]) => [jobId, jobState(recipients)]));
}

interface KindRow {
  job_id: string;
  is_required: number;
  status: Status;
  is_told: number;
  is_claimed: number;
}
