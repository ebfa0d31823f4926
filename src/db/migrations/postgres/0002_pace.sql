-- How fast each provider account is asked, and whether at all: one row shared by all processes.
CREATE TABLE provider_pace (
  account TEXT NOT NULL PRIMARY KEY,
  next_slot_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  seen_rate_per_second DOUBLE PRECISION,
  paused_until BIGINT NOT NULL DEFAULT 0,
  open_since BIGINT,
  open_reason TEXT,
  probe_at BIGINT,
  doubts INTEGER NOT NULL DEFAULT 0,
  openings INTEGER NOT NULL DEFAULT 0
);

-- What an operator has stopped: everything (`*`) or one source.
CREATE TABLE pauses (
  scope TEXT NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  paused_by TEXT NOT NULL,
  paused_at BIGINT NOT NULL
);
