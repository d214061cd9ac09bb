-- Connections to external sources; the credential is sealed with the data directory's key.
CREATE TABLE connections (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  credential BLOB NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX connections_by_project ON connections(project_id, created_at);

-- A catalog outlives its connection, and then no longer resolves, as on the hosted zones: connection_id is no foreign key.
-- A catalog shared from another project has shared_from and goes with it.
CREATE TABLE catalogs (
  id            TEXT PRIMARY KEY,
  project_id    TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  display_name  TEXT NOT NULL,
  catalog_type  TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  shared_from   TEXT REFERENCES catalogs(id) ON DELETE CASCADE,
  created_at    TEXT NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX catalogs_by_connection ON catalogs(connection_id);
CREATE INDEX catalogs_by_source ON catalogs(shared_from);

CREATE TABLE parametric_tables (
  catalog_id  TEXT NOT NULL REFERENCES catalogs(id) ON DELETE CASCADE,
  from_schema TEXT NOT NULL,
  from_table  TEXT NOT NULL,
  to_schema   TEXT NOT NULL,
  to_table    TEXT NOT NULL,
  param_values TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  PRIMARY KEY (catalog_id, to_schema, to_table)
) STRICT;
