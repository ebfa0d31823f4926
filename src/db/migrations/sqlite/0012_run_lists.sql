-- Who of a run is in one state, page by page: of a hundred thousand perhaps ten were left out.
CREATE INDEX notification_run_items_listed ON notification_run_items (run_id, state, notification_id);
