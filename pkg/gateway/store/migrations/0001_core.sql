-- The hierarchy: organization > workspace > project, and the keys that open it.
CREATE TABLE organizations (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  owner       TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  icon_file_id TEXT,
  description TEXT
) STRICT;

CREATE TABLE workspaces (
  id              TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations(id),
  name            TEXT NOT NULL,
  description     TEXT,
  created_by      TEXT NOT NULL,
  created_at      TEXT NOT NULL,
  is_default      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX workspaces_by_organization ON workspaces(organization_id, created_at);

CREATE TABLE projects (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces(id),
  name         TEXT NOT NULL,
  description  TEXT,
  domain       TEXT NOT NULL UNIQUE,
  owner        TEXT NOT NULL,
  created_at   TEXT NOT NULL
) STRICT;
CREATE INDEX projects_by_workspace ON projects(workspace_id, created_at);

-- A partner key has a null project. Only the hash of a key is kept.
CREATE TABLE api_keys (
  id         TEXT PRIMARY KEY,
  project_id TEXT REFERENCES projects(id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  hash       BLOB NOT NULL,
  expires_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX api_keys_by_prefix ON api_keys(prefix);
CREATE INDEX api_keys_by_project ON api_keys(project_id, created_at);

-- Counters and small facts of this data directory.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
