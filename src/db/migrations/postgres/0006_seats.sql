-- Course seats: the catalog, what the feed said, what followed from it, and who watches. The tables that the specifications
-- name keep those names, and the times that they call ISO timestamps are such texts; our own are milliseconds, as everywhere.

-- Whose sections these are: a database belongs to the sample campus or to a real feed, and never to both. NULL until one is polled.
ALTER TABLE instance ADD COLUMN seats_feed TEXT;

-- A course as one campus lists it in one term. The feed gives no number of its own: these five are its key.
CREATE TABLE courses (
  course_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  course_string TEXT NOT NULL,
  supplement_code TEXT NOT NULL,
  offering_campus TEXT NOT NULL,
  subject_code TEXT NOT NULL,
  title TEXT NOT NULL,
  expanded_title TEXT,
  search_words TEXT NOT NULL,
  seen_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX courses_key ON courses (term_id, campus_code, course_string, supplement_code, offering_campus);

-- Indexes are unique within a term, and used again in the next.
CREATE TABLE sections (
  section_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  course_id BIGINT NOT NULL,
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  index_number TEXT NOT NULL,
  section_number TEXT NOT NULL,
  subtitle TEXT,
  last_known_section_status TEXT NOT NULL,
  meeting_summary TEXT NOT NULL,
  instructors TEXT,
  special_permission TEXT,
  restrictions TEXT,
  -- JSON: the sections that are the same seats under another course.
  cross_listed TEXT,
  notes TEXT,
  content_hash TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  gone_at BIGINT,
  CONSTRAINT sections_status CHECK (last_known_section_status IN ('Open', 'Closed', 'Wait', 'Unknown'))
);
CREATE UNIQUE INDEX sections_key ON sections (term_id, index_number);
CREATE INDEX sections_course ON sections (course_id, section_number);

-- What the catalog said of a section whenever it said something new.
CREATE TABLE section_status_events (
  status_event_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  section_id BIGINT NOT NULL,
  term_id TEXT NOT NULL,
  index_number TEXT NOT NULL,
  status_before TEXT NOT NULL,
  status_after TEXT NOT NULL,
  event_at TEXT NOT NULL,
  -- Set when it was weighed against the feed; until then it is looked at again.
  weighed_at BIGINT
);
CREATE INDEX section_status_events_section ON section_status_events (section_id, status_event_id);
CREATE INDEX section_status_events_new ON section_status_events (status_event_id) WHERE weighed_at IS NULL;

-- Every list of open sections that came: when, and what it was. Its sections are in open_list_indexes.
CREATE TABLE open_section_snapshots (
  snapshot_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  seen_open_at TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  index_count INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  opened INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  trace_id TEXT NOT NULL,
  CONSTRAINT open_section_snapshots_verdict CHECK (verdict IN ('baseline', 'taken', 'held', 'empty'))
);
CREATE INDEX open_section_snapshots_list ON open_section_snapshots (term_id, campus_code, snapshot_id);

-- One list that is polled: a term at a campus, or at several that share a list. `version` is the fence: who computed from an
-- older one writes nothing.
CREATE TABLE open_lists (
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  version BIGINT NOT NULL DEFAULT 0,
  baseline_at BIGINT,
  -- The last answer that was a list; the last that was believed.
  heard_at BIGINT,
  good_at BIGINT,
  source_hash TEXT,
  open_count INTEGER NOT NULL DEFAULT 0,
  -- JSON: what is known of a list that is held back.
  held TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  next_poll_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (term_id, campus_code)
);

-- What is believed of each index: only those are written that change.
CREATE TABLE open_list_indexes (
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  index_number TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  misses INTEGER NOT NULL DEFAULT 0,
  missed_at BIGINT,
  opened_at BIGINT,
  closed_at BIGINT,
  PRIMARY KEY (term_id, campus_code, index_number),
  CONSTRAINT open_list_indexes_open CHECK (is_open IN (0, 1))
);

-- Spec 004, field by field. Append-only: how far its fan-out has come stands beside it.
CREATE TABLE open_events (
  open_event_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  section_id BIGINT,
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  index_number TEXT NOT NULL,
  subscription_id BIGINT,
  status_before TEXT NOT NULL,
  status_after TEXT NOT NULL,
  seat_delta INTEGER NOT NULL,
  event_at TEXT NOT NULL,
  detected_by TEXT NOT NULL,
  snapshot_id BIGINT,
  dedupe_key TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  CONSTRAINT open_events_before CHECK (status_before IN ('Open', 'Closed', 'Wait', 'Unknown')),
  CONSTRAINT open_events_after CHECK (status_after IN ('Open', 'Closed')),
  CONSTRAINT open_events_delta CHECK (seat_delta IN (-1, 0, 1)),
  CONSTRAINT open_events_detected_by CHECK (detected_by IN ('open_sections', 'section_status_event', 'manual'))
);
CREATE UNIQUE INDEX open_events_dedupe ON open_events (dedupe_key);
CREATE INDEX open_events_section ON open_events (term_id, index_number, open_event_id);
CREATE INDEX open_events_old ON open_events (event_at);

CREATE TABLE open_event_fanouts (
  open_event_id BIGINT NOT NULL PRIMARY KEY,
  after_subscription_id BIGINT NOT NULL DEFAULT 0,
  finished_at BIGINT
);
CREATE INDEX open_event_fanouts_open ON open_event_fanouts (open_event_id) WHERE finished_at IS NULL;

CREATE TABLE subscriptions (
  subscription_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  section_id BIGINT,
  term_id TEXT NOT NULL,
  campus_code TEXT NOT NULL,
  index_number TEXT NOT NULL,
  contact_type TEXT NOT NULL,
  -- Blank when they have left and the time to undo it is over; the hash stays.
  contact_value TEXT,
  contact_hash TEXT NOT NULL,
  locale TEXT,
  status TEXT NOT NULL,
  last_known_section_status TEXT,
  -- JSON, as spec 000's preferences; the others are columns, because fan-out asks for them.
  notify_on TEXT NOT NULL DEFAULT '["open"]',
  max_notifications INTEGER,
  notifications_sent INTEGER NOT NULL DEFAULT 0,
  window_start_minutes INTEGER,
  window_end_minutes INTEGER,
  snooze_until BIGINT,
  token_id TEXT NOT NULL,
  verifications INTEGER NOT NULL DEFAULT 0,
  verified_at BIGINT,
  left_at BIGINT,
  status_before_leaving TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  CONSTRAINT subscriptions_status CHECK (status IN ('pending', 'active', 'paused', 'suppressed', 'unsubscribed')),
  CONSTRAINT subscriptions_known CHECK (last_known_section_status IN ('Open', 'Closed', 'Wait', 'Unknown')),
  CONSTRAINT subscriptions_window CHECK ((window_start_minutes IS NULL) = (window_end_minutes IS NULL))
);
CREATE UNIQUE INDEX subscriptions_token ON subscriptions (token_id);
-- Nobody watches the same section twice.
CREATE UNIQUE INDEX subscriptions_once ON subscriptions (contact_hash, term_id, index_number) WHERE status <> 'unsubscribed';
-- The fan-out: who watches this section and may be told.
CREATE INDEX subscriptions_watching ON subscriptions (term_id, index_number, subscription_id) WHERE status IN ('active', 'pending');
-- The others: when a section closes, whoever rests must hear of its next opening too.
CREATE INDEX subscriptions_resting ON subscriptions (term_id, index_number) WHERE status IN ('paused', 'suppressed', 'unsubscribed');
-- Whoever asks about a person: all that they watch or have watched, newest first.
CREATE INDEX subscriptions_contact ON subscriptions (contact_hash, subscription_id);
CREATE INDEX subscriptions_leaving ON subscriptions (left_at) WHERE left_at IS NOT NULL AND contact_value IS NOT NULL;
-- What ends by itself: watches that nobody has confirmed, and those that rest when their term is over.
CREATE INDEX subscriptions_unconfirmed ON subscriptions (created_at) WHERE status = 'pending';
CREATE INDEX subscriptions_paused ON subscriptions (term_id) WHERE status IN ('paused', 'suppressed');

CREATE TABLE subscription_events (
  subscription_event_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription_id BIGINT NOT NULL,
  event_type TEXT NOT NULL,
  section_status TEXT,
  open_event_id BIGINT,
  detail TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX subscription_events_subscription ON subscription_events (subscription_id, subscription_event_id);

-- Spec 000's queue, in its own words (src/sources/course-seats/words.ts has the same; a test compares the two).
CREATE VIEW open_event_notifications AS
SELECT
  seq AS notification_id,
  occasion::bigint AS open_event_id,
  recipient::bigint AS subscription_id,
  dedupe_key,
  CASE
    WHEN status IN ('pending', 'claimed', 'sending', 'failed_transient', 'reconciling') THEN 'pending'
    WHEN status IN ('sent', 'delivered') THEN 'sent'
    WHEN status = 'suppressed' THEN CASE WHEN sent_at IS NULL THEN 'skipped' ELSE 'sent' END
    WHEN status IN ('skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible') THEN 'skipped'
    WHEN status = 'expired' THEN 'expired'
    WHEN status = 'failed_permanent' AND last_error::jsonb ->> 'code' IN ('invalid_recipient', 'not_email', 'missing_locale', 'missing_variable', 'invalid_mail_job', 'mailbox_unknown') THEN 'skipped'
    ELSE 'failed'
  END AS fanout_status,
  attempts AS fanout_attempts,
  to_char(to_timestamp(last_attempt_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_attempt_at,
  locked_by,
  to_char(to_timestamp(locked_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS locked_at,
  -- What was sent says by whom; what is to be sent again, or bounced for the last time, says why.
  CASE
    WHEN status IN ('sent', 'delivered') OR (status = 'suppressed' AND sent_at IS NOT NULL)
      THEN json_build_object('provider', split_part(account, ':', 1), 'providerMessageId', provider_message_id, 'status', 'sent')::text
    ELSE last_error
  END AS error
FROM deliveries WHERE source = 'course-seats';

-- The operator's requeue of spec 000, by its literal UPDATE: a request, which the sweep performs.
CREATE FUNCTION requeue_open_event_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.fanout_status = 'pending' AND NEW.fanout_attempts = 0 AND NEW.error IS NULL THEN
    INSERT INTO operator_requests (delivery_seq, verb, reason, requested_by, requested_at)
    VALUES (OLD.notification_id, 'requeued', 'requeued by SQL', 'SQL', (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'open_event_notifications takes one change: SET fanout_status = ''pending'', fanout_attempts = 0, error = NULL';
END
$$;
CREATE TRIGGER open_event_notifications_requeue INSTEAD OF UPDATE ON open_event_notifications
FOR EACH ROW EXECUTE FUNCTION requeue_open_event_notification();
