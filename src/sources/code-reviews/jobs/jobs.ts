import { sql } from 'kysely';
import type { ReviewJobRow } from '../../../db/reviews-schema.ts';
import { createTurns } from '../../../std/in-turn.ts';
import { Refusal } from '../../../std/refusal.ts';
import { headColumns, type JobStanding, jobOfId, type ReviewJob, withRecipients } from './job-rows.ts';
import type { JobState } from './job-state.ts';
import type { SubmitRequest } from './submission.ts';
import { type SubmitAnswer, type SubmitParts, type Submitter, submitReview } from './submit.ts';

/** Review jobs: taken in, and read. How one stands is worked out whenever somebody asks. */
export interface ReviewJobs {
  submit(request: SubmitRequest, who: Submitter): Promise<SubmitAnswer>;
  get(jobId: string): Promise<ReviewJob>;
  /** Newest first. With a state a bounded number is looked at, so that a page may be short although more follows. */
  list(order: JobListOrder): Promise<JobPage>;
}

interface JobListOrder {
  changelistId?: string | undefined;
  state?: JobState | undefined;
  /** The last job of the page before. */
  before?: string | undefined;
  limit: number;
}

interface JobPage {
  jobs: JobStanding[];
  /** The next page is `before` this; null at the end. */
  next: string | null;
}

/** Of a state that few are in: so many are looked at for one page. */
const lookedAtMax = 500;

export function createReviewJobs(parts: SubmitParts): ReviewJobs {
  const { db } = parts;
  const inTurn = createTurns();

  async function requireRow(jobId: string): Promise<ReviewJobRow> {
    const row = await jobOfId(db.read, jobId.toLowerCase());
    if (row) return row;
    throw new Refusal(
      'job_not_found',
      'There is no such review job. `tidings reviews list` shows those there are.',
    );
  }

  async function rowsBefore(
    before: ReviewJobRow | undefined,
    changelistId: string | undefined,
    limit: number,
  ) {
    let rows = db.read.selectFrom('review_jobs').select(headColumns);
    if (changelistId !== undefined) {
      // A change list's own versions, which come in their order.
      rows = rows.where('changelist_id', '=', changelistId);
      if (before) rows = rows.where('review_version', '<', before.review_version);
      return rows.orderBy('review_version', 'desc').limit(limit).execute();
    }
    if (before)
      rows = rows.where(sql<boolean>`(created_at, job_id) < (${before.created_at}, ${before.job_id})`);
    return rows.orderBy('created_at', 'desc').orderBy('job_id', 'desc').limit(limit).execute();
  }

  return {
    submit: (request, who) => submitReview(request, who, { ...parts, inTurn }),

    async get(jobId) {
      const [job] = await withRecipients(db.read, db.dialect, [await requireRow(jobId)]);
      return job as ReviewJob;
    },

    async list({ changelistId, state, before, limit }) {
      const after = before === undefined ? undefined : await requireRow(before);
      const most = state === undefined ? limit : lookedAtMax;
      // One more than is looked at says whether there is more.
      const rows = await rowsBefore(after, changelistId, most + 1);
      const looked = await withRecipients(db.read, db.dialect, rows.slice(0, most));
      const found = looked.filter((job) => state === undefined || job.state === state);
      const jobs = found.slice(0, limit);
      const isCut = found.length > limit;
      const last = isCut ? jobs.at(-1) : looked.at(-1);
      return { jobs, next: isCut || rows.length > most ? (last?.row.job_id ?? null) : null };
    },
  };
}
