-- Since when a list is asked for: of one that never came there is nothing else to tell how long that has been so. Null of lists that were
-- asked for before.
ALTER TABLE open_lists ADD COLUMN asked_at INTEGER;
