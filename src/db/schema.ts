import type { Generated, Selectable } from 'kysely';
import type { Lane } from '../domain/delivery.ts';
import type { Status } from '../domain/status.ts';
import type { SuppressionReason } from '../domain/suppression.ts';
import type { NewslettersSchema } from './newsletters-schema.ts';
import type { ReviewsSchema } from './reviews-schema.ts';
import type { SeatsSchema } from './seats-schema.ts';

/** The tables as both dialects have them. Times are milliseconds since the epoch, JSON is text. */
export interface Schema extends SeatsSchema, NewslettersSchema, ReviewsSchema {
  instance: {
    only_row: number;
    namespace: string;
    seats_feed: 'sample' | 'real' | null;
    samples_since: number | null;
  };
  deliveries: DeliveriesTable;
  delivery_mails: DeliveryMailsTable;
  delivery_events: DeliveryEventsTable;
  delivery_counts: { count_seq: Generated<number>; source: string; heading: string; delta: number };
  owed_facts: OwedFactsTable;
  operator_requests: OperatorRequestsTable;
  suppressions: SuppressionsTable;
  unsubscribe_tokens: UnsubscribeTokensTable;
  webhook_events: WebhookEventsTable;
  captured_mails: CapturedMailsTable;
  inbox_clearings: { up_to: number; cleared_by: string; cleared_at: number };
  inbox_switches: { name: string; on_until: number; set_by: string; set_at: number };
  provider_pace: ProviderPaceTable;
  pauses: { scope: string; reason: string; paused_by: string; paused_at: number };
  schema_migrations: { version: number; name: string; checksum: string; applied_at: number };
  leases: { name: string; holder: string; until: number };
  audit_log: AuditTable;
}

interface AuditTable {
  audit_seq: Generated<number>;
  asked_at: number;
  who: string;
  verb: string;
  details: string;
  reason: string | null;
  trace_id: string;
  answer: Generated<string | null>;
}
export type AuditRow = Selectable<AuditTable>;

interface ProviderPaceTable {
  account: string;
  next_slot_at: Generated<number>;
  seen_rate_per_second: Generated<number | null>;
  paused_until: Generated<number>;
  open_since: Generated<number | null>;
  open_reason: Generated<string | null>;
  probe_at: Generated<number | null>;
  doubts: Generated<number>;
  openings: Generated<number>;
}

interface DeliveriesTable {
  seq: Generated<number>;
  id: string;
  source: string;
  occasion: string;
  recipient: string;
  lane: Lane;
  status: Status;
  evidence: Generated<number>;
  round: Generated<number>;
  attempts: Generated<number>;
  claims: Generated<number>;
  lapses: Generated<number>;
  lease: Generated<number>;
  due_at: number | null;
  locked_by: string | null;
  locked_at: number | null;
  to_email: string | null;
  locale: string | null;
  template_name: string | null;
  template_version: string | null;
  content_hash: string | null;
  account: string | null;
  provider_message_id: string | null;
  first_possible_accept_at: number | null;
  resubmit_until: number | null;
  last_attempt_at: number | null;
  last_error: string | null;
  trace_id: string | null;
  dedupe_key: string | null;
  sent_at: number | null;
  delivered_at: number | null;
  created_at: number;
  expires_at: number | null;
}

interface DeliveryMailsTable {
  delivery_seq: number;
  round: number;
  variables: string | null;
  sender: string | null;
  to_email: string | null;
  reply_to: string | null;
  subject: string | null;
  html: string | null;
  text: string | null;
  headers: string | null;
  tags: string | null;
  body_hash: string | null;
  provider_message_id: string | null;
  frozen_at: number | null;
}

interface DeliveryEventsTable {
  event_seq: Generated<number>;
  delivery_seq: number;
  at: number;
  event: string;
  status: Status;
  round: number;
  actor: string;
  detail: string | null;
}

interface OwedFactsTable {
  owed_seq: Generated<number>;
  delivery_seq: number;
  source: string;
  fact: string;
  at: number;
  due_at: number;
  tries: Generated<number>;
  last_error: string;
}

interface OperatorRequestsTable {
  request_seq: Generated<number>;
  delivery_seq: number;
  verb: 'requeued' | 'resolved_sent' | 'resolved_not_sent' | 'resolved_closed';
  reason: string;
  requested_by: string;
  requested_at: number;
  performed_at: number | null;
  answer: string | null;
}

interface SuppressionsTable {
  suppression_seq: Generated<number>;
  address_key: string;
  scope: string;
  reason: SuppressionReason;
  note: Generated<string | null>;
  delivery_seq: Generated<number | null>;
  created_by: string;
  created_at: number;
  lifted_at: Generated<number | null>;
  lifted_by: Generated<string | null>;
  lifted_because: Generated<string | null>;
  /** JSON: the sources of which they want mail again. */
  except_for: Generated<string | null>;
}

interface UnsubscribeTokensTable {
  token_id: string;
  source: string;
  recipient: string;
  created_at: number;
  unsubscribed_at: Generated<number | null>;
  unsubscribed_via: Generated<string | null>;
  suppression_seq: Generated<number | null>;
  reopened_at: Generated<number | null>;
  reopened_by: Generated<string | null>;
  reopened_because: Generated<string | null>;
}

interface WebhookEventsTable {
  event_seq: Generated<number>;
  provider: string;
  provider_event_id: string;
  type: string;
  provider_message_id: string | null;
  delivery_seq: Generated<number | null>;
  happened_at: number | null;
  received_at: number;
  processed_at: Generated<number | null>;
  outcome: Generated<string | null>;
  due_at: number | null;
  tries: Generated<number>;
  repeats: Generated<number>;
  payload: string | null;
}

interface CapturedMailsTable {
  captured_seq: Generated<number>;
  message_id: string;
  idempotency_key: string;
  body_hash: string;
  mail: string;
  received_at: number;
  to_key: string | null;
  subject_key: string | null;
  /** A list of events as JSON; null where nothing is left to be told. */
  reports: string | null;
  report_due_at: number | null;
}

export type ProviderPaceRow = Selectable<ProviderPaceTable>;
export type SuppressionRow = Selectable<SuppressionsTable>;
export type DeliveryRow = Selectable<DeliveriesTable>;
export type DeliveryMailRow = Selectable<DeliveryMailsTable>;
export type DeliveryEventRow = Selectable<DeliveryEventsTable>;
