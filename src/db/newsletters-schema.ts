import type { Generated, Selectable } from 'kysely';

/** The tables of newsletters and alerts. Times are milliseconds, amounts are decimals as text, booleans are 0 and 1. */
export interface NewslettersSchema {
  notifications: NotificationsTable;
  notification_opt_outs: { user_id: string; opted_out_at: number; via: string };
  unsubscribe_links_taken_over: { token_hash: string; source: string; recipient: string; created_at: number };
  users: { user_id: string; email: string | null; is_verified: number; updated_at: number };
  budget_entities: BudgetEntitiesTable;
  budget_amounts: BudgetAmountsTable;
  notification_runs: NotificationRunsTable;
  notification_run_items: NotificationRunItemsTable;
  /** A view: spec 002's outbox. */
  notification_deliveries: NotificationDeliveriesView;
}

export type InactiveBecause =
  | 'by_user'
  | 'deleted'
  | 'unsubscribed'
  | 'global_opt_out'
  | 'bounced'
  | 'complained';

interface NotificationsTable {
  id: string;
  user_id: string;
  notification_type: string;
  entity_cui: string | null;
  /** JSON, in the spelling that its hash was made of. */
  config: string | null;
  dataset_id: string | null;
  hash: string;
  locale: string | null;
  is_active: number;
  inactive_because: InactiveBecause | null;
  /** Since when, whatever has changed in the line after that. */
  inactive_at: Generated<number | null>;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

interface BudgetEntitiesTable {
  cui: string;
  name: string;
  entity_type: string | null;
  county_name: string | null;
  population: number | null;
  updated_at: number;
}

interface BudgetAmountsTable {
  cui: string;
  period_key: string;
  side: 'income' | 'expenses';
  /** Empty for the total. */
  chapter: string;
  chapter_name: string | null;
  amount: string;
  currency: string;
}

export type RunStatus = 'planned' | 'expired' | 'running' | 'paused' | 'halted' | 'cancelled' | 'finished';

interface NotificationRunsTable {
  run_id: string;
  notification_type: string;
  period_key: string;
  status: RunStatus;
  dedupe_key: string | null;
  is_forced: Generated<number>;
  limit_to: number | null;
  eligible_count: number;
  canary_size: number | null;
  canary_bounces_max: number | null;
  canary_wait_ms: number | null;
  canary_passed_at: number | null;
  plan_expires_at: number | null;
  sample: string | null;
  applied_at: number | null;
  status_because: string | null;
  created_by: string;
  created_at: number;
  updated_at: number;
  pass_after: Generated<number | null>;
  ended_at: Generated<number | null>;
  trace_id: string;
}

/**
 * planned → collected (its delivery exists) → composed (its mail is written, or its user has left meanwhile), or left out on the way;
 * excluded from the first.
 */
export const runItemStates = ['planned', 'collected', 'composed', 'left_out', 'excluded'] as const;
export type RunItemState = (typeof runItemStates)[number];

interface NotificationRunItemsTable {
  run_id: string;
  notification_id: string;
  place: number | null;
  user_id: string;
  period_key: string;
  state: RunItemState;
  reason: string | null;
  tries: Generated<number>;
  due_at: Generated<number>;
  delivery_seq: number | null;
}

/** In the words of spec 002: times are ISO timestamps. */
interface NotificationDeliveriesView {
  id: string;
  user_id: string;
  notification_id: string;
  period_key: string;
  delivery_key: string;
  status: string;
  unsubscribe_token_id: string | null;
  rendered_subject: string | null;
  rendered_html: string | null;
  rendered_text: string | null;
  content_hash: string | null;
  template_name: string | null;
  template_version: string | null;
  to_email: string | null;
  resend_email_id: string | null;
  last_error: string | null;
  attempt_count: number;
  last_attempt_at: string | null;
  sent_at: string | null;
  created_at: string;
}

export type NotificationRow = Selectable<NotificationsTable>;
export type RunRow = Selectable<NotificationRunsTable>;
export type RunItemRow = Selectable<NotificationRunItemsTable>;
