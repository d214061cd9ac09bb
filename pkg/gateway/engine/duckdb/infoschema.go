//go:build cgo

package duckdb

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// information_schema lists what the project may see, under the names its users write: the internal tables, the sample catalog and
// what Catalogs.List names. With a catalog before it, it lists that catalog; without one, all of them. The rows are gathered
// before the statement runs; its equality conditions on names narrow what is gathered.

const (
	infoSchema  = infoschema.Schema
	infoCatalog = "~info" // where the views stand: DuckDB lets no schema be named information_schema
	allCatalogs = "*"
)

// infoName tells whether a table of FROM is one of information_schema, and under which name its view stands.
func infoName(parts []string) (engine.TableName, bool) {
	if len(parts) < 2 || !strings.EqualFold(parts[len(parts)-2], infoSchema) {
		return engine.TableName{}, false
	}
	n := engine.TableName{Catalog: infoCatalog, Schema: allCatalogs, Table: strings.ToLower(parts[len(parts)-1])}
	if len(parts) == 3 {
		n.Schema = strings.ToLower(parts[0])
	}
	return n, true
}

// infoTable gathers the rows of a table of information_schema and makes its view.
func (s *statement) infoTable(ctx context.Context, n engine.TableName, want narrowing) error {
	if err := s.infoRows(ctx, n, want); err != nil {
		return err
	}
	_, err := s.putView(ctx, n, scanBody(n)) // which never changes, so that the name is this one
	return err
}

// infoRows gathers the rows of a table of information_schema.
func (s *statement) infoRows(ctx context.Context, n engine.TableName, want narrowing) error {
	cols, ok := infoschema.Columns[n.Table]
	shown := engine.TableName{Catalog: n.Schema, Schema: infoSchema, Table: n.Table}
	if n.Schema == allCatalogs {
		shown.Catalog = engine.InternalCatalog
	}
	if !ok {
		return unknownTable(shown)
	}
	of := n.Schema
	if of == allCatalogs {
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
	return s.addScan(ctx, n, &infoschema.Rows{Cols: cols, Data: rows}, cols, everything())
}

// allTables names every table of some catalogs, or of all of the project for nil, sorted. A schema without tables stands with an empty
// table name. What is not among those catalogs may be named, too.
func (s *statement) allTables(ctx context.Context, named []string) ([]engine.TableName, error) {
	var out []engine.TableName
	for name := range sampleTables() {
		out = append(out, engine.TableName{Catalog: engine.SampleCatalog, Schema: sampleSchema, Table: name})
	}
	err := s.c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name IN ('table', 'bitable')`,
		[]any{storeDB}, func(v []*string) error {
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
		out[i] = fold(n)
	}
	return infoschema.All(out), nil
}

// columnRows lists the columns of tables. A saved query that does not work as it stands has none to tell; so has, among those of all
// catalogs, a table whose source cannot be read now. The answer says so. The only table asked for is an error.
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

// columnsOf reads the names and types of a table's columns: those of a source as it gives them, others by planning a SELECT on a
// connection of its own.
func (s *statement) columnsOf(ctx context.Context, n engine.TableName) ([]engine.ColumnInfo, error) {
	if s.q.Dialect != dialectDuck && s.q.Catalogs != nil && n.Schema != infoSchema && n.Catalog != engine.InternalCatalog && n.Catalog != engine.SampleCatalog {
		src, err := s.q.Catalogs.Lookup(ctx, n)
		if err != nil {
			return nil, err
		}
		if src.Scan != nil {
			return src.Scan.Columns(ctx)
		}
	}
	if n.Schema == infoSchema {
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
	if err := other.prepare(ctx, other.t.text, &ps, false); err != nil {
		return nil, other.explain(err)
	}
	var out []engine.ColumnInfo
	for i := range bindings.PreparedStatementColumnCount(ps) {
		lt := bindings.PreparedStatementColumnLogicalType(ps, i)
		t, err := newType(lt, s.q.Dialect)
		bindings.DestroyLogicalType(&lt)
		name := columnName(bindings.PreparedStatementColumnName(ps, i))
		if err != nil {
			return nil, &engine.Error{Kind: engine.KindUnsupported, Message: "column '" + name + "': " + err.Error()}
		}
		out = append(out, engine.ColumnInfo{Name: name, Type: t.name, Nullable: true})
	}
	return out, nil
}
