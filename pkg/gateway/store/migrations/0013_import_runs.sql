-- The ends of imports, stored or failed, for lists of runs. schema_name is table or bitable.
CREATE TABLE import_runs (
  id          TEXT PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  schema_name TEXT NOT NULL,
  table_name  TEXT NOT NULL,
  mode        TEXT NOT NULL,
  status      TEXT NOT NULL,
  row_count   INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  error       TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX import_runs_by_project ON import_runs(project_id, created_at);
