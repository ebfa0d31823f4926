-- The built-in inbox as a page: finding mails, what is still to be reported of them, and what it is told to do wrong.

-- What mails are found by, in lower case. Those from before this have none: they are listed, and not found.
ALTER TABLE captured_mails ADD COLUMN to_key TEXT;
ALTER TABLE captured_mails ADD COLUMN subject_key TEXT;
-- What is still to be told of it, as a list of events in the order of telling, and when the first of them is due.
ALTER TABLE captured_mails ADD COLUMN reports TEXT;
ALTER TABLE captured_mails ADD COLUMN report_due_at INTEGER;
-- Whatever begins with some text is one stretch. Each holds both texts and the order of the list, so that nobody has to read the mails.
CREATE INDEX captured_mails_to ON captured_mails (to_key, (0 - captured_seq), subject_key);
CREATE INDEX captured_mails_subject ON captured_mails (subject_key, (0 - captured_seq), to_key);
CREATE INDEX captured_mails_newest ON captured_mails ((0 - captured_seq), to_key, subject_key);
CREATE INDEX captured_mails_reports ON captured_mails (report_due_at, captured_seq) WHERE report_due_at IS NOT NULL;
-- Retention.
CREATE INDEX captured_mails_received ON captured_mails (received_at);

-- Mails up to the highest of these numbers are cleared away: not listed any more, and kept, because a delivery in doubt is looked up by its key.
CREATE TABLE inbox_clearings (
  up_to INTEGER NOT NULL PRIMARY KEY,
  cleared_by TEXT NOT NULL,
  cleared_at INTEGER NOT NULL
);

-- What the inbox does wrong on purpose, each for a time, so that nobody forgets it.
CREATE TABLE inbox_switches (
  name TEXT NOT NULL PRIMARY KEY,
  on_until INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL
);
