-- What operators asked to be changed, who and why: written before it is done, with what came of it afterwards. No address is in it, and
-- nothing is ever taken out of it.
CREATE TABLE audit_log (
  audit_seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  asked_at INTEGER NOT NULL,
  who TEXT NOT NULL,
  verb TEXT NOT NULL,
  details TEXT NOT NULL,
  reason TEXT,
  trace_id TEXT NOT NULL,
  -- As it was answered; null where nobody lived to say so.
  answer TEXT
);
