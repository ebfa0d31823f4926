-- Lists, searches and counts that stay quick however much has been sent.
-- `0 - seq` is newest first, and an order that no other index has: a planner that guesses cannot take the primary key instead
-- and walk the whole table to rows that are at its far end.

-- Any status of any source, newest first. It replaces the index of the operator's work lists.
CREATE INDEX deliveries_listed ON deliveries (source, status, (0 - seq));
DROP INDEX deliveries_attention;
-- One occasion's deliveries, newest first, however many people it was told to. As an expression, so that only who asks in the
-- same words gets it: who knows the whole identity must not be led through all the people of an occasion.
CREATE INDEX deliveries_occasion ON deliveries ((occasion || ''), (0 - seq));
-- The same identity as before, from its other end: the same index now also finds recipients.
DROP INDEX deliveries_identity;
CREATE UNIQUE INDEX deliveries_identity ON deliveries (recipient, occasion, source);
-- Addresses are stored as they are written to and looked for in lower case. Not a partial index: PostgreSQL makes no use of
-- what it knows about an expression there, and guesses.
DROP INDEX deliveries_to_email;
CREATE INDEX deliveries_to_email ON deliveries (lower(to_email), (0 - seq));

-- How many deliveries there are under each heading, a final status or `open`: the sum of the deltas. Who changes a count adds
-- a line, so that nobody waits for another's; the sweep folds many lines into one.
CREATE TABLE delivery_counts (
  count_seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  source TEXT NOT NULL,
  heading TEXT NOT NULL,
  delta INTEGER NOT NULL
);
INSERT INTO delivery_counts (source, heading, delta)
SELECT source, CASE WHEN status IN ('pending', 'claimed', 'sending', 'failed_transient', 'reconciling', 'needs_review') THEN 'open' ELSE status END AS heading, count(*)
FROM deliveries GROUP BY source, 2;
