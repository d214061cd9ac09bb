//go:build cgo

package duckdb

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// information_schema lists what the project can read, under the names that its users write: the internal tables, the sample catalog and
// what Catalogs.List names. Qualified with a catalog it lists that catalog, otherwise all of them. The rows are collected
// before the statement runs; its equality conditions on names limit what is collected.

// infoTable collects the rows of a table of information_schema and creates its view.
func (s *statement) infoTable(ctx context.Context, n engine.TableName, want narrow.Narrowing) error {
	if err := s.infoRows(ctx, n, want); err != nil {
		return err
	}
	_, err := s.putView(ctx, n, scanBody(n)) // which never changes, so that the name is this one
	return err
}

// infoRows collects the rows of a table of information_schema.
func (s *statement) infoRows(ctx context.Context, n engine.TableName, want narrow.Narrowing) error {
	cols, ok := infoschema.Columns[n.Table]
	shown := engine.TableName{Catalog: n.Schema, Schema: infoschema.Schema, Table: n.Table}
	if n.Schema == naming.AllCatalogs {
		shown.Catalog = engine.InternalCatalog
	}
	if !ok {
		return unknownTable(shown)
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
	return s.addScan(ctx, n, &infoschema.Rows{Cols: cols, Data: rows}, cols, narrow.Everything())
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables is listed with an empty
// table name. Catalogs that do not exist are ignored.
func (s *statement) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	var out []engine.TableName
	for name := range sampleTables() {
		out = append(out, engine.TableName{Catalog: engine.SampleCatalog, Schema: sampleSchema, Table: name})
	}
	err := s.c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name IN ('table', 'bitable')`,
		[]any{naming.Store}, func(v []*string) error {
			out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: *v[0], Table: *v[1]})
			return nil
		})
	if err != nil {
		return nil, err
	}
	if s.q.Catalogs != nil {
		more, err := s.q.Catalogs.List(ctx, named)
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
func (s *statement) columnRows(ctx context.Context, tables []engine.TableName, named bool) ([][]any, error) {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		cols, err := s.columnsOf(ctx, t)
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

// columnsOf returns the names and types of a table's columns: those of a source as reported by it, others by planning a SELECT on a
// connection of its own.
func (s *statement) columnsOf(ctx context.Context, n engine.TableName) ([]engine.ColumnInfo, error) {
	if s.q.Dialect != dialectDuck && s.q.Catalogs != nil && n.Schema != infoschema.Schema && n.Catalog != engine.InternalCatalog && n.Catalog != engine.SampleCatalog {
		src, err := s.q.Catalogs.Lookup(ctx, n)
		if err != nil {
			return nil, err
		}
		if src.Scan != nil {
			return src.Scan.Columns(ctx)
		}
	}
	if n.Schema == infoschema.Schema {
		cols, ok := infoschema.Columns[n.Table]
		if !ok {
			return nil, unknownTable(n)
		}
		return slices.Clone(cols), nil
	}
	q := s.q
	q.SQL, q.Bindings = `SELECT * FROM `+n.Quoted(), nil
	other, err := s.p.statement(ctx, q)
	if err != nil {
		return nil, err
	}
	defer other.close()
	if s.q.Dialect != dialectDuck {
		x, err := other.translateTrino(ctx, q.SQL)
		if err != nil {
			return nil, err
		}
		var out []engine.ColumnInfo
		for _, c := range x.columns {
			out = append(out, engine.ColumnInfo{Name: c.Name, Type: wireType(c.Type), Nullable: true})
		}
		return out, nil
	}
	if other.t, err = other.translate(ctx, q.SQL, dialectDuck, true); err != nil {
		return nil, err
	}
	stop := other.c.watch(ctx)
	defer stop()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if err := other.prepare(ctx, other.t.Text, &ps, false); err != nil {
		return nil, other.explain(err)
	}
	var out []engine.ColumnInfo
	for i := range bindings.PreparedStatementColumnCount(ps) {
		lt := bindings.PreparedStatementColumnLogicalType(ps, i)
		t, err := newType(lt, s.q.Dialect)
		bindings.DestroyLogicalType(&lt)
		name := naming.ColumnName(bindings.PreparedStatementColumnName(ps, i))
		if err != nil {
			return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "column '" + name + "': " + err.Error()}
		}
		out = append(out, engine.ColumnInfo{Name: name, Type: t.name, Nullable: true})
	}
	return out, nil
}
