package trino

import (
	"context"
	"maps"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// information_schema lists what the project can read, under the names that its users write: the internal tables, the sample catalog and
// what Catalogs.List names. Qualified with a catalog it lists that catalog, otherwise all of them. The rows are collected
// before the statement runs; its equality conditions on names limit what is collected.

// InfoRows collects the rows of a table of information_schema, or of the catalog system, for a scan of another name.
func (s *Session) InfoRows(ctx context.Context, u *Used, as engine.TableName, want narrow.Narrowing) error {
	rows, err := s.infoRows(ctx, u, want)
	if err != nil {
		return err
	}
	return s.Store.AddScan(ctx, as, &infoschema.Rows{Cols: u.cols, Data: rows}, u.cols, narrow.Everything())
}

func (s *Session) infoRows(ctx context.Context, u *Used, want narrow.Narrowing) ([][]any, error) {
	kind, of := u.name.Table, ""
	if u.name.Schema != infoschema.Schema {
		kind = u.name.Schema + "." + u.name.Table
	} else if u.name.Catalog != naming.AllCatalogs {
		of = u.name.Catalog
	}
	switch kind {
	case "metadata.catalogs":
		kinds, err := s.catalogKinds(ctx)
		return infoschema.Kinds(slices.Sorted(maps.Keys(kinds)), kinds), err
	case "runtime.nodes":
		return infoschema.Nodes(), nil
	}
	named := infoschema.Catalogs(of, u.cols, want.Conds)
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
		var comments map[engine.TableName]string
		if c, ok := s.Q.Catalogs.(engine.TableComments); ok {
			if comments, err = c.TableComments(ctx); err != nil {
				return nil, err
			}
		}
		return infoschema.Comments(known, comments), nil
	}
	return s.columnRows(ctx, known, named != nil)
}

// catalogKinds returns the kinds of the project's catalogs by their names.
func (s *Session) catalogKinds(ctx context.Context) (map[string]string, error) {
	if c, ok := s.Q.Catalogs.(engine.CatalogKinds); ok {
		return c.CatalogKinds(ctx)
	}
	return map[string]string{engine.InternalCatalog: "internal", engine.SampleCatalog: "sample"}, nil
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables is listed with an empty
// table name. Catalogs that do not exist are ignored.
func (s *Session) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	var out []engine.TableName
	for name := range SampleTables() {
		out = append(out, engine.TableName{Catalog: engine.SampleCatalog, Schema: SampleSchema, Table: name})
	}
	if slices.Contains(named, infoschema.System) {
		out = append(out, infoschema.SystemTables()...)
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
