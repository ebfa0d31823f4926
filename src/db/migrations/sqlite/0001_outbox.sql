-- The outbox and what stands beside it. Times are milliseconds since the epoch.
-- The same tables, columns, indexes and checks as in ../postgres/0001_outbox.sql; a test compares the two.

-- Random, made once: two deployments that share a provider account must not share idempotency keys.
CREATE TABLE instance (
  only_row INTEGER NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL,
  CONSTRAINT instance_is_one CHECK (only_row = 1)
);
INSERT INTO instance (only_row, namespace) VALUES (1,
  lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a'
    || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))));

CREATE TABLE deliveries (
  -- AUTOINCREMENT: a number is never reused, even after retention deleted its row.
  seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  occasion TEXT NOT NULL,
  recipient TEXT NOT NULL,
  lane TEXT NOT NULL,
  status TEXT NOT NULL,
  evidence INTEGER NOT NULL DEFAULT 0,
  round INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  claims INTEGER NOT NULL DEFAULT 0,
  lapses INTEGER NOT NULL DEFAULT 0,
  lease INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  locked_by TEXT,
  locked_at INTEGER,
  to_email TEXT,
  locale TEXT,
  template_name TEXT,
  template_version TEXT,
  content_hash TEXT,
  account TEXT,
  provider_message_id TEXT,
  first_possible_accept_at INTEGER,
  resubmit_until INTEGER,
  last_attempt_at INTEGER,
  last_error TEXT,
  trace_id TEXT,
  dedupe_key TEXT,
  sent_at INTEGER,
  delivered_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  CONSTRAINT deliveries_lane CHECK (lane IN ('urgent', 'normal', 'bulk')),
  CONSTRAINT deliveries_status CHECK (status IN ('pending', 'claimed', 'sending', 'sent', 'delivered', 'failed_transient', 'reconciling', 'needs_review', 'failed_permanent', 'suppressed', 'skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible', 'expired')),
  CONSTRAINT deliveries_doubt CHECK (status = 'failed_permanent' OR (first_possible_accept_at IS NOT NULL) = (status IN ('sending', 'reconciling', 'needs_review'))),
  CONSTRAINT deliveries_due CHECK ((due_at IS NOT NULL) OR status NOT IN ('pending', 'claimed', 'sending', 'failed_transient', 'reconciling')),
  CONSTRAINT deliveries_held CHECK ((locked_by IS NOT NULL) OR status NOT IN ('claimed', 'sending')),
  CONSTRAINT deliveries_free CHECK ((locked_by IS NULL) OR status IN ('claimed', 'sending', 'reconciling')),
  CONSTRAINT deliveries_accepted CHECK ((sent_at IS NOT NULL) OR status NOT IN ('sent', 'delivered')),
  CONSTRAINT deliveries_counts CHECK (evidence >= 0 AND round >= 0 AND attempts >= 0 AND claims >= 0 AND lapses >= 0 AND lease >= 0)
);

CREATE UNIQUE INDEX deliveries_id ON deliveries (id);
-- One occasion, told to one recipient, once.
CREATE UNIQUE INDEX deliveries_identity ON deliveries (source, occasion, recipient);
-- The claim. Only waiting rows are in it, so it stays small however much has been sent.
CREATE INDEX deliveries_claimable ON deliveries (source, lane, due_at, seq) WHERE status IN ('pending', 'failed_transient') AND lapses < 2;
-- Rows that were in hand when a worker died, twice: they are claimed one at a time.
CREATE INDEX deliveries_suspect ON deliveries (source, due_at, seq) WHERE status IN ('pending', 'failed_transient') AND lapses >= 2;
-- The sweep and the reconciliation: whatever is held or in doubt and due.
CREATE INDEX deliveries_in_hand ON deliveries (due_at, seq) WHERE status IN ('claimed', 'sending', 'reconciling');
-- The operator's work lists.
CREATE INDEX deliveries_attention ON deliveries (status, seq) WHERE status IN ('needs_review', 'failed_permanent');
CREATE INDEX deliveries_provider_message ON deliveries (provider_message_id) WHERE provider_message_id IS NOT NULL;
CREATE INDEX deliveries_to_email ON deliveries (to_email, seq) WHERE to_email IS NOT NULL;

-- Apart from deliveries, so that the rows that are claimed and recorded stay narrow. Round 0 is what the intent
-- brought (its variables); rounds from 1 on are the frozen mails. No foreign key: only the outbox writes here, in
-- the transaction that writes the delivery, and a reference check per mail would be paid on the hot path.
CREATE TABLE delivery_mails (
  delivery_seq INTEGER NOT NULL,
  round INTEGER NOT NULL,
  variables TEXT,
  sender TEXT,
  to_email TEXT,
  reply_to TEXT,
  subject TEXT,
  html TEXT,
  text TEXT,
  headers TEXT,
  tags TEXT,
  body_hash TEXT,
  provider_message_id TEXT,
  frozen_at INTEGER,
  PRIMARY KEY (delivery_seq, round)
);
CREATE INDEX delivery_mails_provider_message ON delivery_mails (provider_message_id) WHERE provider_message_id IS NOT NULL;

-- The story: a row per attempt and per change that matters.
CREATE TABLE delivery_events (
  event_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  delivery_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  round INTEGER NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT
);
CREATE INDEX delivery_events_delivery ON delivery_events (delivery_seq, event_seq);

-- A source's bookkeeping that threw: the status is committed, this is still owed to the source.
CREATE TABLE owed_facts (
  owed_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  delivery_seq INTEGER NOT NULL,
  source TEXT NOT NULL,
  fact TEXT NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 1,
  last_error TEXT NOT NULL
);
CREATE INDEX owed_facts_due ON owed_facts (due_at);

-- What operators ask for by SQL; the sweep performs it, so that the outbox stays the only writer of status.
CREATE TABLE operator_requests (
  request_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  delivery_seq INTEGER NOT NULL,
  verb TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  performed_at INTEGER,
  answer TEXT,
  CONSTRAINT operator_requests_verb CHECK (verb IN ('requeued', 'resolved_sent', 'resolved_not_sent', 'resolved_closed'))
);
CREATE INDEX operator_requests_open ON operator_requests (request_seq) WHERE performed_at IS NULL;

-- Addresses that must not be mailed, by their lower-cased form.
CREATE TABLE suppressions (
  address_key TEXT NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  delivery_seq INTEGER,
  created_at INTEGER NOT NULL
);

-- The built-in inbox: what the capture provider accepted.
CREATE TABLE captured_mails (
  captured_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  message_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  mail TEXT NOT NULL,
  received_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX captured_mails_message ON captured_mails (message_id);
CREATE UNIQUE INDEX captured_mails_key ON captured_mails (idempotency_key);
