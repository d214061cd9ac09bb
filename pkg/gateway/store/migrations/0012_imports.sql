-- The imports that are stored, by the id that the client has given each, for when the reply is lost.
CREATE TABLE imports (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  given_id   TEXT NOT NULL,
  row_count  INTEGER NOT NULL,
  stored_at  TEXT NOT NULL,
  PRIMARY KEY (project_id, given_id)
) STRICT;
