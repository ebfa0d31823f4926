-- Lists and searches of suppressions that stay quick however long the list is. `0 - suppression_seq` is newest first, as in
-- 0004_reading.sql; those that were lifted are in it too, because they can be asked for and are few. All are expressions, so that only who
-- asks in the same words gets them: who is about to send goes by `suppressions_active`, as before.

-- Every line of an address, and the addresses that begin with some text, which are one stretch of it.
CREATE INDEX suppressions_address ON suppressions ((address_key || '') COLLATE "C", suppression_seq);
CREATE INDEX suppressions_by_reason ON suppressions ((reason || ''), (0 - suppression_seq));
CREATE INDEX suppressions_by_scope ON suppressions ((scope || ''), (0 - suppression_seq));
CREATE INDEX suppressions_by_scope_and_reason ON suppressions ((scope || ''), (reason || ''), (0 - suppression_seq));
