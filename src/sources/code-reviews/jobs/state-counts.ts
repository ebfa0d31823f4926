import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { type Status, statuses, statusNames } from '../../../domain/status.ts';
import { reviewSource } from '../occasion.ts';
import { type JobState, jobStates } from './job-state.ts';

/**
 * How many jobs are in each state, of all that there ever were. A state is no column that could be counted; but whoever has not been told
 * is found by the index of a source's statuses, and a job of which nobody is missing has succeeded. So this reads what is under way
 * and what has failed, and only counts the rest. `jobState` in SQL: a test compares the two.
 */
export async function countStates({ read }: Database): Promise<Record<JobState, number>> {
  const { rows } = await sql<{ state: JobState | 'all'; count: number | string }>`
    WITH missing AS (
      SELECT recipients.job_id, MAX(CASE WHEN status IN (${listed(isOver)}) THEN 2 WHEN status IN (${listed(isStuck)}) THEN 1 ELSE 0 END) AS gravity
      FROM deliveries JOIN review_job_recipients AS recipients ON recipients.delivery_seq = deliveries.seq
      WHERE source = ${sql.lit(reviewSource)} AND status IN (${listed(isUntold)}) AND sent_at IS NULL AND is_required = 1
      GROUP BY recipients.job_id
    )
    SELECT CASE WHEN gravity = 2 THEN 'failed' WHEN gravity = 1 THEN 'retryable_failed' WHEN ${isTouched} THEN 'in_progress' ELSE 'queued' END AS state,
      COUNT(*) AS count
    FROM missing GROUP BY 1 UNION ALL SELECT 'all', COUNT(*) FROM review_jobs
  `.execute(read);
  const counts = Object.fromEntries(jobStates.map((state) => [state, 0])) as Record<JobState, number>;
  let all = 0;
  for (const { state, count } of rows) {
    if (state === 'all') all = Number(count);
    else counts[state] = Number(count);
  }
  counts.succeeded = all - Object.values(counts).reduce((sum, count) => sum + count, 0);
  return counts;
}

type Choice = (status: Status) => boolean;

/** As literals: with parameters PostgreSQL would not know what its index holds of each. */
const listed = (isChosen: Choice): RawBuilder<unknown> =>
  sql.join(statusNames.filter(isChosen).map((status) => sql.lit(status)));

const isUntold: Choice = (status) => statuses[status].mailExists !== 'yes';
const isOver: Choice = (status) => isUntold(status) && statuses[status].isFinal;
const isStuck: Choice = (status) => status === 'failed_transient' || status === 'needs_review';

/** Anybody of the job, required or not. As a value and not as EXISTS, which PostgreSQL would answer for all jobs there are at once. */
const isTouched = sql`COALESCE((
  SELECT 1 FROM review_job_recipients AS everybody JOIN deliveries AS own ON own.seq = everybody.delivery_seq
  WHERE everybody.job_id = missing.job_id AND (own.claims > 0 OR own.sent_at IS NOT NULL) LIMIT 1
), 0) = 1`;
