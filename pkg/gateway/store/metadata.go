package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// TableKey identifies a table, or with an empty table a schema, or with an empty schema too a catalog.
type TableKey struct{ Catalog, Schema, Table string }

// ColumnKey identifies a column.
type ColumnKey struct {
	TableKey
	Column string
}

// ColumnNotes is the metadata of a column.
type ColumnNotes struct {
	Description   *string
	Categorical   []string // nil: the column is not categorical
	Limit         int64
	Every         string // ISO 8601 duration, empty: never read again automatically
	CategoricalAt string
	Sample        []string
}

// Notes is the metadata of the tables of a project.
type Notes struct {
	Tables  map[TableKey]*string // descriptions
	Columns map[ColumnKey]ColumnNotes
	AI      map[TableKey]bool
}

// AllowsAI reports whether the AI may use a table: the setting of the table, else its schema, else its catalog; true by
// default.
func (n Notes) AllowsAI(k TableKey) bool {
	for _, key := range []TableKey{k, {k.Catalog, k.Schema, ""}, {k.Catalog, "", ""}} {
		if allowed, ok := n.AI[key]; ok {
			return allowed
		}
	}
	return true
}

// MetadataNotes reads the metadata of the tables of a project.
func (s *Store) MetadataNotes(ctx context.Context, project string) (Notes, error) {
	n := Notes{map[TableKey]*string{}, map[ColumnKey]ColumnNotes{}, map[TableKey]bool{}}
	_, err := queryAll(ctx, s.db, func(scan func(...any) error) (struct{}, error) {
		var k TableKey
		var d *string
		err := scan(&k.Catalog, &k.Schema, &k.Table, &d)
		n.Tables[k] = d
		return struct{}{}, err
	}, "SELECT catalog_id, schema_name, table_name, description FROM table_metadata WHERE project_id = ?", project)
	if err != nil {
		return n, err
	}
	_, err = queryAll(ctx, s.db, func(scan func(...any) error) (struct{}, error) {
		var k ColumnKey
		var c ColumnNotes
		var categorical, every, at, sample *string
		var limit *int64
		if err := scan(&k.Catalog, &k.Schema, &k.Table, &k.Column, &c.Description, &categorical, &limit, &every, &at,
			&sample); err != nil {
			return struct{}{}, err
		}
		if limit != nil {
			c.Limit = *limit
		}
		c.Every, c.CategoricalAt = text(every), text(at)
		for _, l := range []struct {
			from *string
			into *[]string
		}{{categorical, &c.Categorical}, {sample, &c.Sample}} {
			if l.from != nil {
				if err := json.Unmarshal([]byte(*l.from), l.into); err != nil {
					return struct{}{}, err
				}
			}
		}
		n.Columns[k] = c
		return struct{}{}, nil
	},
		`SELECT catalog_id, schema_name, table_name, column_name, description, categorical, value_limit, every, categorical_at, sample
		FROM column_metadata WHERE project_id = ?`, project)
	if err != nil {
		return n, err
	}
	_, err = queryAll(ctx, s.db, func(scan func(...any) error) (struct{}, error) {
		var k TableKey
		var allowed bool
		err := scan(&k.Catalog, &k.Schema, &k.Table, &allowed)
		n.AI[k] = allowed
		return struct{}{}, err
	}, "SELECT catalog_id, schema_name, table_name, allowed FROM ai_usage WHERE project_id = ?", project)
	return n, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// SetAIUsage sets whether the AI may use a catalog, schema or table and its contents: settings of its parts are
// removed.
func (s *Store) SetAIUsage(ctx context.Context, project string, k TableKey, allowed bool) error {
	return s.tx(ctx, func(tx dbtx) error { return setAI(ctx, tx, project, k, allowed) })
}

func setAI(ctx context.Context, tx dbtx, project string, k TableKey, allowed bool) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM ai_usage WHERE project_id = ?1 AND catalog_id = ?2 AND (?3 = '' OR `+
		`schema_name = ?3) AND (?4 = '' OR table_name = ?4)`,
		project, k.Catalog, k.Schema, k.Table); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx,
		"INSERT INTO ai_usage(project_id, catalog_id, schema_name, table_name, allowed) VALUES (?, ?, ?, ?, ?)",
		project, k.Catalog, k.Schema, k.Table, allowed)
	return err
}

// TableChange is what UpdateTableNotes changes; nil means unchanged.
type TableChange struct {
	Description *string
	AI          *bool
	Columns     map[string]ColumnChange
}

// ColumnChange changes a column. Categorical nil means unchanged, empty makes it not categorical.
type ColumnChange struct {
	Description *string
	Categorical *[]string
}

// UpdateTableNotes changes all or nothing.
func (s *Store) UpdateTableNotes(ctx context.Context, project string, k TableKey, ch TableChange) error {
	return s.tx(ctx, func(tx dbtx) error {
		if ch.Description != nil {
			if _, err := tx.ExecContext(ctx,
				`INSERT INTO table_metadata(project_id, catalog_id, schema_name, table_name, description) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (project_id, catalog_id, schema_name, table_name)
				DO UPDATE SET description = excluded.description`, project, k.Catalog, k.Schema, k.Table,
				ch.Description); err != nil {
				return err
			}
		}
		if ch.AI != nil {
			if err := setAI(ctx, tx, project, k, *ch.AI); err != nil {
				return err
			}
		}
		for name, c := range ch.Columns {
			key := ColumnKey{k, name}
			if c.Description != nil {
				if err := setColumn(ctx, tx, project, key, "description", c.Description); err != nil {
					return err
				}
			}
			if c.Categorical != nil {
				if err := setCategorical(ctx, tx, project, key, *c.Categorical, int64(len(*c.Categorical)), "",
					s.stamp()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

const onColumn = "ON CONFLICT (project_id, catalog_id, schema_name, table_name, column_name) DO UPDATE SET "

// setColumn sets one field; field is never user input.
func setColumn(ctx context.Context, db dbtx, project string, k ColumnKey, field string, value any) error {
	_, err := db.ExecContext(ctx,
		`INSERT INTO column_metadata(project_id, catalog_id, schema_name, table_name, column_name, `+field+
			`) VALUES (?, ?, ?, ?, ?, ?)
		`+onColumn+field+` = excluded.`+field, project, k.Catalog, k.Schema, k.Table, k.Column, value)
	return err
}

func setCategorical(ctx context.Context, db dbtx, project string, k ColumnKey, values []string, limit int64, every,
	at string) error {
	if len(values) == 0 {
		_, err := db.ExecContext(ctx,
			`UPDATE column_metadata SET categorical = NULL, value_limit = NULL, every = NULL, categorical_at = NULL
			WHERE project_id = ? AND catalog_id = ? AND schema_name = ? AND table_name = ? AND column_name = ?`,
			project, k.Catalog, k.Schema, k.Table, k.Column)
		return err
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx,
		`INSERT INTO column_metadata(project_id, catalog_id, schema_name, table_name, column_name, categorical,
		value_limit, every, categorical_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		`+onColumn+`categorical = excluded.categorical, value_limit = excluded.value_limit,
		every = excluded.every, categorical_at = excluded.categorical_at`,
		project, k.Catalog, k.Schema, k.Table, k.Column, string(raw), limit, every, at)
	return err
}

// SetCategorical stores the values of a categorical column; none makes it not categorical.
func (s *Store) SetCategorical(ctx context.Context, project string, k ColumnKey, values []string, limit int64,
	every string) error {
	return setCategorical(ctx, s.db, project, k, values, limit, every, s.stamp())
}

// SetSamples stores sample values of the columns of a table.
func (s *Store) SetSamples(ctx context.Context, project string, k TableKey, samples map[string][]string) error {
	return s.tx(ctx, func(tx dbtx) error {
		for column, values := range samples {
			raw, err := json.Marshal(values)
			if err != nil {
				return err
			}
			if err := setColumn(ctx, tx, project, ColumnKey{k, column}, "sample", string(raw)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Relation is a reference from a column of one table to a column of another.
type Relation struct {
	ID             string
	Source, Target ColumnKey
	Type           string
}

const relationColumns = "id, source_catalog, source_schema, source_table, source_column, target_catalog, " +
	"target_schema, target_table, target_column, type"

func scanRelation(scan func(...any) error) (r Relation, err error) {
	err = scan(&r.ID, &r.Source.Catalog, &r.Source.Schema, &r.Source.Table, &r.Source.Column,
		&r.Target.Catalog, &r.Target.Schema, &r.Target.Table, &r.Target.Column, &r.Type)
	return
}

// Relations lists the relations of a project from tables of a catalog, or all if catalog is empty.
func (s *Store) Relations(ctx context.Context, project, catalog string) ([]Relation, error) {
	return queryAll(ctx, s.db, scanRelation, "SELECT "+relationColumns+
		" FROM relations WHERE project_id = ? AND ? IN ('', source_catalog) ORDER BY created_at, id", project, catalog)
}

// AddRelation adds a relation; a duplicate pair of columns is ErrConflict.
func (s *Store) AddRelation(ctx context.Context, project string, r Relation) (Relation, error) {
	r.ID = s.NewID()
	_, err := s.db.ExecContext(ctx, "INSERT INTO relations("+relationColumns+
		", project_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		r.ID, r.Source.Catalog, r.Source.Schema, r.Source.Table, r.Source.Column, r.Target.Catalog, r.Target.Schema,
		r.Target.Table, r.Target.Column, r.Type, project, s.stamp())
	return r, err
}

const relationAt = " WHERE project_id = ? AND id = ? AND source_catalog = ? AND source_schema = ? AND source_table = ?"

// UpdateRelation changes the type of a relation of a table.
func (s *Store) UpdateRelation(ctx context.Context, project string, k TableKey, id, kind string) (Relation, error) {
	if err := exec(ctx, s.db, "UPDATE relations SET type = ?"+relationAt, kind, project, id, k.Catalog, k.Schema,
		k.Table); err != nil {
		return Relation{}, err
	}
	return queryOne(ctx, s.db, scanRelation, "SELECT "+relationColumns+
		" FROM relations WHERE project_id = ? AND id = ?", project, id)
}

// DeleteRelation removes a relation of a table.
func (s *Store) DeleteRelation(ctx context.Context, project string, k TableKey, id string) error {
	return exec(ctx, s.db, "DELETE FROM relations"+relationAt, project, id, k.Catalog, k.Schema, k.Table)
}

// GoldenSQL is a question and the statement that answers it.
type GoldenSQL struct{ ID, Prompt, SQL string }

// GoldenSQLs lists the golden statements of a project.
func (s *Store) GoldenSQLs(ctx context.Context, project string) ([]GoldenSQL, error) {
	return queryAll(ctx, s.db, func(scan func(...any) error) (g GoldenSQL, err error) {
		err = scan(&g.ID, &g.Prompt, &g.SQL)
		return
	}, "SELECT id, prompt, sql FROM golden_sqls WHERE project_id = ? ORDER BY created_at, id", project)
}

// AddGoldenSQL adds a golden statement.
func (s *Store) AddGoldenSQL(ctx context.Context, project, prompt, statement string) (GoldenSQL, error) {
	g := GoldenSQL{s.NewID(), prompt, statement}
	_, err := s.db.ExecContext(ctx,
		"INSERT INTO golden_sqls(id, project_id, prompt, sql, created_at) VALUES (?, ?, ?, ?, ?)", g.ID, project,
		prompt, statement, s.stamp())
	return g, err
}

// DeleteGoldenSQL removes a golden statement.
func (s *Store) DeleteGoldenSQL(ctx context.Context, project, id string) error {
	return exec(ctx, s.db, "DELETE FROM golden_sqls WHERE project_id = ? AND id = ?", project, id)
}

// Refresh is the last refresh of a catalog's metadata.
type Refresh struct {
	Status, Runner string
	Error          *string
}

// MetadataRefresh finds it; ErrNotFound means never.
func (s *Store) MetadataRefresh(ctx context.Context, project, catalog string) (Refresh, error) {
	return queryOne(ctx, s.db, func(scan func(...any) error) (r Refresh, err error) {
		err = scan(&r.Status, &r.Runner, &r.Error)
		return
	}, "SELECT status, runner, error FROM metadata_refreshes WHERE project_id = ? AND catalog_id = ?", project, catalog)
}

// SetMetadataRefresh records the state of a catalog's refresh.
func (s *Store) SetMetadataRefresh(ctx context.Context, project, catalog string, r Refresh) error {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO metadata_refreshes(project_id, catalog_id, status, runner, error, started_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (project_id, catalog_id) DO UPDATE SET status = excluded.status, runner = excluded.runner, error = excluded.error, started_at = excluded.started_at`,
		project, catalog, r.Status, r.Runner, r.Error, s.stamp())
	return err
}

