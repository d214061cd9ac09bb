package sql

import (
	"context"
	"maps"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// information_schema lists what the project can read, under the names that its users write: what Catalogs.List names.
// Qualified with a catalog it lists that catalog, otherwise all of them. The rows are collected before the statement
// runs; its equality conditions on names limit what is collected.

// list collects the rows of a table of information_schema, or of the catalog system.
func (s *session) list(ctx context.Context, u *relation, want narrow.Narrowing) error {
	if u.Scan != nil {
		if !u.narrowed {
			return nil
		}
		want = narrow.Everything() // all references share the rows
	}
	u.narrowed = !want.Empty()
	rows, err := s.listed(ctx, u, want)
	u.Scan = &infoschema.Rows{Cols: u.Infos, Data: rows}
	return err
}

func (s *session) listed(ctx context.Context, u *relation, want narrow.Narrowing) ([][]any, error) {
	if err := infoschema.Readable(u.Shown); err != nil {
		return nil, err
	}
	kind, of := u.Name.Table, ""
	if u.Name.Schema != infoschema.Schema {
		kind = u.Name.Schema + "." + u.Name.Table
	} else if u.Name.Catalog != allCatalogs {
		of = u.Name.Catalog
	}
	switch kind {
	case "metadata.catalogs":
		kinds, err := s.Query.Catalogs.Kinds(ctx)
		return infoschema.Kinds(slices.Sorted(maps.Keys(kinds)), kinds), err
	case "runtime.nodes":
		return infoschema.Nodes(), nil
	}
	named := infoschema.Catalogs(of, u.Infos, want.Conds)
	known, err := s.allTables(ctx, named)
	if err != nil {
		return nil, err
	}
	if of != "" && !slices.ContainsFunc(known, func(t engine.TableName) bool { return t.Catalog == of }) {
		return nil, infoschema.UnknownCatalog(of)
	}
	known = infoschema.Wanted(known, of, want.Conds)
	switch kind {
	case "schemata":
		return infoschema.Schemata(known), nil
	case "tables":
		return infoschema.Tables(known), nil
	case "metadata.table_comments":
		comments, err := s.Query.Catalogs.Comments(ctx)
		return infoschema.Comments(known, comments), err
	}
	return s.columnRows(ctx, known, named != nil)
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables is
// listed with an empty table name. Catalogs that do not exist are ignored.
func (s *session) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	out, err := s.Query.Catalogs.List(ctx, named)
	if err != nil {
		return nil, err
	}
	if slices.Contains(named, infoschema.System) {
		out = append(out, infoschema.SystemTables()...)
	}
	for i, n := range out {
		out[i] = n.Fold()
	}
	return infoschema.All(out), nil
}

// columnRows lists the columns of tables. A saved query that fails has none; the same holds, if all
// catalogs are listed, for a table whose source cannot be read. The answer reports it. If only that table is requested,
// it is an error.
func (s *session) columnRows(ctx context.Context, tables []engine.TableName, named bool) ([][]any, error) {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		cols, err := s.columns(ctx, t, nil)
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

// columns returns the names of a table's columns and their types as Trino displays them. The chain is that of the saved
// queries whose columns depend on those: a query that lists all columns is one of the tables that it lists, and its own
// columns are known without them.
func (s *session) columns(ctx context.Context, n engine.TableName,
	chain []engine.TableName) ([]engine.ColumnInfo, error) {
	own := newSession(s.Query, s.engine) // the statement does not read the table
	own.Query.Bindings, own.untyped, own.describes, own.chain = nil, false, true, slices.Clone(chain)
	u, err := (&catalog{s: own, ctx: ctx}).find(analyze.Name(n))
	if err != nil {
		return nil, err
	}
	if u.Infos == nil || u.Relay != nil {
		return columnInfos(u.Table), nil
	}
	cols := slices.Clone(u.Infos)
	for i, c := range u.Table.Columns {
		cols[i].Type = c.Type.String()
	}
	return cols, nil
}
