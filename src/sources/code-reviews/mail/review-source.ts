import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf, seqsOf } from '../../../db/dialect.ts';
import type { ReviewJobRow } from '../../../db/reviews-schema.ts';
import { parseAddress } from '../../../domain/address.ts';
import { tagValue } from '../../../domain/message.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Draft, Source } from '../../source.ts';
import { reviewSource } from '../occasion.ts';
import { reviewWord } from '../words.ts';
import { type Finding, reviewProps } from './review-props.ts';

/** DESIGN's row for code reviews: 5 attempts, 1 s and doubling up to a minute, anywhere within that; 120 s as for seats. */
export const reviewPolicy: Policy = {
  attemptsMax: 5,
  scheduleMs: { kind: 'exponential', baseMs: 1_000, factor: 2, capMs: 60_000, jitter: 'full' },
  leaseMs: 120_000,
  roundsMax: 3,
  bounceDelayMs: 4 * 3_600_000, // Hours (8.19): greylisting and full mailboxes are not cured sooner.
};

/**
 * Code reviews: a version of a change list told to a reviewer. What it says is made of rows that do not change while it may have to be
 * said, its own job's and the previous version's, so that the same delivery always says the same (003-6.4-1). It never sends, and never touches a status.
 */
export function createReviewSource({ db }: { db: Database }): Source {
  return {
    name: reviewSource,
    policy: reviewPolicy,
    words: reviewWord,
    draft: (batch) => draftReviews(db, batch),
  };
}

/** So many are held in memory at once: one may have a thousand findings, and so may the version before it. */
const jobsAtOnce = 20;

async function draftReviews(db: Database, batch: readonly Claimed[]): Promise<ReadonlyMap<number, Draft>> {
  const jobIds = await jobsOf(db, batch);
  const distinct = [...new Set(jobIds.values())];
  // One review, however many reviewers: a thousand findings are compared with a thousand others once.
  const reviews = new Map<string, Review | 'forgotten'>();
  for (let start = 0; start < distinct.length; start += jobsAtOnce) {
    for (const { job, previous } of await readJobs(db, distinct.slice(start, start + jobsAtOnce))) {
      const isThere = job.forgotten_at === null;
      reviews.set(
        job.job_id,
        isThere ? { props: reviewProps(orderOf(job, previous)), tags: tagsOf(job) } : 'forgotten',
      );
    }
  }
  return new Map(
    batch.map((claimed): [number, Draft] => {
      const review = reviews.get(jobIds.get(claimed.seq) ?? '');
      return [claimed.seq, review ? draftOf(claimed, review) : unknownReview];
    }),
  );
}

interface Review {
  props: Readonly<Record<string, unknown>>;
  tags: Readonly<Record<string, string>>;
}

const unknownReview: Draft = {
  kind: 'unsendable',
  error: { code: 'review_unknown', message: 'No review has this delivery: it was not made by a submission.' },
};

/** Not as one in which nothing was found: that would be another review. */
const forgottenReview: Draft = {
  kind: 'unsendable',
  error: {
    code: 'review_forgotten',
    message: 'What this review found was deleted, as MAIL_RETENTION_DAYS says: submit it as a newer version.',
  },
};

function draftOf({ toEmail, locale }: Claimed, review: Review | 'forgotten'): Draft {
  if (toEmail === null) return { kind: 'no_address' };
  if (review === 'forgotten') return forgottenReview;
  const parsed = parseAddress(toEmail);
  if (!parsed.ok)
    return { kind: 'unsendable', error: { code: 'invalid_recipient', message: parsed.sentence } };
  return { kind: 'draft', to: parsed.address, template: 'review-ready', locale, ...review };
}

const tagsOf = (job: ReviewJobRow) => ({
  changelist: tagValue(job.changelist_id),
  review_version: String(job.review_version),
  review_job: tagValue(job.job_id),
});

function orderOf(job: ReviewJobRow, previous: ReviewJobRow | undefined): Parameters<typeof reviewProps>[0] {
  return {
    ...{ changelistId: job.changelist_id, version: job.review_version, title: job.title },
    ...{ url: job.url, summary: job.summary, findings: JSON.parse(job.findings) as Finding[] },
    // With what was forgotten nothing can be compared: everything would seem to be new.
    previous:
      previous?.forgotten_at === null
        ? { version: previous.review_version, findings: JSON.parse(previous.findings) as Finding[] }
        : undefined,
  };
}

async function jobsOf(db: Database, batch: readonly Claimed[]): Promise<ReadonlyMap<number, string>> {
  const input = seqsOf(
    db.dialect,
    batch.map(({ seq }) => seq),
  );
  const { rows } = await sql<{ delivery_seq: number; job_id: string }>`
    SELECT recipients.delivery_seq, recipients.job_id FROM ${input}
    JOIN review_job_recipients AS recipients ON recipients.delivery_seq = input.seq
  `.execute(db.read);
  return new Map(rows.map(({ delivery_seq, job_id }) => [delivery_seq, job_id]));
}

interface WithPrevious {
  job: ReviewJobRow;
  previous: ReviewJobRow | undefined;
}

/** Each job once, and the version before it. */
async function readJobs(db: Database, jobIds: readonly string[]): Promise<WithPrevious[]> {
  const asked = rowsOf(
    db.dialect,
    { job_id: 'text' },
    jobIds.map((job_id) => ({ job_id })),
  );
  const { rows: jobs } = await sql<ReviewJobRow>`
    SELECT review_jobs.* FROM ${asked} JOIN review_jobs ON review_jobs.job_id = input.job_id
  `.execute(db.read);
  const wanted = jobs.flatMap(({ changelist_id, previous_version }) =>
    previous_version === null ? [] : [{ changelist_id, review_version: previous_version }],
  );
  const columns = { changelist_id: 'text', review_version: 'number' } as const;
  const { rows: before } = await sql<ReviewJobRow>`
    SELECT review_jobs.* FROM ${rowsOf(db.dialect, columns, wanted)} JOIN review_jobs
    ON review_jobs.changelist_id = input.changelist_id AND review_jobs.review_version = input.review_version
  `.execute(db.read);
  return jobs.map((job) => ({
    job,
    previous: before.find(
      (one) => one.changelist_id === job.changelist_id && one.review_version === job.previous_version,
    ),
  }));
}
