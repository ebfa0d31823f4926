-- Newsletters and alerts: who asked for what, what is known of budgets, and the runs in which people are told.

-- One line a user and a wish, for ever: whoever takes it back and comes again gets the same line, and so no period twice.
CREATE TABLE notifications (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  notification_type TEXT NOT NULL,
  entity_cui TEXT,
  -- Of an alert: JSON. Its dataset stands beside it, because the dataset decides the period.
  config TEXT,
  dataset_id TEXT,
  hash TEXT NOT NULL,
  locale TEXT,
  is_active INTEGER NOT NULL,
  inactive_because TEXT,
  inactive_at INTEGER,
  deleted_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CONSTRAINT notifications_type CHECK (notification_type IN ('newsletter_entity_monthly', 'newsletter_entity_quarterly', 'newsletter_entity_yearly', 'alert_series_analytics', 'alert_series_static')),
  CONSTRAINT notifications_active CHECK ((is_active = 1) = (inactive_because IS NULL)),
  CONSTRAINT notifications_why CHECK (inactive_because IN ('by_user', 'deleted', 'unsubscribed', 'global_opt_out', 'bounced', 'complained'))
);
CREATE UNIQUE INDEX notifications_hash ON notifications (hash);
CREATE INDEX notifications_user ON notifications (user_id, created_at);
CREATE INDEX notifications_of_type ON notifications (notification_type, id);
CREATE INDEX notifications_entity ON notifications (entity_cui, user_id) WHERE entity_cui IS NOT NULL;

-- Who wants none of it at all.
CREATE TABLE notification_opt_outs (
  user_id TEXT NOT NULL PRIMARY KEY,
  opted_out_at INTEGER NOT NULL,
  via TEXT NOT NULL
);

-- Of whom a recipient wants mail again who had stopped everything: names of sources, in JSON. The line holds for all others.
ALTER TABLE suppressions ADD COLUMN except_for TEXT;

