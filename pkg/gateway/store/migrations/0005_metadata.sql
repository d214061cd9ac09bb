-- Semantic catalogs: tables bound to saved queries. A query may be deleted while a table is bound to it; query_id is no foreign
-- key, and such a table no longer resolves.
CREATE TABLE semantic_catalogs (
  id           TEXT PRIMARY KEY,
  project_id   TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  display_name TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  UNIQUE (project_id, name)
) STRICT;

CREATE TABLE semantic_tables (
  id          TEXT PRIMARY KEY,
  catalog_id  TEXT NOT NULL REFERENCES semantic_catalogs(id) ON DELETE CASCADE,
  schema_name TEXT NOT NULL,
  table_name  TEXT NOT NULL,
  query_id    TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  UNIQUE (catalog_id, schema_name, table_name)
) STRICT;

-- Projects that may read a semantic catalog of another project.
CREATE TABLE semantic_shares (
  catalog_id TEXT NOT NULL REFERENCES semantic_catalogs(id) ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  PRIMARY KEY (catalog_id, project_id)
) STRICT;

-- What users say about tables and columns. The tables themselves are read live; a NULL leaves the source's own word.
CREATE TABLE table_metadata (
  project_id  TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  catalog_id  TEXT NOT NULL,
  schema_name TEXT NOT NULL,
  table_name  TEXT NOT NULL,
  description TEXT,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name)
) STRICT;

-- categorical and sample are JSON lists of texts. every is an ISO 8601 duration after which categorical values are read anew.
CREATE TABLE column_metadata (
  project_id     TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  catalog_id     TEXT NOT NULL,
  schema_name    TEXT NOT NULL,
  table_name     TEXT NOT NULL,
  column_name    TEXT NOT NULL,
  description    TEXT,
  categorical    TEXT,
  value_limit    INTEGER,
  every          TEXT,
  categorical_at TEXT,
  sample         TEXT,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name, column_name)
) STRICT;

-- Whether the AI may use something; schema_name and table_name are empty for a whole catalog or schema.
CREATE TABLE ai_usage (
  project_id  TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  catalog_id  TEXT NOT NULL,
  schema_name TEXT NOT NULL,
  table_name  TEXT NOT NULL,
  allowed     INTEGER NOT NULL,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name)
) STRICT;

CREATE TABLE relations (
  id             TEXT PRIMARY KEY,
  project_id     TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  source_catalog TEXT NOT NULL,
  source_schema  TEXT NOT NULL,
  source_table   TEXT NOT NULL,
  source_column  TEXT NOT NULL,
  target_catalog TEXT NOT NULL,
  target_schema  TEXT NOT NULL,
  target_table   TEXT NOT NULL,
  target_column  TEXT NOT NULL,
  type           TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  UNIQUE (project_id, source_catalog, source_schema, source_table, source_column, target_catalog, target_schema, target_table, target_column)
) STRICT;

CREATE TABLE golden_sqls (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  prompt     TEXT NOT NULL,
  sql        TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX golden_sqls_by_project ON golden_sqls(project_id, created_at);

-- The last refresh of each catalog.
CREATE TABLE metadata_refreshes (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  catalog_id TEXT NOT NULL,
  status     TEXT NOT NULL,
  runner     TEXT NOT NULL,
  error      TEXT,
  started_at TEXT NOT NULL,
  PRIMARY KEY (project_id, catalog_id)
) STRICT;

-- Who is told of refreshes. The token is sealed with the data directory's key.
CREATE TABLE refresh_callbacks (
  project_id TEXT PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE,
  url        TEXT NOT NULL,
  token      BLOB
) STRICT;
