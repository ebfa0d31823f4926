import type { Generated, Selectable } from 'kysely';

/**
 * The tables of course seats. Those that the specifications name keep their names and columns; times that they call ISO
 * timestamps are such texts, our own are milliseconds.
 */
export interface SeatsSchema {
  courses: CoursesTable;
  sections: SectionsTable;
  section_status_events: SectionStatusEventsTable;
  open_section_snapshots: SnapshotsTable;
  open_lists: OpenListsTable;
  open_list_indexes: OpenListIndexesTable;
  open_events: OpenEventsTable;
  open_event_fanouts: {
    open_event_id: number;
    after_subscription_id: Generated<number>;
    finished_at: Generated<number | null>;
  };
  subscriptions: SubscriptionsTable;
  subscription_events: SubscriptionEventsTable;
  /** A view: spec 000's queue. */
  open_event_notifications: OpenEventNotificationsView;
}

export type SectionStatus = 'Open' | 'Closed' | 'Wait' | 'Unknown';
export type SubscriptionStatus = 'pending' | 'active' | 'paused' | 'suppressed' | 'unsubscribed';

interface CoursesTable {
  course_id: Generated<number>;
  term_id: string;
  /** The campus that was asked for; `offering_campus` is what the catalog itself says. */
  campus_code: string;
  course_string: string;
  supplement_code: string;
  offering_campus: string;
  subject_code: string;
  title: string;
  expanded_title: string | null;
  search_words: string;
  seen_at: number;
}

interface SectionsTable {
  section_id: Generated<number>;
  course_id: number;
  term_id: string;
  campus_code: string;
  index_number: string;
  section_number: string;
  subtitle: string | null;
  last_known_section_status: SectionStatus;
  meeting_summary: string;
  instructors: string | null;
  special_permission: string | null;
  restrictions: string | null;
  /** JSON: `{ index, courseString, sectionNumber }[]`. */
  cross_listed: string | null;
  notes: string | null;
  content_hash: string;
  seen_at: number;
  gone_at: number | null;
}

interface SectionStatusEventsTable {
  status_event_id: Generated<number>;
  section_id: number;
  term_id: string;
  index_number: string;
  status_before: SectionStatus;
  status_after: SectionStatus;
  event_at: string;
  weighed_at: Generated<number | null>;
}

interface SnapshotsTable {
  snapshot_id: Generated<number>;
  term_id: string;
  campus_code: string;
  seen_open_at: string;
  source_hash: string;
  index_count: number;
  verdict: 'baseline' | 'taken' | 'held' | 'empty';
  opened: number;
  closed: number;
  trace_id: string;
}

interface OpenListsTable {
  term_id: string;
  /** The campus by whose name the list is asked for; others may share it. */
  campus_code: string;
  version: Generated<number>;
  baseline_at: number | null;
  heard_at: number | null;
  good_at: number | null;
  source_hash: string | null;
  open_count: Generated<number>;
  held: string | null;
  failures: Generated<number>;
  last_error: string | null;
  next_poll_at: Generated<number>;
  /** Since when it is asked for. */
  asked_at: number | null;
}

interface OpenListIndexesTable {
  term_id: string;
  campus_code: string;
  index_number: string;
  is_open: number;
  misses: Generated<number>;
  missed_at: number | null;
  opened_at: number | null;
  closed_at: number | null;
}

interface OpenEventsTable {
  open_event_id: Generated<number>;
  section_id: number | null;
  term_id: string;
  campus_code: string;
  index_number: string;
  subscription_id: Generated<number | null>;
  status_before: SectionStatus;
  status_after: 'Open' | 'Closed';
  seat_delta: -1 | 0 | 1;
  event_at: string;
  detected_by: 'open_sections' | 'section_status_event' | 'manual';
  snapshot_id: number | null;
  dedupe_key: string;
  trace_id: string;
  payload: string;
}

interface SubscriptionsTable {
  subscription_id: Generated<number>;
  section_id: number | null;
  term_id: string;
  campus_code: string;
  index_number: string;
  contact_type: string;
  contact_value: string | null;
  contact_hash: string;
  locale: string | null;
  status: SubscriptionStatus;
  last_known_section_status: SectionStatus | null;
  notify_on: Generated<string>;
  max_notifications: number | null;
  notifications_sent: Generated<number>;
  window_start_minutes: number | null;
  window_end_minutes: number | null;
  snooze_until: number | null;
  token_id: string;
  verifications: Generated<number>;
  verified_at: number | null;
  left_at: number | null;
  status_before_leaving: SubscriptionStatus | null;
  created_at: number;
  updated_at: number;
}

interface SubscriptionEventsTable {
  subscription_event_id: Generated<number>;
  subscription_id: number;
  event_type: string;
  section_status: SectionStatus | null;
  open_event_id: number | null;
  detail: string | null;
  created_at: string;
}

interface OpenEventNotificationsView {
  notification_id: number;
  open_event_id: number;
  subscription_id: number;
  dedupe_key: string | null;
  fanout_status: 'pending' | 'sent' | 'skipped' | 'failed' | 'expired';
  fanout_attempts: number;
  last_attempt_at: string | null;
  locked_by: string | null;
  locked_at: string | null;
  error: string | null;
}

export type CourseRow = Selectable<CoursesTable>;
export type SectionRow = Selectable<SectionsTable>;
export type OpenEventRow = Selectable<OpenEventsTable>;
export type SubscriptionRow = Selectable<SubscriptionsTable>;