-- Links in mails that another system sent, by the SHA-256 of what stands in them: they lead where they led before.
CREATE TABLE unsubscribe_links_taken_over (
  token_hash TEXT NOT NULL PRIMARY KEY,
  source TEXT NOT NULL,
  recipient TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

-- Whose address is whose, where no other directory is configured.
CREATE TABLE users (
  user_id TEXT NOT NULL PRIMARY KEY,
  email TEXT,
  is_verified INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL;

-- Budgets as they were imported. Amounts are texts: decimals, exact to the last digit.
CREATE TABLE budget_entities (
  cui TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  entity_type TEXT,
  county_name TEXT,
  population INTEGER,
  updated_at INTEGER NOT NULL
);
-- The chapter '' is the total; without it the total is what the chapters add up to.
CREATE TABLE budget_amounts (
  cui TEXT NOT NULL,
  period_key TEXT NOT NULL,
  side TEXT NOT NULL,
  chapter TEXT NOT NULL,
  chapter_name TEXT,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  PRIMARY KEY (cui, period_key, side, chapter),
  CONSTRAINT budget_amounts_side CHECK (side IN ('income', 'expenses'))
);

CREATE TABLE notification_runs (
  run_id TEXT NOT NULL PRIMARY KEY,
  notification_type TEXT NOT NULL,
  period_key TEXT NOT NULL,
  status TEXT NOT NULL,
  -- A second click finds the first one's run; a forced one, a plan and one that was cancelled have none.
  dedupe_key TEXT,
  is_forced INTEGER NOT NULL DEFAULT 0,
  limit_to INTEGER,
  eligible_count INTEGER NOT NULL,
  canary_size INTEGER,
  canary_bounces_max INTEGER,
  canary_wait_ms INTEGER,
  canary_passed_at INTEGER,
  plan_expires_at INTEGER,
  -- JSON: what the first of them would read, as it was planned.
  sample TEXT,
  applied_at INTEGER,
  status_because TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Where its deliveries are to be held back, released or ended: up to which place that is done. None where nothing is to be done.
  pass_after INTEGER,
  ended_at INTEGER,
  trace_id TEXT NOT NULL,
  CONSTRAINT notification_runs_status CHECK (status IN ('planned', 'expired', 'running', 'paused', 'halted', 'cancelled', 'finished'))
);
CREATE UNIQUE INDEX notification_runs_once ON notification_runs (dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX notification_runs_newest ON notification_runs (created_at, run_id);
CREATE INDEX notification_runs_at_work ON notification_runs (created_at, run_id) WHERE status IN ('planned', 'running') OR pass_after IS NOT NULL;

-- Whom a run is for, one line each: what a plan showed, and what became of it. A line without a place was never to be told.
CREATE TABLE notification_run_items (
  run_id TEXT NOT NULL,
  notification_id TEXT NOT NULL,
  place INTEGER,
  user_id TEXT NOT NULL,
  period_key TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Why it was left out; of one that is being tried again, what was wrong the last time.
  reason TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0,
  delivery_seq INTEGER,
  PRIMARY KEY (run_id, notification_id),
  CONSTRAINT notification_run_items_state CHECK (state IN ('planned', 'collected', 'composed', 'left_out', 'excluded')),
  CONSTRAINT notification_run_items_why CHECK ((reason IS NOT NULL) OR state IN ('planned', 'collected', 'composed'))
);
CREATE INDEX notification_run_items_next ON notification_run_items (run_id, state, due_at, place);
CREATE INDEX notification_run_items_place ON notification_run_items (run_id, place);
CREATE INDEX notification_run_items_delivery ON notification_run_items (delivery_seq) WHERE delivery_seq IS NOT NULL;

-- Spec 002's outbox, in its own words (src/sources/newsletters/words.ts has the same; a test compares the two).
CREATE VIEW notification_deliveries AS
SELECT
  deliveries.id,
  substr(recipient, 1, instr(recipient, ':') - 1) AS user_id,
  substr(recipient, instr(recipient, ':') + 1) AS notification_id,
  occasion AS period_key,
  recipient || ':' || occasion AS delivery_key,
  CASE
    WHEN status = 'claimed' THEN 'sending'
    WHEN status = 'reconciling' THEN 'failed_transient'
    WHEN status = 'needs_review' THEN 'failed_permanent'
    WHEN status IN ('skipped_ineligible', 'expired') THEN 'skipped_unsubscribed'
    ELSE status
  END AS status,
  (SELECT token_id FROM unsubscribe_tokens WHERE unsubscribe_tokens.recipient = deliveries.recipient AND unsubscribe_tokens.source = deliveries.source) AS unsubscribe_token_id,
  mails.subject AS rendered_subject,
  mails.html AS rendered_html,
  mails.text AS rendered_text,
  deliveries.content_hash,
  deliveries.template_name,
  deliveries.template_version,
  deliveries.to_email,
  deliveries.provider_message_id AS resend_email_id,
  COALESCE(deliveries.last_error ->> 'message', deliveries.last_error ->> 'code') AS last_error,
  -- An imported line was sent once, by somebody else.
  CASE WHEN claims = 0 THEN attempts ELSE claims END AS attempt_count,
  -- From the claim on (002-P4-09); ours begins a little later, when bytes may leave.
  strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN status = 'claimed' THEN locked_at ELSE last_attempt_at END / 1000.0, 'unixepoch') AS last_attempt_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', sent_at / 1000.0, 'unixepoch') AS sent_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at
FROM deliveries LEFT JOIN delivery_mails AS mails ON mails.delivery_seq = deliveries.seq
  AND mails.round = (SELECT max(round) FROM delivery_mails WHERE delivery_mails.delivery_seq = deliveries.seq)
WHERE source = 'newsletters';

-- The name that the specification gave it.
CREATE VIEW NotificationDeliveries AS SELECT * FROM notification_deliveries;

-- The specification's record of webhooks, which are kept once for all providers. What speaks of no mail is not in it, and of what
-- retention has forgotten it says so with an empty object.
CREATE INDEX webhook_events_message ON webhook_events (provider_message_id) WHERE provider_message_id IS NOT NULL;
CREATE VIEW ResendWebhookEvents AS
SELECT
  event_seq AS id,
  provider_event_id AS svix_id,
  type AS event_type,
  webhook_events.provider_message_id AS resend_email_id,
  deliveries.id AS delivery_id,
  COALESCE(payload, '{}') AS payload,
  strftime('%Y-%m-%dT%H:%M:%fZ', processed_at / 1000.0, 'unixepoch') AS processed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS created_at
FROM webhook_events LEFT JOIN deliveries ON deliveries.seq = webhook_events.delivery_seq
WHERE provider = 'resend' AND webhook_events.provider_message_id IS NOT NULL;
