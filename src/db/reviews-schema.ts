import type { Generated, Selectable } from 'kysely';
import type { Status } from '../domain/status.ts';

/** The tables of code reviews. Times are milliseconds, JSON is text, booleans are 0 and 1. */
export interface ReviewsSchema {
  review_changelists: { changelist_id: string; created_at: number };
  review_jobs: ReviewJobsTable;
  review_job_recipients: ReviewJobRecipientsTable;
  review_replays: ReviewReplaysTable;
  /** A view: spec 003's delivery log. */
  review_deliveries: ReviewDeliveriesView;
}

interface ReviewJobsTable {
  job_id: string;
  idempotency_key: string;
  changelist_id: string;
  review_version: number;
  previous_version: number | null;
  is_rerun: number;
  title: string;
  url: string | null;
  summary: string | null;
  findings: string;
  findings_count: number;
  locale: string | null;
  created_by: string;
  created_at: number;
  trace_id: string;
  /** When retention has taken summary and findings. */
  forgotten_at: number | null;
}

interface ReviewJobRecipientsTable {
  job_id: string;
  recipient: string;
  is_required: number;
  delivery_seq: number;
}

interface ReviewReplaysTable {
  replay_seq: Generated<number>;
  delivery_seq: number;
  job_id: string;
  error_class: string;
  code: string;
  requested_by: string;
  requested_at: number;
  settled_at: Generated<number | null>;
  outcome: Generated<'sent' | 'escalated' | 'ended' | null>;
}

/** In the words of spec 003: times are ISO timestamps. */
interface ReviewDeliveriesView {
  changelist_id: string;
  recipient: string;
  review_version: number;
  job_id: string;
  is_required: number;
  delivery_id: string;
  delivery_seq: number;
  status: 'sent' | 'failed' | 'unsent';
  /** Ours. */
  stage: Status;
  notification_id: string | null;
  notified_at: string | null;
  attempts: number;
  last_error: string | null;
  created_at: string;
}

export type ReviewJobRow = Selectable<ReviewJobsTable>;
