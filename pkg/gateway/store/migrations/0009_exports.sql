-- Finds the exports whose time is over, and those that ended long ago, without reading the others.
CREATE INDEX exports_due ON exports(expires_at) WHERE status = 'SUCCEEDED';
CREATE INDEX exports_ended ON exports(created_at) WHERE status IN ('EXPIRED', 'FAILED', 'CANCELLED');
