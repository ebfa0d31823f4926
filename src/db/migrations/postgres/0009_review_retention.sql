-- Retention: what a review found goes with its mails, and the review itself stays. When that was; null while it is all there.
ALTER TABLE review_jobs ADD COLUMN forgotten_at BIGINT;
-- Those of which something is left to be forgotten, the oldest first.
CREATE INDEX review_jobs_kept ON review_jobs (created_at, job_id) WHERE forgotten_at IS NULL;
