package store

import (
	"context"
	"errors"
)

// notesAt are the database tables with metadata of tables; each has these columns.
var notesAt = [...]string{"table_metadata", "column_metadata", "ai_usage"}

const (
	ofTable     = " WHERE project_id = ? AND catalog_id = ? AND schema_name = ? AND table_name = ?"
	fromTable   = "project_id = ?1 AND source_catalog = ?2 AND source_schema = ?3 AND source_table = ?4"
	towardTable = "project_id = ?1 AND target_catalog = ?2 AND target_schema = ?3 AND target_table = ?4"
)

// ForgetTable removes the metadata of a deleted table, and its relations.
func (s *Store) ForgetTable(ctx context.Context, project string, k TableKey) error {
	return s.tx(ctx, func(tx dbtx) error {
		for _, t := range notesAt {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+t+ofTable, project, k.Catalog, k.Schema,
				k.Table); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM relations WHERE "+fromTable+" OR "+towardTable, project, k.Catalog,
			k.Schema, k.Table)
		return err
	})
}

// ForgetColumn removes the metadata of a deleted column, and its relations.
func (s *Store) ForgetColumn(ctx context.Context, project string, k ColumnKey) error {
	return s.tx(ctx, func(tx dbtx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM column_metadata"+ofTable+" AND column_name = ?", project,
			k.Catalog, k.Schema, k.Table, k.Column); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM relations WHERE "+fromTable+" AND source_column = ?5 OR "+
			towardTable+" AND target_column = ?5", project, k.Catalog, k.Schema, k.Table, k.Column)
		return err
	})
}

// RenameTable moves the metadata of a table, and its relations, to its new name, in place of what that name has left.
func (s *Store) RenameTable(ctx context.Context, project string, k TableKey, to string) error {
	const at = "project_id = ?1 AND catalog_id = ?2 AND schema_name = ?3"
	return s.tx(ctx, func(tx dbtx) error {
		return move(ctx, tx, "?4", "?5", []moved{
			{"table_metadata", "table_name", at, "schema_name"}, {"ai_usage", "table_name", at, "schema_name"},
			{"column_metadata", "table_name", at, "schema_name, column_name"},
			{"relations", "source_table", "project_id = ?1 AND source_catalog = ?2 AND source_schema = ?3",
				"source_column, " + targetColumn},
			{"relations", "target_table", "project_id = ?1 AND target_catalog = ?2 AND target_schema = ?3",
				"target_column, " + sourceColumn},
		}, project, k.Catalog, k.Schema, k.Table, to)
	})
}

// RenameColumn moves the metadata of a column to its new name, in place of what that name has left.
func (s *Store) RenameColumn(ctx context.Context, project string, k ColumnKey, to string) error {
	return s.tx(ctx, func(tx dbtx) error {
		return move(ctx, tx, "?5", "?6", []moved{
			{"column_metadata", "column_name", "project_id = ?1 AND catalog_id = ?2 AND schema_name = ?3 AND " +
				"table_name = ?4", "schema_name"},
			{"relations", "source_column", fromTable, targetColumn},
			{"relations", "target_column", towardTable, sourceColumn},
		}, project, k.Catalog, k.Schema, k.Table, k.Column, to)
	})
}

const (
	sourceColumn = "source_catalog, source_schema, source_table, source_column"
	targetColumn = "target_catalog, target_schema, target_table, target_column"
)

// moved is a column that gets another value in some rows. The rest of their columns must be unique with it.
type moved struct{ table, column, at, rest string }

// move renames in all columns. Both names are parameters.
func move(ctx context.Context, tx dbtx, was, now string, all []moved, args ...any) error {
	for _, m := range all {
		at := " WHERE " + m.at + " AND " + m.column + " = "
		for _, q := range []string{
			"DELETE FROM " + m.table + at + now + " AND " + was + " <> " + now + " AND (" + m.rest + ") IN (SELECT " +
				m.rest + " FROM " + m.table + at + was + ")",
			"UPDATE " + m.table + " SET " + m.column + " = " + now + at + was,
		} {
			if _, err := tx.ExecContext(ctx, q, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// forgetParametric removes the metadata of a parametric table, and its caches, in its catalog and in those shared from
// it. The stored tables of the caches become free.
func (s *Store) forgetParametric(ctx context.Context, tx dbtx, catalog, schema, table string) error {
	const at = "catalog_id IN (SELECT id FROM catalogs WHERE id = ?1 OR shared_from = ?1) AND schema_name = ?2 AND " +
		"table_name = ?3"
	for _, t := range notesAt {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t+" WHERE "+at, catalog, schema, table); err != nil {
			return err
		}
	}
	const ends = "IN (SELECT id FROM catalogs WHERE id = ?1 OR shared_from = ?1) AND "
	if _, err := tx.ExecContext(ctx, "DELETE FROM relations WHERE source_catalog "+ends+
		"source_schema = ?2 AND source_table = ?3 OR target_catalog "+ends+"target_schema = ?2 AND target_table = ?3",
		catalog, schema, table); err != nil {
		return err
	}
	caches, err := queryAll(ctx, tx, scanCache, "SELECT "+cacheColumns+" FROM caches WHERE "+at, catalog, schema, table)
	for _, c := range caches {
		err = errors.Join(err, s.deleteCache(ctx, tx, c.ProjectID, c.ID))
	}
	return err
}
