-- What users said about a table, and its relations, go with the table: a later one of the same name starts with nothing. Tables
-- that the engine holds are not known here; the gateway forgets them itself (ForgetTable).
CREATE TRIGGER queries_gone AFTER DELETE ON queries BEGIN
  DELETE FROM table_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM column_metadata WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM ai_usage WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  DELETE FROM relations WHERE project_id = old.project_id AND (source_catalog = '2' AND source_table = old.name OR target_catalog = '2' AND target_table = old.name);
END;

CREATE TRIGGER queries_renamed AFTER UPDATE OF name ON queries WHEN old.name <> new.name BEGIN
  UPDATE OR REPLACE table_metadata SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  UPDATE OR REPLACE column_metadata SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  UPDATE OR REPLACE ai_usage SET table_name = new.name WHERE project_id = old.project_id AND catalog_id = '2' AND table_name = old.name;
  UPDATE OR REPLACE relations SET source_table = new.name WHERE project_id = old.project_id AND source_catalog = '2' AND source_table = old.name;
  UPDATE OR REPLACE relations SET target_table = new.name WHERE project_id = old.project_id AND target_catalog = '2' AND target_table = old.name;
END;

CREATE TRIGGER semantic_tables_gone AFTER DELETE ON semantic_tables BEGIN
  DELETE FROM table_metadata WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM column_metadata WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM ai_usage WHERE catalog_id = old.catalog_id AND schema_name = old.schema_name AND table_name = old.table_name;
  DELETE FROM relations WHERE source_catalog = old.catalog_id AND source_schema = old.schema_name AND source_table = old.table_name
    OR target_catalog = old.catalog_id AND target_schema = old.schema_name AND target_table = old.table_name;
END;

CREATE TRIGGER semantic_catalogs_gone AFTER DELETE ON semantic_catalogs BEGIN
  DELETE FROM ai_usage WHERE catalog_id = old.id;
  DELETE FROM metadata_refreshes WHERE catalog_id = old.id;
END;

CREATE TRIGGER catalogs_gone AFTER DELETE ON catalogs BEGIN
  DELETE FROM table_metadata WHERE catalog_id = old.id;
  DELETE FROM column_metadata WHERE catalog_id = old.id;
  DELETE FROM ai_usage WHERE catalog_id = old.id;
  DELETE FROM relations WHERE source_catalog = old.id OR target_catalog = old.id;
  DELETE FROM metadata_refreshes WHERE catalog_id = old.id;
END;

-- What was left behind before.
DELETE FROM table_metadata WHERE catalog_id = '2' AND table_name NOT IN (SELECT name FROM queries q WHERE q.project_id = table_metadata.project_id);
DELETE FROM column_metadata WHERE catalog_id = '2' AND table_name NOT IN (SELECT name FROM queries q WHERE q.project_id = column_metadata.project_id);
DELETE FROM ai_usage WHERE catalog_id = '2' AND table_name <> '' AND table_name NOT IN (SELECT name FROM queries q WHERE q.project_id = ai_usage.project_id);
DELETE FROM relations WHERE length(source_catalog) > 1 AND source_catalog NOT IN (SELECT id FROM catalogs UNION ALL SELECT id FROM semantic_catalogs)
  OR length(target_catalog) > 1 AND target_catalog NOT IN (SELECT id FROM catalogs UNION ALL SELECT id FROM semantic_catalogs);

-- The moment from which a schedule of a cache counts, so that months which end early do not shift the ones after them.
ALTER TABLE caches ADD COLUMN inc_anchor TEXT;
ALTER TABLE caches ADD COLUMN full_anchor TEXT;
UPDATE caches SET inc_anchor = inc_due, full_anchor = full_due;
