-- The imports of a project and how they ended. given_id is chosen by the client, to ask for the outcome when the reply is lost.
CREATE TABLE imports (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  given_id   TEXT NOT NULL,
  kind       TEXT NOT NULL,
  table_name TEXT NOT NULL,
  status     TEXT NOT NULL,
  runner     TEXT NOT NULL,
  row_count  INTEGER NOT NULL DEFAULT 0,
  error      TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  ended_at   TEXT
) STRICT;
CREATE INDEX imports_by_project ON imports(project_id, started_at);
CREATE INDEX imports_by_given ON imports(given_id) WHERE given_id <> '';
