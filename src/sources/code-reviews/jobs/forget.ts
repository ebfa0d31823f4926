import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { Clock } from '../../../std/clock.ts';

/**
 * Retention: the summary and the findings of a review go when the last of its mails has gone. What it was a review of, who was told and
 * what became of that stay: the same version is never told again. While the version after it has mails, it is needed to say
 * what has changed since. Breaking off anywhere leaves the rest for the next time.
 */
export async function forgetReviews(
  { db, clock }: { db: Database; clock: Clock },
  before: number,
): Promise<number> {
  let forgotten = 0;
  // Past those that cannot go yet, so that they hold back nothing behind them.
  for (let after: Place | undefined; ; ) {
    const page = await readOld(db, before, after);
    forgotten += await forgetAll(db, page, clock.now());
    if (page.length < pageMax) return forgotten;
    after = page.at(-1);
  }
}

interface Place {
  job_id: string;
  created_at: number;
}

/** Of one transaction: each may be some megabytes, and SQLite's other writers wait so long. */
const pageMax = 50;

async function readOld({ read }: Database, before: number, after: Place | undefined): Promise<Place[]> {
  let old = read
    .selectFrom('review_jobs')
    .select(['job_id', 'created_at'])
    .where('forgotten_at', 'is', null)
    .where('created_at', '<', before);
  if (after) old = old.where(sql<boolean>`(created_at, job_id) > (${after.created_at}, ${after.job_id})`);
  return old.orderBy('created_at').orderBy('job_id').limit(pageMax).execute();
}

async function forgetAll({ write, dialect }: Database, page: readonly Place[], now: number): Promise<number> {
  if (page.length === 0) return 0;
  const input = rowsOf(
    dialect,
    { job_id: 'text' },
    page.map(({ job_id }) => ({ job_id })),
  );
  const { rows } = await sql`
    UPDATE review_jobs SET summary = NULL, findings = '[]', forgotten_at = ${now}
    WHERE job_id IN (SELECT job_id FROM ${input}) AND forgotten_at IS NULL
      AND NOT ${hasMails(sql`review_jobs.job_id`)} AND NOT EXISTS (
        SELECT 1 FROM review_jobs AS later
        WHERE later.changelist_id = review_jobs.changelist_id AND later.previous_version = review_jobs.review_version
          AND ${hasMails(sql`later.job_id`)}
      )
    RETURNING job_id
  `.execute(write);
  return rows.length;
}

/** An intent has a line there from the beginning, and loses it when its mails are forgotten. */
const hasMails = (jobId: RawBuilder<unknown>) => sql`EXISTS (
  SELECT 1 FROM review_job_recipients AS recipients
  JOIN delivery_mails AS mails ON mails.delivery_seq = recipients.delivery_seq WHERE recipients.job_id = ${jobId}
)`;