// EndMetadataRefresh records the end of a refresh that is in a state. ErrNotFound means that it is not any more, or
// that another process has begun one since.
func (s *Store) EndMetadataRefresh(ctx context.Context, project, catalog, state string, r Refresh) error {
	return exec(ctx, s.db, "UPDATE metadata_refreshes SET status = ?, error = ? "+
		"WHERE project_id = ? AND catalog_id = ? AND runner = ? AND status = ?",
		r.Status, r.Error, project, catalog, r.Runner, state)
}

// RefreshCallback is the address notified of the refreshes of a project; the token is sealed. An empty URL means none.
func (s *Store) RefreshCallback(ctx context.Context, project string) (url string, token []byte, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT url, token FROM refresh_callbacks WHERE project_id = ?",
		project).Scan(&url, &token)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return url, token, told(err)
}

// SetRefreshCallback registers or, with an empty URL, unregisters it.
func (s *Store) SetRefreshCallback(ctx context.Context, project, url string, token []byte) error {
	if url == "" {
		_, err := s.db.ExecContext(ctx, "DELETE FROM refresh_callbacks WHERE project_id = ?", project)
		return err
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO refresh_callbacks(project_id, url, token) VALUES (?, ?, ?)
		ON CONFLICT (project_id) DO UPDATE SET url = excluded.url, token = excluded.token`, project, url, token)
	return err
}
