-- The same checks, and the same index, in the words of ../sqlite/0016_checks.sql, which says why; to PostgreSQL they are the same.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_lane;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_lane CHECK (lane = 'urgent' OR lane = 'normal' OR lane = 'bulk');
ALTER TABLE deliveries DROP CONSTRAINT deliveries_status;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status CHECK (status = 'pending' OR status = 'claimed' OR status = 'sending' OR status = 'sent' OR status = 'delivered' OR status = 'failed_transient' OR status = 'reconciling' OR status = 'needs_review' OR status = 'failed_permanent' OR status = 'suppressed' OR status = 'skipped_unsubscribed' OR status = 'skipped_no_email' OR status = 'skipped_ineligible' OR status = 'expired');
ALTER TABLE deliveries DROP CONSTRAINT deliveries_doubt;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_doubt CHECK (status = 'failed_permanent' OR (first_possible_accept_at IS NOT NULL) = (status = 'sending' OR status = 'reconciling' OR status = 'needs_review'));
ALTER TABLE deliveries DROP CONSTRAINT deliveries_due;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_due CHECK ((due_at IS NOT NULL) OR (status <> 'pending' AND status <> 'claimed' AND status <> 'sending' AND status <> 'failed_transient' AND status <> 'reconciling'));
ALTER TABLE deliveries DROP CONSTRAINT deliveries_free;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_free CHECK ((locked_by IS NULL) OR status = 'claimed' OR status = 'sending' OR status = 'reconciling');
DROP INDEX deliveries_in_hand;
CREATE INDEX deliveries_in_hand ON deliveries (due_at, seq) WHERE status = 'claimed' OR status = 'sending' OR status = 'reconciling';
