package store

import (
	"context"
	"database/sql"
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
	return s.tx(ctx, func(tx *sql.Tx) error {
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
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM column_metadata"+ofTable+" AND column_name = ?", project,
			k.Catalog, k.Schema, k.Table, k.Column); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM relations WHERE "+fromTable+" AND source_column = ?5 OR "+
			towardTable+" AND target_column = ?5", project, k.Catalog, k.Schema, k.Table, k.Column)
		return err
	})
}

// RenameTable moves the metadata of a table, and its relations, to its new name.
func (s *Store) RenameTable(ctx context.Context, project string, k TableKey, to string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		var updates []string
		for _, t := range notesAt {
			updates = append(updates, "UPDATE OR REPLACE "+t+" SET table_name = ?5 WHERE project_id = ?1 AND "+
				"catalog_id = ?2 AND schema_name = ?3 AND table_name = ?4")
		}
		for _, q := range append(updates,
			"UPDATE OR REPLACE relations SET source_table = ?5 WHERE "+fromTable,
			"UPDATE OR REPLACE relations SET target_table = ?5 WHERE "+towardTable) {
			if _, err := tx.ExecContext(ctx, q, project, k.Catalog, k.Schema, k.Table, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// RenameColumn moves the metadata of a column to its new name.
func (s *Store) RenameColumn(ctx context.Context, project string, k ColumnKey, to string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		for _, q := range []string{
			"UPDATE OR REPLACE column_metadata SET column_name = ?6 WHERE project_id = ?1 AND catalog_id = ?2 AND " +
				"schema_name = ?3 AND table_name = ?4 AND column_name = ?5",
			"UPDATE OR REPLACE relations SET source_column = ?6 WHERE " + fromTable + " AND source_column = ?5",
			"UPDATE OR REPLACE relations SET target_column = ?6 WHERE " + towardTable + " AND target_column = ?5",
		} {
			if _, err := tx.ExecContext(ctx, q, project, k.Catalog, k.Schema, k.Table, k.Column, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetParametric removes the metadata of a parametric table, and its caches, in its catalog and in those shared from
// it. The stored tables of the caches become free.
func (s *Store) forgetParametric(ctx context.Context, tx *sql.Tx, catalog, schema, table string) error {
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
