-- types only
-- Every table of the catalog system
SELECT * FROM system.metadata.analyze_properties;
SELECT * FROM system.metadata.catalogs;
SELECT * FROM system.metadata.column_properties;
SELECT * FROM system.metadata.materialized_view_properties;
SELECT * FROM system.metadata.materialized_views;
SELECT * FROM system.metadata.schema_properties;
SELECT * FROM system.metadata.table_comments;
SELECT * FROM system.metadata.table_properties;
SELECT * FROM system.runtime.nodes;
SELECT * FROM system.runtime.optimizer_rule_stats;
SELECT * FROM system.runtime.queries;
SELECT * FROM system.runtime.tasks;
SELECT * FROM system.runtime.transactions;
SELECT * FROM system.jdbc.attributes;
SELECT * FROM system.jdbc.catalogs;
SELECT * FROM system.jdbc.columns;
SELECT * FROM system.jdbc.procedure_columns;
SELECT * FROM system.jdbc.procedures;
SELECT * FROM system.jdbc.pseudo_columns;
SELECT * FROM system.jdbc.schemas;
SELECT * FROM system.jdbc.super_tables;
SELECT * FROM system.jdbc.super_types;
SELECT * FROM system.jdbc.table_types;
SELECT * FROM system.jdbc.tables;
SELECT * FROM system.jdbc.types;
SELECT * FROM system.jdbc.udts;
