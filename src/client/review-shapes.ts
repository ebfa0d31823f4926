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

/** As it is in lists and in answers. */
export interface ReviewJob {
  job_id: string;
  idempotency_key: string;
  changelist_id: string;
  review_version: number;
  /** The latest before it; null for the first. */
  previous_version: number | null;
  rerun: boolean;
  state: ReviewState;
  title: string;
  url: string | null;
  summary: string | null;
  locale: string | null;
  findings_count: number;
  recipients: Reviewer[];
  created_by: string;
  created_at: string;
  trace_id: string;
  /** When `summary` and `findings` were deleted, as the server's MAIL_RETENTION_DAYS says; null while they are there. */
  forgotten_at: string | null;
}

/** One that is asked for by its id. */
export interface ReviewJobDetails extends ReviewJob {
  findings: Finding[];
  /** Who of it has not heard and never will, and whom that asks. */
  dead_letters: DeadLetter[];
}

/** One recipient of a job, in the words of the specification; `stage` is the status of the delivery. */
export interface Reviewer {
  /** In lower case. */
  email: string;
  required: boolean;
  status: 'sent' | 'failed' | 'unsent';
  stage: DeliveryStatus;
  notification_id: string | null;
  notified_at: string | null;
  attempts: number;
  last_error: { code: string; message: string | null } | null;
  delivery_id: string;
  delivery_seq: number;
}

export interface Submitted {
  /** A retry whose first answer got lost is a `duplicate_idempotency` without differences. */
  answer:
    | 'created'
    | 'duplicate_idempotency'
    | 'already_succeeded_same_version'
    | 'already_running_same_version'
    /** Somebody who must hear of it could not be told: see to that (`retry`), or submit a newer version. */
    | 'already_failed_same_version';
  /** The one that there is, whoever made it. */
  job: ReviewJob;
  /** Names of the fields in which this submission says something else than the job. Nothing of it is done. */
  differences: string[];
}

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
  recipients: RetriedReviewer[];
}

export interface RetriedReviewer {
  email: string;
  requeued: boolean;
  outcome: RetryOutcome;
  stage: DeliveryStatus;
  sentence: string;
}

export type RetryOutcome =
  | 'requeued'
  | 'already_sent'
  | 'in_progress'
  | 'needs_review'
  | 'mail_may_exist'
  | 'suppressed'
  | 'unsubscribed'
  | 'escalated'
  | 'forgotten';

/** A recipient who has not heard and by themselves never will, and who can do something about it. */
export interface DeadLetter {
  job_id: string;
  changelist_id: string;
  review_version: number;
  email: string;
  required: boolean;
  delivery_seq: number;
  error_class: ErrorClass;
  /** Where on its way it ended. */
  step: 'compose' | 'gate' | 'send' | 'delivery' | 'reconcile';
  stage: DeliveryStatus;
  code: string;
  first_failed_at: string;
  last_failed_at: string;
  failures: number;
  notified_at: string | null;
  asks: 'caller' | 'operator';
  /** It was tried again and ended in the same way. */
  escalated: boolean;
  context: { message: string | null; provider: string | null; attempts: number; rounds: number };
}

export type ErrorClass =
  | 'permanent_recipient'
  | 'permanent_content'
  | 'permanent_policy'
  | 'bounced'
  | 'suppressed'
  | 'unsubscribed'
  | 'expired'
  | 'exhausted'
  | 'crashed'
  | 'unknown_outcome';

export interface DeadLetterQuery {
  below?: number | undefined;
  limit?: number | undefined;
}

export interface DeadLetterPage {
  dead_letters: DeadLetter[];
  next: { below: number } | null;
}
