import type { Consent } from '../../consent/consent.ts';
import type { Database } from '../../db/database.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { OutboxQueries } from '../../outbox/queries.ts';
import type { Clock } from '../../std/clock.ts';
import type { Ids } from '../../std/ids.ts';
import type { Log } from '../../std/log.ts';
import type { Chore, Source } from '../source.ts';
import {
  type DeadLetter,
  type DeadLetterPage,
  deadLettersOf,
  readDeadLetters,
} from './dead-letters/dead-letters.ts';
import { createReplayChore } from './dead-letters/replays.ts';
import { type Retried, type RetryOrder, retryJob } from './dead-letters/retry.ts';
import { forgetReviews } from './jobs/forget.ts';
import type { ReviewJob } from './jobs/job-rows.ts';
import { createReviewJobs, type ReviewJobs } from './jobs/jobs.ts';
import { createReviewSource } from './mail/review-source.ts';

/**
 * Code reviews: a review bot posts what it found in a version of a change list, and every reviewer hears of that version once. The same
 * request again is answered and not repeated; a newer version is a new one or is refused. How a job stands follows from its
 * deliveries; who has not heard and never will is on a list that says who can do something about it. It never sends.
 */
export interface CodeReviews extends ReviewJobs {
  readonly source: Source;
  /** What it does by itself, where somebody works. */
  readonly chores: readonly Chore[];
  /** Retention: of reviews whose mails are gone, what they found. */
  forget(before: number): Promise<void>;
  /** Newest first. */
  deadLetters(page: { below?: number | undefined; limit: number }): Promise<DeadLetterPage>;
  /** Of this job, as it was read. */
  deadLettersOf(job: ReviewJob): Promise<DeadLetter[]>;
  /** Answers for each recipient what came of it, and the job as it is then. */
  retry(jobId: string, order: RetryOrder): Promise<{ job: ReviewJob; recipients: Retried[] }>;
}

export interface CodeReviewsParts {
  db: Database;
  outbox: Outbox;
  queries: Pick<OutboxQueries, 'page'>;
  /** Who must not be mailed. */
  against: Consent['against'];
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  log: Log;
  /** There is something to be sent. */
  onSubmitted: () => void;
}

export function createCodeReviews(parts: CodeReviewsParts): CodeReviews {
  const jobs = createReviewJobs(parts);
  return {
    ...jobs,
    source: createReviewSource(parts),
    chores: [createReplayChore(parts)],
    async forget(before) {
      const jobs = await forgetReviews(parts, before);
      if (jobs > 0) parts.log.info('reviews.forgotten', { jobs });
    },
    deadLetters: (page) => readDeadLetters(page, parts),
    deadLettersOf: (job) => deadLettersOf(job, parts.db),
    async retry(jobId, order) {
      const recipients = await retryJob(await jobs.get(jobId), order, parts);
      return { job: await jobs.get(jobId), recipients };
    },
  };
}
