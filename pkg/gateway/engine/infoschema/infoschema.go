// Package infoschema builds the rows of information_schema and of SHOW from the names that a project sees.
package infoschema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// Schema is the name of the schema that every catalog has.
const Schema = "information_schema"

// Columns are the columns of its tables.
var Columns = map[string][]engine.ColumnInfo{
	"schemata": {{Name: "catalog_name", Type: "varchar"}, {Name: "schema_name", Type: "varchar"}},
	"tables": {{Name: "table_catalog", Type: "varchar"}, {Name: "table_schema", Type: "varchar"},
		{Name: "table_name", Type: "varchar"},
		{Name: "table_type", Type: "varchar"}},
	"columns": {{Name: "table_catalog", Type: "varchar"}, {Name: "table_schema", Type: "varchar"},
		{Name: "table_name", Type: "varchar"},
		{Name: "column_name", Type: "varchar"}, {Name: "ordinal_position", Type: "bigint"}, {Name: "column_default",
			Type: "varchar"},
		{Name: "is_nullable", Type: "varchar"}, {Name: "data_type", Type: "varchar"}},
}

// All adds to the tables of a project, in lower case, those of information_schema, and sorts them. A schema without
// tables is represented by an empty table name, and a catalog without schemas by an empty schema and table name, which
// are removed.
func All(tables []engine.TableName) []engine.TableName {
	catalogs := map[string]bool{}
	for _, t := range tables {
		catalogs[strings.ToLower(t.Catalog)] = true
	}
	for c := range catalogs {
		for t := range Columns {
			tables = append(tables, engine.TableName{Catalog: c, Schema: Schema, Table: t})
		}
	}
	tables = slices.DeleteFunc(tables, func(t engine.TableName) bool { return t.Schema == "" })
	slices.SortFunc(tables, func(a, b engine.TableName) int {
		return cmp.Or(strings.Compare(a.Catalog, b.Catalog), strings.Compare(a.Schema, b.Schema),
			strings.Compare(a.Table, b.Table))
	})
	return slices.Compact(tables)
}

// Catalogs returns the catalogs that a query of information_schema is about, from the qualifier of the name or a
// condition; nil for all.
func Catalogs(before string, cols []engine.ColumnInfo, conds []narrow.Condition) []string {
	if before != "" {
		return []string{before}
	}
	for _, c := range conds {
		if !strings.EqualFold(c.Column, cols[0].Name) || c.Op != "=" && c.Op != "in" {
			continue
		}
		var names []string
		for _, v := range c.Values {
			if v.Kind != narrow.Text && v.Kind != narrow.Param {
				names = nil
				break
			}
			names = append(names, v.Text)
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// Wanted returns the tables of a catalog, or of all for "", that no condition excludes.
func Wanted(tables []engine.TableName, catalog string, conds []narrow.Condition) []engine.TableName {
	return slices.DeleteFunc(tables, func(t engine.TableName) bool {
		if catalog != "" && t.Catalog != catalog {
			return true
		}
		for _, c := range conds {
			if c.Op != "=" || c.Values[0].Kind != narrow.Text && c.Values[0].Kind != narrow.Param {
				continue
			}
			var of string
			switch strings.ToLower(c.Column) {
			case "table_catalog", "catalog_name":
				of = t.Catalog
			case "table_schema", "schema_name":
				of = t.Schema
			case "table_name":
				of = t.Table
			default:
				continue
			}
			if of != c.Values[0].Text {
				return true
			}
		}
		return false
	})
}

// Schemata returns the rows of information_schema.schemata.
func Schemata(tables []engine.TableName) [][]any {
	var rows [][]any
	for i, t := range tables {
		if i == 0 || t.Catalog != tables[i-1].Catalog || t.Schema != tables[i-1].Schema {
			rows = append(rows, []any{t.Catalog, t.Schema})
		}
	}
	return rows
}

// Tables returns the rows of information_schema.tables.
func Tables(tables []engine.TableName) [][]any {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		typ := "BASE TABLE"
		if t.Schema == Schema || t.Catalog == engine.InternalCatalog && t.Schema == engine.SchemaQuery {
			typ = "VIEW"
		}
		rows = append(rows, []any{t.Catalog, t.Schema, t.Table, typ})
	}
	return rows
}

// ColumnsOf returns the rows of information_schema.columns about a table.
func ColumnsOf(t engine.TableName, cols []engine.ColumnInfo) [][]any {
	rows := make([][]any, len(cols))
	for i, c := range cols {
		nullable := "NO"
		if c.Nullable {
			nullable = "YES"
		}
		rows[i] = []any{t.Catalog, t.Schema, t.Table, c.Name, int64(i + 1), nil, nullable, c.Type}
	}
	return rows
}

// MayLack reports whether the columns of a table may be omitted from a list.
func MayLack(t engine.TableName, err error, named bool) bool {
	var e *engine.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case engine.KindTimeout, engine.KindLocked, engine.KindInternal, engine.KindDefect, engine.KindFull,
		engine.KindLimit:
		return false
	case engine.KindSource, engine.KindData:
		return !named || t.Catalog == engine.InternalCatalog
	}
	return true
}
