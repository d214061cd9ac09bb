package trino

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// information_schema lists what the project can read, under the names that its users write: the internal tables, the sample catalog and
// what Catalogs.List names. Qualified with a catalog it lists that catalog, otherwise all of them. The rows are collected
// before the statement runs; its equality conditions on names limit what is collected.

// InfoRows collects the rows of a table of information_schema.
func (s *Session) InfoRows(ctx context.Context, n engine.TableName, want narrow.Narrowing) error {
	cols, ok := infoschema.Columns[n.Table]
	shown := engine.TableName{Catalog: n.Schema, Schema: infoschema.Schema, Table: n.Table}
	if n.Schema == naming.AllCatalogs {
		shown.Catalog = engine.InternalCatalog
	}
	if !ok {
		return engine.UnknownTable(shown)
	}
	of := n.Schema
	if of == naming.AllCatalogs {
		of = ""
	}
	named := infoschema.Catalogs(of, n.Table, want.Conds)
	known, err := s.allTables(ctx, named)
	if err != nil {
		return err
	}
	if of != "" && !slices.ContainsFunc(known, func(t engine.TableName) bool { return t.Catalog == of }) {
		return infoschema.UnknownCatalog(of)
	}
	known = infoschema.Wanted(known, of, want.Conds)
	var rows [][]any
	switch n.Table {
	case "schemata":
		rows = infoschema.Schemata(known)
	case "tables":
		rows = infoschema.Tables(known)
	default:
		if rows, err = s.columnRows(ctx, known, named != nil); err != nil {
			return err
		}
	}
	return s.Store.AddScan(ctx, n, &infoschema.Rows{Cols: cols, Data: rows}, cols, narrow.Everything())
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables is listed with an empty
// table name. Catalogs that do not exist are ignored.
func (s *Session) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	var out []engine.TableName
	for name := range SampleTables() {
		out = append(out, engine.TableName{Catalog: engine.SampleCatalog, Schema: SampleSchema, Table: name})
	}
	own, err := s.Store.OwnTables(ctx)
	if err != nil {
		return nil, err
	}
	out = append(out, own...)
	if s.Q.Catalogs != nil {
		more, err := s.Q.Catalogs.List(ctx, named)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	for i, n := range out {
		out[i] = n.Fold()
	}
	return infoschema.All(out), nil
}

// columnRows lists the columns of tables. A saved query that fails has none; the same holds, if all
// catalogs are listed, for a table whose source cannot be read. The answer reports it. If only that table is requested, it is an error.
func (s *Session) columnRows(ctx context.Context, tables []engine.TableName, named bool) ([][]any, error) {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		cols, err := s.Store.Columns(ctx, t)
		if err != nil {
			if len(tables) > 1 && infoschema.MayLack(t, err, named) {
				err = engine.Omit(ctx, engine.OmittedColumns, t.String(), err)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		rows = append(rows, infoschema.ColumnsOf(t, cols)...)
	}
	return rows, nil
}
