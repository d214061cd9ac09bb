-- The schema that the migrations of SQLite up to this number lead to; what the tables are for is said there. Later ones are
-- common to both. BLOB is written for BYTEA, and TEXT for one that is ordered by its bytes.
CREATE TABLE organizations (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created_at TEXT NOT NULL, icon_file_id TEXT,
  description TEXT
);
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY, organization_id TEXT NOT NULL REFERENCES organizations(id), name TEXT NOT NULL,
  description TEXT, created_by TEXT NOT NULL, created_at TEXT NOT NULL, is_default BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX workspaces_by_organization ON workspaces(organization_id, created_at);
CREATE TABLE projects (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL, description TEXT,
  domain TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX projects_by_workspace ON projects(workspace_id, created_at);
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, project_id TEXT REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
  prefix TEXT NOT NULL, hash BLOB NOT NULL, expires_at TEXT, created_at TEXT NOT NULL
);
CREATE INDEX api_keys_by_prefix ON api_keys(prefix);
CREATE INDEX api_keys_by_project ON api_keys(project_id, created_at);
CREATE TABLE meta (
  key TEXT PRIMARY KEY, value TEXT NOT NULL
);
CREATE TABLE query_folders (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES query_folders(id), name TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX query_folders_by_name ON query_folders(project_id, coalesce(parent_id, ''), name);
CREATE TABLE queries (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  folder_id TEXT REFERENCES query_folders(id), display_name TEXT NOT NULL, name TEXT NOT NULL, sql TEXT NOT NULL,
  created_at TEXT NOT NULL, UNIQUE (project_id, name)
);
CREATE INDEX queries_by_folder ON queries(folder_id);
CREATE TABLE materialized (
  query_id TEXT PRIMARY KEY REFERENCES queries(id) ON DELETE CASCADE, schedule_type TEXT NOT NULL,
  cron_expression TEXT, repeat_duration TEXT, timezone TEXT, anchor TEXT NOT NULL, next_at TEXT,
  status TEXT NOT NULL, run_id TEXT, runner TEXT, started_at TEXT, updated_at TEXT, error TEXT, stored_at TEXT,
  row_count BIGINT, cancel BOOLEAN NOT NULL DEFAULT FALSE, again BOOLEAN NOT NULL DEFAULT FALSE, stored TEXT
);
CREATE INDEX materialized_by_next ON materialized(next_at) WHERE next_at IS NOT NULL;
CREATE TABLE connections (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
  type TEXT NOT NULL, credential BLOB NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX connections_by_project ON connections(project_id, created_at);
CREATE TABLE catalogs (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
  display_name TEXT NOT NULL, catalog_type TEXT NOT NULL, connection_id TEXT NOT NULL,
  shared_from TEXT REFERENCES catalogs(id) ON DELETE CASCADE, created_at TEXT NOT NULL,
  cache_anything BOOLEAN NOT NULL DEFAULT FALSE, UNIQUE (project_id, name)
);
CREATE INDEX catalogs_by_connection ON catalogs(connection_id);
CREATE INDEX catalogs_by_source ON catalogs(shared_from);
CREATE TABLE parametric_tables (
  catalog_id TEXT NOT NULL REFERENCES catalogs(id) ON DELETE CASCADE, from_schema TEXT NOT NULL,
  from_table TEXT NOT NULL, to_schema TEXT NOT NULL, to_table TEXT NOT NULL, param_values TEXT NOT NULL,
  created_at TEXT NOT NULL, PRIMARY KEY (catalog_id, to_schema, to_table)
);
CREATE TABLE exports (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, status TEXT NOT NULL,
  runner TEXT NOT NULL, format TEXT NOT NULL, compression TEXT NOT NULL, source TEXT NOT NULL,
  query_id TEXT NOT NULL, catalog_id TEXT NOT NULL, schema_name TEXT NOT NULL, table_name TEXT NOT NULL,
  user_id TEXT NOT NULL, user_name TEXT NOT NULL, key_id TEXT NOT NULL, api_key_prefix TEXT NOT NULL,
  client_source TEXT NOT NULL, file_name TEXT NOT NULL, row_count BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0, duration_ms BIGINT NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
  expires_at TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX exports_by_project ON exports(project_id, created_at);
CREATE INDEX exports_open ON exports(status) WHERE status IN ('PENDING', 'RUNNING');
CREATE TABLE caches (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, catalog_id TEXT NOT NULL,
  schema_name TEXT NOT NULL, table_name TEXT NOT NULL, inc_type TEXT NOT NULL, inc_expr TEXT, inc_due TEXT,
  full_type TEXT NOT NULL, full_expr TEXT, full_due TEXT, created_at TEXT NOT NULL,
  key_columns TEXT NOT NULL DEFAULT '[]', updated_column TEXT NOT NULL DEFAULT '',
  insert_only BOOLEAN NOT NULL DEFAULT FALSE, inc_anchor TEXT, full_anchor TEXT, stored TEXT,
  UNIQUE (project_id, catalog_id, schema_name, table_name)
);
CREATE TABLE cache_runs (
  id TEXT PRIMARY KEY, cache_id TEXT NOT NULL REFERENCES caches(id) ON DELETE CASCADE, mode TEXT NOT NULL,
  status TEXT NOT NULL, runner TEXT NOT NULL, scheduled BOOLEAN NOT NULL, error TEXT NOT NULL DEFAULT '',
  cached BIGINT NOT NULL DEFAULT 0, inserted BIGINT NOT NULL DEFAULT 0, updated BIGINT NOT NULL DEFAULT 0,
  deleted BIGINT NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, finished_at TEXT
);
CREATE UNIQUE INDEX cache_runs_open ON cache_runs(cache_id) WHERE status = 'RUNNING';
CREATE TABLE cache_logs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cache_id TEXT NOT NULL REFERENCES caches(id) ON DELETE CASCADE, at TEXT NOT NULL, action TEXT NOT NULL,
  message TEXT NOT NULL, cache_type TEXT NOT NULL, scheduled BOOLEAN NOT NULL
);
CREATE INDEX cache_logs_by_cache ON cache_logs(cache_id, id);
CREATE TABLE semantic_catalogs (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, name TEXT NOT NULL,
  display_name TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (project_id, name)
);
CREATE TABLE semantic_tables (
  id TEXT PRIMARY KEY, catalog_id TEXT NOT NULL REFERENCES semantic_catalogs(id) ON DELETE CASCADE,
  schema_name TEXT NOT NULL, table_name TEXT NOT NULL, query_id TEXT NOT NULL, created_at TEXT NOT NULL,
  UNIQUE (catalog_id, schema_name, table_name)
);
CREATE TABLE semantic_shares (
  catalog_id TEXT NOT NULL REFERENCES semantic_catalogs(id) ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, PRIMARY KEY (catalog_id, project_id)
);
CREATE TABLE table_metadata (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, catalog_id TEXT NOT NULL,
  schema_name TEXT NOT NULL, table_name TEXT NOT NULL, description TEXT,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name)
);
CREATE TABLE column_metadata (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, catalog_id TEXT NOT NULL,
  schema_name TEXT NOT NULL, table_name TEXT NOT NULL, column_name TEXT NOT NULL, description TEXT,
  categorical TEXT, value_limit BIGINT, every TEXT, categorical_at TEXT, sample TEXT,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name, column_name)
);
CREATE TABLE ai_usage (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, catalog_id TEXT NOT NULL,
  schema_name TEXT NOT NULL, table_name TEXT NOT NULL, allowed BOOLEAN NOT NULL,
  PRIMARY KEY (project_id, catalog_id, schema_name, table_name)
);
CREATE TABLE relations (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  source_catalog TEXT NOT NULL, source_schema TEXT NOT NULL, source_table TEXT NOT NULL,
  source_column TEXT NOT NULL, target_catalog TEXT NOT NULL, target_schema TEXT NOT NULL,
  target_table TEXT NOT NULL, target_column TEXT NOT NULL, type TEXT NOT NULL, created_at TEXT NOT NULL,
  UNIQUE (project_id, source_catalog, source_schema, source_table, source_column, target_catalog, target_schema, target_table, target_column)
);
CREATE TABLE golden_sqls (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, prompt TEXT NOT NULL,
  sql TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX golden_sqls_by_project ON golden_sqls(project_id, created_at);
CREATE TABLE metadata_refreshes (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, catalog_id TEXT NOT NULL,
  status TEXT NOT NULL, runner TEXT NOT NULL, error TEXT, started_at TEXT NOT NULL,
  PRIMARY KEY (project_id, catalog_id)
);
CREATE TABLE refresh_callbacks (
  project_id TEXT PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE, url TEXT NOT NULL, token BLOB
);
CREATE UNIQUE INDEX cache_runs_by_cache ON cache_runs(cache_id, created_at);
CREATE INDEX exports_due ON exports(expires_at) WHERE status = 'SUCCEEDED';
CREATE INDEX exports_ended ON exports(created_at) WHERE status IN ('EXPIRED', 'FAILED', 'CANCELLED');
CREATE TABLE stored_results (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, kind TEXT NOT NULL,
  owner TEXT NOT NULL, runner TEXT NOT NULL DEFAULT '', free_at TEXT
);
CREATE INDEX stored_results_by_owner ON stored_results(owner);
CREATE TABLE imports (
  project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, given_id TEXT NOT NULL,
  row_count BIGINT NOT NULL, stored_at TEXT NOT NULL, PRIMARY KEY (project_id, given_id)
);

CREATE FUNCTION queries_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM table_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM column_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM ai_usage WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM relations WHERE project_id = old.project_id AND
    (source_catalog = '2' AND source_table = old.name OR target_catalog = '2' AND target_table = old.name);
  RETURN NULL;
END $$;
CREATE TRIGGER queries_gone AFTER DELETE ON queries FOR EACH ROW EXECUTE FUNCTION queries_gone();

CREATE FUNCTION queries_renamed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM table_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = new.name AND
    (schema_name) IN (SELECT schema_name FROM table_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name);
  UPDATE table_metadata SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM column_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = new.name AND
    (schema_name, column_name) IN (SELECT schema_name, column_name FROM column_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name);
  UPDATE column_metadata SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM ai_usage WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = new.name AND
    (schema_name) IN (SELECT schema_name FROM ai_usage WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name);
  UPDATE ai_usage SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM relations WHERE project_id = old.project_id AND source_catalog = '2' AND source_table = new.name AND
    (source_schema, source_column, target_catalog, target_schema, target_table, target_column) IN (SELECT source_schema, source_column, target_catalog, target_schema, target_table, target_column
      FROM relations WHERE project_id = old.project_id AND source_catalog = '2' AND source_table = old.name);
  UPDATE relations SET source_table = new.name WHERE project_id = old.project_id AND source_catalog = '2' AND source_table = old.name;
  DELETE FROM relations WHERE project_id = old.project_id AND target_catalog = '2' AND target_table = new.name AND
    (target_schema, target_column, source_catalog, source_schema, source_table, source_column) IN (SELECT target_schema, target_column, source_catalog, source_schema, source_table, source_column
      FROM relations WHERE project_id = old.project_id AND target_catalog = '2' AND target_table = old.name);
  UPDATE relations SET target_table = new.name WHERE project_id = old.project_id AND target_catalog = '2' AND target_table = old.name;
  RETURN NULL;
END $$;
CREATE TRIGGER queries_renamed AFTER UPDATE OF name ON queries FOR EACH ROW WHEN (old.name <> new.name)
  EXECUTE FUNCTION queries_renamed();

CREATE FUNCTION semantic_tables_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM table_metadata WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM column_metadata WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM ai_usage WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM relations WHERE source_catalog = old.catalog_id AND source_schema = old.schema_name AND
    source_table = old.table_name OR target_catalog = old.catalog_id AND target_schema = old.schema_name AND
    target_table = old.table_name;
  RETURN NULL;
END $$;
CREATE TRIGGER semantic_tables_gone AFTER DELETE ON semantic_tables FOR EACH ROW EXECUTE FUNCTION semantic_tables_gone();

CREATE FUNCTION semantic_catalogs_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM ai_usage WHERE catalog_id = old.id;
  DELETE FROM metadata_refreshes WHERE catalog_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER semantic_catalogs_gone AFTER DELETE ON semantic_catalogs FOR EACH ROW EXECUTE FUNCTION semantic_catalogs_gone();

CREATE FUNCTION catalogs_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM table_metadata WHERE catalog_id = old.id;
  DELETE FROM column_metadata WHERE catalog_id = old.id;
  DELETE FROM ai_usage WHERE catalog_id = old.id;
  DELETE FROM relations WHERE source_catalog = old.id OR target_catalog = old.id;
  DELETE FROM metadata_refreshes WHERE catalog_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER catalogs_gone AFTER DELETE ON catalogs FOR EACH ROW EXECUTE FUNCTION catalogs_gone();

-- The processes that do background work. One whose time is over, by the clock of the database, counts as dead. pid is its
-- session with the claim of the store, server the start of the server that has it.
CREATE TABLE runners (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, host TEXT NOT NULL, until TIMESTAMPTZ NOT NULL,
  pid BIGINT NOT NULL, server TIMESTAMPTZ NOT NULL
);

-- What only one process may do at a time. holder is a number of runners, statement the one that it has an engine run.
CREATE TABLE locks (
  name TEXT PRIMARY KEY, holder BIGINT NOT NULL, statement TEXT NOT NULL DEFAULT ''
);
CREATE INDEX locks_of ON locks(holder);
