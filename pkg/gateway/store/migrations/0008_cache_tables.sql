-- The first form of 0004_cache_exports.sql made caches without cache_tables and with a flag in caches.stored. Both forms become
-- the later one here. No run was ever recorded under the first form.
CREATE TABLE IF NOT EXISTS cache_tables (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  cache_id   TEXT NOT NULL,
  free_at    TEXT
) STRICT;

ALTER TABLE caches ADD COLUMN stored_table TEXT;
UPDATE caches SET stored_table = stored WHERE typeof(stored) = 'text';
ALTER TABLE caches DROP COLUMN stored;
ALTER TABLE caches RENAME COLUMN stored_table TO stored;

DROP INDEX cache_runs_by_cache;
CREATE UNIQUE INDEX cache_runs_by_cache ON cache_runs(cache_id, created_at);
