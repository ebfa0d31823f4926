-- What comes back: webhooks, addresses that must not be mailed, and the way out of every mail.

-- What providers told us, once each by the provider's own id of it. What could not be linked to a delivery is due again.
CREATE TABLE webhook_events (
  event_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  provider TEXT NOT NULL,
  provider_event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  provider_message_id TEXT,
  delivery_seq INTEGER,
  happened_at INTEGER,
  received_at INTEGER NOT NULL,
  -- When it was applied, or found to say nothing; the same transaction wrote what it changed.
  processed_at INTEGER,
  outcome TEXT,
  due_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  -- How often it came again.
  repeats INTEGER NOT NULL DEFAULT 0,
  payload TEXT,
  CONSTRAINT webhook_events_waiting CHECK ((processed_at IS NULL) = (due_at IS NOT NULL))
);
CREATE UNIQUE INDEX webhook_events_once ON webhook_events (provider, provider_event_id);
CREATE INDEX webhook_events_waiting_for ON webhook_events (due_at, event_seq) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_delivery ON webhook_events (delivery_seq, event_seq) WHERE delivery_seq IS NOT NULL;
-- Retention: what was said is forgotten, that it was said is not.
CREATE INDEX webhook_events_payload ON webhook_events (received_at) WHERE payload IS NOT NULL;

-- Addresses that must not be mailed, by their lower-cased form: from everything (`*`) or from one source. A line is never
-- taken back, it is lifted: who was suppressed when, and who let them go, can be told afterwards.
CREATE TABLE suppressions_kept (
  suppression_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  address_key TEXT NOT NULL,
  scope TEXT NOT NULL,
  reason TEXT NOT NULL,
  note TEXT,
  delivery_seq INTEGER,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  lifted_at INTEGER,
  lifted_by TEXT,
  lifted_because TEXT,
  CONSTRAINT suppressions_reason CHECK (reason IN ('bounced_for_good', 'complained', 'provider_suppressed', 'mailbox_unknown', 'operator', 'imported', 'unsubscribed'))
);
INSERT INTO suppressions_kept (address_key, scope, reason, delivery_seq, created_by, created_at)
SELECT address_key, '*', reason, delivery_seq, 'evidence', created_at FROM suppressions;
DROP TABLE suppressions;
ALTER TABLE suppressions_kept RENAME TO suppressions;
-- What the recipient said stands beside what others say: taking back the one must not undo the other.
CREATE UNIQUE INDEX suppressions_active ON suppressions (address_key, scope, (reason = 'unsubscribed')) WHERE lifted_at IS NULL;
CREATE INDEX suppressions_lifted ON suppressions (lifted_at) WHERE lifted_at IS NOT NULL;

-- The way out of a source's mails, one for each of its recipients. The number alone opens nothing: what stands in the mail
-- is signed with a secret that is not in this database. It holds no address.
CREATE TABLE unsubscribe_tokens (
  token_id TEXT NOT NULL PRIMARY KEY,
  source TEXT NOT NULL,
  recipient TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  unsubscribed_at INTEGER,
  unsubscribed_via TEXT,
  -- Where everything was stopped at once: the line that does it.
  suppression_seq INTEGER,
  -- Who brought them back at their own wish, when it was too late for the page.
  reopened_at INTEGER,
  reopened_by TEXT,
  reopened_because TEXT
);
CREATE UNIQUE INDEX unsubscribe_tokens_owner ON unsubscribe_tokens (recipient, source);

-- Accepted, and nobody has said what became of it: asked about when due.
CREATE INDEX deliveries_unconfirmed ON deliveries (due_at, seq) WHERE status = 'sent' AND due_at IS NOT NULL;
-- Said to be sent, and nothing shows it.
CREATE INDEX deliveries_unproven ON deliveries (sent_at, seq) WHERE status = 'sent' AND evidence = 0;
