import type { DeliveryStatus } from './delivery-shapes.ts';

/** Code reviews as they are asked for and answered. */
export interface ReviewResult {
  /**
   * Says that two submissions are one. Give your own, made of what the review is of (`ci-4711-attempt-1`): then a job that is run again
   * after a crash makes nothing twice either. One is made for this call if left out.
   */
  idempotency_key?: string | undefined;
  changelist_id: string;
  /** A positive integer that grows with every version of the review. */
  review_version: number;
  /** A version after one that everybody has heard of is refused without it. */
  rerun?: boolean | undefined;
  /** Up to 500; at least one is required. */
  recipients: readonly ReviewerWish[];
  title: string;
  url?: string | undefined;
  summary?: string | undefined;
  findings?: readonly Finding[] | undefined;
  locale?: 'en' | 'ro' | 'zh-CN' | undefined;
}

export interface ReviewerWish {
  email: string;
  /** True if left out: the job has succeeded when all of these have heard. */
  required?: boolean | undefined;
}

export interface Finding {
  severity: 'critical' | 'major' | 'minor' | 'info';
  message: string;
  file?: string | undefined;
  line?: number | undefined;
}

export type ReviewState = 'queued' | 'in_progress' | 'retryable_failed' | 'succeeded' | 'failed';

export interface ReviewJob {
  job_id: string;
  idempotency_key: string;
  changelist_id: string;
  review_version: number;
  previous_version: number | null;
  is_rerun: boolean;
  title: string;
  url: string | null;
  summary: string | null;
  findings: Finding[];
  locale: string | null;
  state: ReviewState;
  recipients: Reviewer[];
  created_by: string;
  created_at: string;
  trace_id: string | null;
}

/** One recipient of a job, in the words of the specification; `stage` is the status of the delivery. */
export interface Reviewer {
  email: string;
  required: boolean;
  status: 'sent' | 'failed' | 'unsent';
  stage: DeliveryStatus;
  notification_id: string | null;
  notified_at: string | null;
  attempts: number;
  delivery_seq: number;
}

/**
 * What became of a submission; the job is the one that there is, whoever made it. A retry whose first answer got lost is a
 * `duplicate_idempotency` without `differences`.
 */
export type Submitted =
  | { answer: 'created'; job: ReviewJob }
  | {
      answer: 'duplicate_idempotency' | 'already_succeeded_same_version' | 'already_running_same_version';
      job: ReviewJob;
      /** Names of the fields in which this submission says something else than the job. Nothing of it is done. */
      differences?: string[];
    };

export interface ReviewQuery {
  changelist_id?: string | undefined;
  state?: ReviewState | undefined;
  before?: string | undefined;
  limit?: number | undefined;
}

export interface ReviewPage {
  jobs: ReviewJob[];
  next: { before: string } | null;
}

export interface ReviewRetry {
  /** Why; it is kept in the story of each delivery. */
  reason: string;
  by?: string | undefined;
  /** Addresses; all that ended without having heard, if left out. */
  recipients?: readonly string[] | undefined;
}

export interface Retried {
  job: ReviewJob;
  recipients: { email: string; requeued: boolean; sentence: string }[];
}

/** A recipient who did not hear, and who can do something about it. */
export interface DeadLetter {
  job_id: string;
  changelist_id: string;
  review_version: number;
  email: string;
  required: boolean;
  error_class: string;
  stage: string;
  code: string | null;
  first_failed_at: string;
  last_failed_at: string;
  failures: number;
  context: Record<string, unknown>;
  asks: 'caller' | 'operator';
  escalated: boolean;
}

export interface DeadLetterQuery {
  changelist_id?: string | undefined;
  below?: number | undefined;
  limit?: number | undefined;
}

export interface DeadLetterPage {
  dead_letters: DeadLetter[];
  next: { below: number } | null;
}
