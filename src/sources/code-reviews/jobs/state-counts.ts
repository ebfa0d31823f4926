import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { Status } from '../../../domain/status.ts';
import { joinRecipients } from './job-rows.ts';
import { type JobState, jobState, jobStates, type RecipientState } from './job-state.ts';

/**
 * How many of the newest jobs are in each state. A state is no column that could be counted, and to look at all jobs that there ever
 * were would take longer every day; those that are in trouble are among the newest, or have been told of before.
 */
export async function countStates(db: Database, newest: number): Promise<Record<JobState, number>> {
  const ids = await db.read
    .selectFrom('review_jobs')
    .select('job_id')
    .orderBy('created_at', 'desc')
    .orderBy('job_id', 'desc')
    .limit(newest)
    .execute();
  // A state depends on which kinds of recipients there are, and not on how many: a few rows a job, however many it is for.
  const { rows } = await sql<StateRow>`
    SELECT DISTINCT recipients.job_id, recipients.is_required, deliveries.status,
      CASE WHEN deliveries.sent_at IS NULL THEN 0 ELSE 1 END AS is_told,
      CASE WHEN deliveries.claims = 0 THEN 0 ELSE 1 END AS is_claimed
    FROM ${rowsOf(db.dialect, { job_id: 'text' }, ids)} ${joinRecipients(db.dialect)}
    JOIN deliveries ON deliveries.seq = recipients.delivery_seq
  `.execute(db.read);
  const jobs = new Map<string, RecipientState[]>();
  for (const { job_id, is_required, status, is_told, is_claimed } of rows) {
    const kinds = jobs.get(job_id) ?? [];
    kinds.push({
      isRequired: is_required === 1,
      status,
      sentAt: is_told === 1 ? 1 : null,
      claims: is_claimed,
    });
    jobs.set(job_id, kinds);
  }
  const counts = Object.fromEntries(jobStates.map((state) => [state, 0])) as Record<JobState, number>;
  for (const kinds of jobs.values()) counts[jobState(kinds)] += 1;
  return counts;
}

interface StateRow {
  job_id: string;
  is_required: number;
  status: Status;
  is_told: number;
  is_claimed: number;
}
