-- How an incremental refresh finds what changed: key_columns is a JSON array of names, [] for a comparison of whole rows.
ALTER TABLE caches ADD COLUMN key_columns TEXT NOT NULL DEFAULT '[]';
ALTER TABLE caches ADD COLUMN updated_column TEXT NOT NULL DEFAULT '';
ALTER TABLE caches ADD COLUMN insert_only INTEGER NOT NULL DEFAULT 0;

-- Whether tables may be cached although the type of the connection has none that can be, as databases on the hosted zones.
ALTER TABLE catalogs ADD COLUMN cache_anything INTEGER NOT NULL DEFAULT 0;
