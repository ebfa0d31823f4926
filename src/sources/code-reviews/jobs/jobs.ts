import type { ReviewJobRow } from '../../../db/reviews-schema.ts';
import { createTurns } from '../../../std/in-turn.ts';
import { Refusal } from '../../../std/refusal.ts';
import { type JobListOrder, type JobPage, listJobs } from './job-list.ts';
import { jobOfId, type ReviewJob, withRecipients } from './job-rows.ts';
import type { SubmitRequest } from './submission.ts';
import { type SubmitAnswer, type SubmitParts, type Submitter, submitReview } from './submit.ts';

/** Review jobs: taken in, and read. How one stands is worked out whenever somebody asks. */
export interface ReviewJobs {
  submit(request: SubmitRequest, who: Submitter): Promise<SubmitAnswer>;
  get(jobId: string): Promise<ReviewJob>;
  /** Newest first. With a state a bounded number is looked at, so that a page may be short although more follows. */
  list(order: JobListOrder): Promise<JobPage>;
}

export function createReviewJobs(parts: SubmitParts): ReviewJobs {
  const { db } = parts;
  const inTurn = createTurns();

  async function requireRow(jobId: string): Promise<ReviewJobRow> {
    const row = await jobOfId(db.read, jobId.toLowerCase());
    if (row) return row;
    throw new Refusal(
      'job_not_found',
      'There is no such review job. `npx tidings reviews list` shows those there are.',
    );
  }

  return {
    submit: (request, who) => submitReview(request, who, { ...parts, inTurn }),

    async get(jobId) {
      const [job] = await withRecipients(db.read, db.dialect, [await requireRow(jobId)]);
      return job as ReviewJob;
    },

    list: async (order) =>
      listJobs(db, order, order.before === undefined ? undefined : await requireRow(order.before)),
  };
}
