-- The rows of a run are stored under its id and never change. stored_results has the results that may exist: those in use, and
-- those that have been free since free_at.
CREATE TABLE stored_results (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  kind       TEXT NOT NULL,  -- the schema: cache or mtquery
  owner      TEXT NOT NULL,  -- the cache or the query
  runner     TEXT NOT NULL DEFAULT '',  -- the process that may still store the rows
  free_at    TEXT
) STRICT;
CREATE INDEX stored_results_by_owner ON stored_results(owner);
INSERT INTO stored_results SELECT id, project_id, 'cache', cache_id, '', free_at FROM cache_tables;
DROP TABLE cache_tables;

-- A materialized query used to replace its rows under its own id.
ALTER TABLE materialized ADD COLUMN stored TEXT;
UPDATE materialized SET stored = query_id WHERE stored_at IS NOT NULL;
INSERT INTO stored_results SELECT m.query_id, q.project_id, 'mtquery', m.query_id, '',
    CASE WHEN m.stored_at IS NULL THEN q.created_at END
  FROM materialized m JOIN queries q ON q.id = m.query_id;
