-- Export jobs. runner is the process at work; created_at rises strictly within a project, so that it can serve as a cursor.
CREATE TABLE exports (
  id             TEXT PRIMARY KEY,
  project_id     TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  status         TEXT NOT NULL,
  runner         TEXT NOT NULL,
  format         TEXT NOT NULL,
  compression    TEXT NOT NULL,
  source         TEXT NOT NULL,
  query_id       TEXT NOT NULL,
  catalog_id     TEXT NOT NULL,
  schema_name    TEXT NOT NULL,
  table_name     TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  user_name      TEXT NOT NULL,
  key_id         TEXT NOT NULL,
  api_key_prefix TEXT NOT NULL,
  client_source  TEXT NOT NULL,
  file_name      TEXT NOT NULL,
  row_count      INTEGER NOT NULL DEFAULT 0,
  bytes          INTEGER NOT NULL DEFAULT 0,
  duration_ms    INTEGER NOT NULL DEFAULT 0,
  error          TEXT NOT NULL DEFAULT '',
  expires_at     TEXT NOT NULL DEFAULT '',
  created_at     TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX exports_by_project ON exports(project_id, created_at);
CREATE INDEX exports_open ON exports(status) WHERE status IN ('PENDING', 'RUNNING');

-- Caches of tables of other catalogs. A schedule is a type and an ISO 8601 duration; due is the next time it fires. stored names
-- the stored table that queries read: it changes in the same transaction that completes a run.
CREATE TABLE caches (
  id          TEXT PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  catalog_id  TEXT NOT NULL,
  schema_name TEXT NOT NULL,
  table_name  TEXT NOT NULL,
  inc_type    TEXT NOT NULL,
  inc_expr    TEXT,
  inc_due     TEXT,
  full_type   TEXT NOT NULL,
  full_expr   TEXT,
  full_due    TEXT,
  stored      TEXT,
  created_at  TEXT NOT NULL,
  UNIQUE (project_id, catalog_id, schema_name, table_name)
) STRICT;

-- A run stores its rows in a table called by its id.
CREATE TABLE cache_runs (
  id          TEXT PRIMARY KEY,
  cache_id    TEXT NOT NULL REFERENCES caches(id) ON DELETE CASCADE,
  mode        TEXT NOT NULL,
  status      TEXT NOT NULL,
  runner      TEXT NOT NULL,
  scheduled   INTEGER NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  cached      INTEGER NOT NULL DEFAULT 0,
  inserted    INTEGER NOT NULL DEFAULT 0,
  updated     INTEGER NOT NULL DEFAULT 0,
  deleted     INTEGER NOT NULL DEFAULT 0,
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE UNIQUE INDEX cache_runs_by_cache ON cache_runs(cache_id, created_at);
CREATE UNIQUE INDEX cache_runs_open ON cache_runs(cache_id) WHERE status = 'RUNNING';

-- Every table a run may have stored, until it is dropped; free_at says since when nothing needs it. The row outlives its cache, so
-- that no rows are left behind.
CREATE TABLE cache_tables (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  cache_id   TEXT NOT NULL,
  free_at    TEXT
) STRICT;

CREATE TABLE cache_logs (
  id         INTEGER PRIMARY KEY,
  cache_id   TEXT NOT NULL REFERENCES caches(id) ON DELETE CASCADE,
  at         TEXT NOT NULL,
  action     TEXT NOT NULL,
  message    TEXT NOT NULL,
  cache_type TEXT NOT NULL,
  scheduled  INTEGER NOT NULL
) STRICT;
CREATE INDEX cache_logs_by_cache ON cache_logs(cache_id, id);
