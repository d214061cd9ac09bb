-- Saved queries, the folders they lie in, and what makes one materialized.
CREATE TABLE query_folders (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  parent_id  TEXT REFERENCES query_folders(id),
  name       TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX query_folders_by_name ON query_folders(project_id, coalesce(parent_id, ''), name);

CREATE TABLE queries (
  id           TEXT PRIMARY KEY,
  project_id   TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  folder_id    TEXT REFERENCES query_folders(id),
  display_name TEXT NOT NULL,
  name         TEXT NOT NULL,
  sql          TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX queries_by_folder ON queries(folder_id);

-- A query with a row here is a materialized one. Its rows are stored under the id of the query, so that a new name moves nothing.
CREATE TABLE materialized (
  query_id        TEXT PRIMARY KEY REFERENCES queries(id) ON DELETE CASCADE,
  schedule_type   TEXT NOT NULL,
  cron_expression TEXT,
  repeat_duration TEXT,
  timezone        TEXT,
  anchor          TEXT NOT NULL,             -- when the schedule was set; intervals count from here
  next_at         TEXT,                      -- when the schedule falls due
  status          TEXT NOT NULL,
  run_id          TEXT,
  runner          TEXT,                      -- the process that has the run
  started_at      TEXT,
  updated_at      TEXT,
  error           TEXT,
  stored_at       TEXT,                      -- start of the run whose rows are stored
  row_count       INTEGER,
  cancel          INTEGER NOT NULL DEFAULT 0, -- asked for while running
  again           INTEGER NOT NULL DEFAULT 0  -- a refresh was asked for while running
) STRICT;
CREATE INDEX materialized_by_next ON materialized(next_at) WHERE next_at IS NOT NULL;
