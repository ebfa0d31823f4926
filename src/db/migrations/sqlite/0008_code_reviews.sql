-- Code reviews: the versions of a change list, who is told of each, and what became of second tries.

-- One line a change list. Whoever submits holds it, so that of two who come at once one is the later.
CREATE TABLE review_changelists (
  changelist_id TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL
);

-- A version of a change list and what is said of it. Never changed: a mail is made from it whenever it is made. How it stands is not
-- here, because it follows from its deliveries.
CREATE TABLE review_jobs (
  job_id TEXT NOT NULL PRIMARY KEY,
  idempotency_key TEXT NOT NULL,
  changelist_id TEXT NOT NULL,
  review_version INTEGER NOT NULL,
  -- The latest one before it, of which the mail says what has changed since.
  previous_version INTEGER,
  is_rerun INTEGER NOT NULL,
  title TEXT NOT NULL,
  url TEXT,
  summary TEXT,
  -- JSON: a list, and its length for who reads many jobs.
  findings TEXT NOT NULL,
  findings_count INTEGER NOT NULL,
  locale TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  trace_id TEXT NOT NULL,
  CONSTRAINT review_jobs_version CHECK (review_version >= 1),
  CONSTRAINT review_jobs_previous CHECK (previous_version >= 1 AND previous_version < review_version),
  CONSTRAINT review_jobs_rerun CHECK (is_rerun IN (0, 1))
);
-- 003-6.1-2: a second request with the same key finds the first one's job.
CREATE UNIQUE INDEX review_jobs_idempotency_key ON review_jobs (idempotency_key);
CREATE UNIQUE INDEX review_jobs_version_once ON review_jobs (changelist_id, review_version);
CREATE INDEX review_jobs_newest ON review_jobs (created_at, job_id);

CREATE TABLE review_job_recipients (
  job_id TEXT NOT NULL,
  -- The address in lower case: the delivery's recipient.
  recipient TEXT NOT NULL,
  is_required INTEGER NOT NULL,
  delivery_seq INTEGER NOT NULL,
  PRIMARY KEY (job_id, recipient),
  CONSTRAINT review_job_recipients_required CHECK (is_required IN (0, 1))
);
CREATE UNIQUE INDEX review_job_recipients_delivery ON review_job_recipients (delivery_seq);

-- Second tries of what had ended: how it had ended, and how that went. Open until it has ended again.
CREATE TABLE review_replays (
  replay_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  delivery_seq INTEGER NOT NULL,
  job_id TEXT NOT NULL,
  error_class TEXT NOT NULL,
  code TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  settled_at INTEGER,
  outcome TEXT,
  CONSTRAINT review_replays_outcome CHECK (outcome IN ('sent', 'escalated', 'ended')),
  CONSTRAINT review_replays_settled CHECK ((settled_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX review_replays_open ON review_replays (replay_seq) WHERE settled_at IS NULL;
CREATE INDEX review_replays_escalated ON review_replays (delivery_seq) WHERE outcome = 'escalated';

-- Spec 003's delivery log, in its own words (src/sources/code-reviews/words.ts has the same; a test compares the two).
CREATE VIEW review_deliveries AS
SELECT
  jobs.changelist_id,
  recipients.recipient,
  jobs.review_version,
  jobs.job_id,
  recipients.is_required,
  deliveries.id AS delivery_id,
  deliveries.seq AS delivery_seq,
  CASE
    WHEN deliveries.sent_at IS NOT NULL THEN 'sent'
    WHEN deliveries.status IN ('failed_permanent', 'suppressed', 'skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible', 'expired') THEN 'failed'
    ELSE 'unsent'
  END AS status,
  deliveries.status AS stage,
  -- While a new round is under way the last one's: it is the evidence of what notified_at says.
  COALESCE(deliveries.provider_message_id, (
    SELECT mails.provider_message_id FROM delivery_mails AS mails
    WHERE mails.delivery_seq = deliveries.seq AND mails.provider_message_id IS NOT NULL ORDER BY mails.round DESC LIMIT 1
  )) AS notification_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', deliveries.sent_at / 1000.0, 'unixepoch') AS notified_at,
  deliveries.attempts,
  COALESCE(deliveries.last_error ->> 'message', deliveries.last_error ->> 'code') AS last_error,
  strftime('%Y-%m-%dT%H:%M:%fZ', deliveries.created_at / 1000.0, 'unixepoch') AS created_at
FROM review_job_recipients AS recipients
JOIN review_jobs AS jobs ON jobs.job_id = recipients.job_id
JOIN deliveries ON deliveries.seq = recipients.delivery_seq;
