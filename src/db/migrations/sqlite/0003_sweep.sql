-- The sweep: what waits and has a last moment. Most intents have none and are not in it.
CREATE INDEX deliveries_expiring ON deliveries (expires_at, seq) WHERE expires_at IS NOT NULL AND status IN ('pending', 'failed_transient');
